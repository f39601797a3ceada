/** Where the visitor goes after signing up: another page of the same site, or nowhere. */

/**
 * The full address, or undefined where there is none. Other sites and other schemes are refused, because pages fill
 * attributes from query parameters: a form must never carry its visitors to a stranger, nor run an address as a script.
 */
export function redirectTarget(address: string): string | undefined {
  const url = address && URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI) : undefined;
  if (url?.origin === location.origin) return url.href;
  if (address) console.warn('<newsletter-signup> redirects only to pages of its own origin.');
  return undefined;
}
