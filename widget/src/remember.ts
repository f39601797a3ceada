/**
 * Stores the first and the last touch for the next page, in web storage or in a cookie that the subdomains of a site
 * share. Loaded once the visitor has consented.
 */
import {
  attributionLimit,
  chooseTouch,
  fitAttribution,
  knownTouches,
  parseUrl,
  storedTouches,
  touchLifetime,
  type Touch,
} from '@newsletter-kit/core/signup';
import { readOptions, type AttributionHost, type PageTools } from './attribution.ts';
import { isSet } from './form.ts';
import { make } from './make.ts';
import { touchesKey, updateStored, type StoreName } from './store.ts';

/**
 * Longest text in the cookie. Browsers accept 4096 bytes, but servers refuse requests whose cookies together exceed
 * some 8 kB: a link with long parameters must not lock a visitor out.
 */
const cookieLimit = 2000;

/** Stores the touches as the element's attributes say, and returns them with those that earlier pages stored. */
export async function remember(host: AttributionHost, tools: PageTools): Promise<readonly Touch[]> {
  const storage = host.storage ?? host.getAttribute('storage') ?? 'local';
  const place = tools.oneOf(host, 'storage', storage, 'none', 'local', 'session');
  const options = await readOptions(host, tools);
  const touchesAfter = (stored: string): readonly Touch[] =>
    knownTouches(stored, tools.readVisits(), Date.now(), options);
  // The visitor may have revoked the consent meanwhile.
  if (place === 'none' || !tools.hasConsent()) return touchesAfter('');
  const domain = host.getAttribute('cookie-domain');
  // Whatever the attributes said on earlier pages.
  const stores: readonly StoreName[] = ['local', 'session'];
  const stored = domain ? readCookies() : [];
  for (const name of stores)
    updateStored(name, touchesKey, (text) => {
      stored.push(...text.split(' '));
      return text;
    });
  // The time begins each text: oldest first.
  const touches = touchesAfter(stored.sort().join(' '));
  const isInCookie = !!domain && writeCookie(domain, touches, place);
  for (const name of stores)
    updateStored(name, touchesKey, () => (name === place && !isInCookie ? storedTouches(touches) : ''));
  if (domain && !isInCookie && isSet(host, 'debug'))
    tools.warn(
      host,
      'attribute',
      `cookie-domain="${domain}": this browser refuses the cookie, and the visits are stored for ${location.hostname} only. Name the domain that all your subdomains end with, such as example.com; if it is correct, this browser blocks cookies.`,
    );
  return touches;
}

/**
 * On a page without a form, an element with the attributes of the script acts for it. Waits until the page is parsed: a
 * form further down says itself how visits are stored.
 */
export async function standIn(attributes: DOMStringMap, act: (element: AttributionHost) => void): Promise<void> {
  if (document.readyState === 'loading')
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve));
  act(make('newsletter-signup', attributes));
}

/** The stored touches. Domains and their subdomains can have a cookie each. */
function readCookies(): string[] {
  try {
    return document.cookie
      .split('; ')
      .filter((cookie) => cookie.startsWith(`${touchesKey}=`))
      .flatMap((cookie) => cookie.slice(touchesKey.length + 1).split('|'));
  } catch {
    // Cookies are disabled, as in a frame with `sandbox`.
    return [];
  }
}

/** Deletes the cookie of whichever domain the site has named, on this page or another. */
export function deleteCookies(): void {
  for (let { hostname } = location; hostname; hostname = hostname.replace(/^[^.]*\.?/, ''))
    document.cookie = `${touchesKey}=;Max-Age=0;Path=/;Domain=${hostname}`;
}

/** @returns whether the browser accepts the cookie */
function writeCookie(name: string, touches: readonly Touch[], place: StoreName): boolean {
  const domain = parseUrl(`https://${name.replace(/^\./, '')}`)?.hostname;
  if (!domain || !`.${location.hostname}`.endsWith(`.${domain}`)) return false;
  // A cookie contains no space; `|` is encoded inside the touches.
  const cookie = `${touchesKey}=${shorten(touches).replace(' ', '|')}`;
  const age = place === 'local' ? `;Max-Age=${touchLifetime / 1000}` : '';
  const secure = location.protocol === 'https:' ? ';Secure' : '';
  try {
    document.cookie = `${cookie};Domain=${domain};Path=/;SameSite=Lax${age}${secure}`;
    return document.cookie.includes(cookie);
  } catch {
    return false;
  }
}

/** The text to store, at most {@link cookieLimit} characters: the details are left out before anything is shortened. */
function shorten(touches: readonly Touch[]): string {
  let ends: readonly Touch[] = (['first', 'last'] as const).flatMap((rule) => chooseTouch(touches, rule) ?? []);
  for (let bytes = attributionLimit; storedTouches(ends).length > cookieLimit; bytes *= 0.75)
    ends = ends.map((touch) => ({ ...touch, details: {}, attribution: fitAttribution(touch.attribution, bytes) }));
  return storedTouches(ends);
}
