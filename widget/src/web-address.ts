/**
 * Addresses an owner wrote down. Pages fill attributes from query parameters: nothing but http may be sent to or
 * followed.
 */
import { parseUrl } from '@newsletter-kit/core/signup';
import { warn } from './warn.ts';

/** The address in full, or undefined where it is none of the web, such as one that would run as a script. */
export function webAddress(address: string): URL | undefined {
  const url = address ? parseUrl(address, document.baseURI) : undefined;
  return url?.protocol.startsWith('http') ? url : undefined;
}

/**
 * Where the visitor goes after signing up: another page of the same site, one of a site the owner lists, or nowhere. A
 * form must never carry its visitors to a stranger. Schemes are looked at by themselves: for a page in a sandbox or
 * from a file, `javascript:` is of its own origin, "null".
 *
 * @param origins - the sites the owner lists, separated by spaces
 */
export function redirectTarget(form: Element, address: string, origins: string): string | undefined {
  const url = webAddress(address);
  if (url && [location.origin, ...origins.split(/\s+/)].includes(url.origin)) return url.href;
  if (address) warn(form, 'redirect', 'leads to none of redirect-origins.');
  return undefined;
}
