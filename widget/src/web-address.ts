/** Addresses an owner wrote down. Pages fill attributes from query parameters: nothing but http may be followed. */
import { warn } from './warn.ts';

/** The address in full, or undefined where it is none of the web, such as one that would run as a script. */
export function webAddress(address: string): URL | undefined {
  // A server knows of no page; there it matters only whether the address is one of the web.
  const base = globalThis.document?.baseURI ?? 'http://localhost';
  const url = address && URL.canParse(address, base) ? new URL(address, base) : undefined;
  return url?.protocol.startsWith('http') ? url : undefined;
}

/**
 * Where the visitor goes after signing up: another page of the same site, one of a site the owner lists, or nowhere. A form
 * must never carry its visitors to a stranger.
 *
 * @param origins - the sites the owner lists, separated by spaces
 */
export function redirectTarget(form: Element, address: string, origins: string): string | undefined {
  const url = webAddress(address);
  if (url && [location.origin, ...origins.split(/\s+/)].includes(url.origin)) return url.href;
  if (address) warn(form, 'redirect', 'redirects only to pages of its own origin and of those in redirect-origins.');
  return undefined;
}
