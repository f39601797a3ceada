/**
 * Stores the first and the last touch for the next page, in web storage or in a cookie that the subdomains of a site
 * share. Loaded once the visitor has consented.
 */
import {
  attributionLimit,
  chooseTouch,
  fitAttribution,
  parseUrl,
  storedTouches,
  touchLifetime,
  type Touch,
} from '@newsletter-kit/core/signup';
import { readTouches, type AttributionHost, type AttributionTools } from './attribution.ts';
import { isSet } from './form.ts';
import { make } from './make.ts';
import { touchesKey, updateStored, type StoreName } from './store.ts';

/**
 * Longest text in the cookie. Browsers accept 4096 bytes, but servers refuse requests whose cookies together exceed
 * some 8 kB: a link with long parameters must not lock a visitor out.
 */
const cookieLimit = 2000;

/** Stores the touches as the element's attributes say, and returns them with those that earlier pages stored. */
export function remember(host: AttributionHost, tools: AttributionTools): readonly Touch[] {
  const place = tools.oneOf(
    host,
    'storage',
    host.storage ?? host.getAttribute('storage') ?? 'local',
    'none',
    'local',
    'session',
  );
  if (place === 'none') return readTouches(host, tools);
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
  const touches = readTouches(host, tools, stored.sort().join(' '));
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
 * An element with the attributes of the script, for a page without a form. Waits until the page is parsed: a form
 * further down says itself how visits are stored.
 *
 * @param attributes - undefined in a module, which cannot find its own script element
 */
export async function standIn(attributes: DOMStringMap | undefined): Promise<AttributionHost | undefined> {
  if (document.readyState === 'loading')
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve));
  return attributes && make('newsletter-signup', attributes);
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

/** The text to store, at most {@link cookieLimit} characters. */
function shorten(touches: readonly Touch[]): string {
  const ends = (['first', 'last'] as const).flatMap((rule) => chooseTouch(touches, rule) ?? []);
  for (let bytes = attributionLimit; ; bytes *= 0.75) {
    const text = storedTouches(
      ends.map(({ at, attribution }) => ({ at, attribution: fitAttribution(attribution, bytes) })),
    );
    if (text.length <= cookieLimit) return text;
  }
}
