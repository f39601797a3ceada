/** Where the visitor goes after signing up. */
import { warn } from './warn.ts';

/**
 * The full address: another page of the same site, one of a site the owner lists, or nowhere. Pages fill attributes from query
 * parameters: a form must never carry its visitors to a stranger, nor run an address as a script.
 *
 * @param origins - the sites the owner lists, separated by spaces
 */
export function redirectTarget(form: Element, address: string, origins: string): string | undefined {
  const url = URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI) : undefined;
  if (address && url && [location.origin, ...origins.split(/\s+/)].includes(url.origin)) return url.href;
  if (address) warn(form, 'redirect', 'redirects only to pages of its own origin and of those in redirect-origins.');
  return undefined;
}
