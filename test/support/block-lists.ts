/**
 * Rules of public block lists that hide newsletter forms, and what they match. Adblock's own syntax, read by Ghostery's
 * engine: `/a-` and `-a.` block addresses, `##.a` and `###a` hide elements by class and id.
 */
import { FiltersEngine, Request } from '@ghostery/adblocker';

const easyList = 'EasyList’s newsletter notices, which are a part of Fanboy’s Annoyances too';
const wider = 'wider than the rules of any list, so that a list can grow';

/** Each rule, and where it is from. */
export const rules: readonly (readonly [rule: string, source: string])[] = [
  ['/newsletter-signup.', easyList],
  ['/newsletter-signup-', easyList],
  ['/newslettersignup.', easyList],
  ['/newsletters-signup/*', easyList],
  ['-newsletter_signup.', easyList],
  ['/assets/newsletter-', easyList],
  ['/plugins/newsletter-', easyList],
  ['/plugins/newsletter/*', easyList],
  ['/components/newsletter/*', easyList],
  ['/static/newsletter.', easyList],
  ['/site/newsletter-', easyList],
  ['/newsletter-app.', easyList],
  ['/newsletter-button.', easyList],
  ['/newsletter-inline.', easyList],
  ['/newsletter-subscribe-', easyList],
  ['/newsletter/style.', easyList],
  ['/newsletter_widget.', easyList],
  ['/newsletterpopup.', easyList],
  ['/email/subscribe.', easyList],
  ['/subscribe-popup.', easyList],
  ['-newsletter-popup.', easyList],
  ['-subscription-widget/', easyList],
  ['_newsletter_overlay.', easyList],
  ['/newsletter.js', 'AdGuard’s annoyances'],
  ['/newsletter-popup', wider],
  ['-newsletter-modal', wider],
  ['###newsletter-signup-form', easyList],
  ['###newsletter-button', easyList],
  ['###newsletter-component', easyList],
  ['###newsletter-container', easyList],
  ['###newsletter-footer', easyList],
  ['###newsletter-widget', easyList],
  ['###footer-newsletter', easyList],
  ['###footer-signup', easyList],
  ['###subscribe-widget', easyList],
  ['##.newsletter-signup-form', easyList],
  ['##.newsletter-signup-box', easyList],
  ['##.newsletter-banner', easyList],
  ['##.newsletter-button', easyList],
  ['##.newsletter-card', easyList],
  ['##.newsletter-dialog', easyList],
  ['##.newsletter-fields', easyList],
  ['##.newsletter-footer', easyList],
  ['##.newsletter-frame', easyList],
  ['##.newsletter-input', easyList],
  ['##.newsletter-intro', easyList],
  ['##.newsletter-link', easyList],
  ['##.newsletter-message', easyList],
  ['##.newsletter-trigger', easyList],
  ['##.newsletter-widget', easyList],
  ['##.newsletter-wrap', easyList],
  ['##.newsletter__title', easyList],
  ['##.newsletter_form', easyList],
  ['##.signup-form--footer', easyList],
  ['##.signup-newsletter', easyList],
  ['##.subscribe-newsletter', easyList],
  ['##.subscribe_btn', easyList],
  ['##.footer-subscribe', easyList],
  ['##.widget_newsletter', easyList],
];

const engine = FiltersEngine.parse(rules.map(([rule]) => rule).join('\n'), { debug: true });

/** @returns the rule that blocks this address on a page; undefined if none does */
export function blocks(address: string, type: 'script' | 'stylesheet' | 'fetch' | 'document'): string | undefined {
  const request = Request.fromRawDetails({ url: address, type, sourceUrl: 'https://site.example/' });
  const { match, filter } = engine.match(request);
  return match ? `${address}: ${filter?.toString()}` : undefined;
}

/** The classes and ids of a page, or of a component of React, Vue or Svelte. */
export function namesIn(markup: string): readonly string[] {
  return [...markup.matchAll(/\s(?:class|className|id)=(?:\\?["'`]|&#x27;)?([^"'`<>&\\]+)/g)].flatMap(
    ([, names = '']) => names.trim().split(/\s+/),
  );
}

/** @returns the rules that hide an element with one of these classes or ids */
export function hides(names: readonly string[]): string {
  return engine.getCosmeticsFilters({
    url: 'https://site.example/',
    hostname: 'site.example',
    domain: 'site.example',
    classes: [...names],
    ids: [...names],
  }).styles;
}

/** @returns how many of the rules the engine has read */
export function readRules(): number {
  const { networkFilters, cosmeticFilters } = engine.getFilters();
  return networkFilters.length + cosmeticFilters.length;
}
