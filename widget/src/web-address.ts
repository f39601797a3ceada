/** Addresses an owner wrote down. Pages fill attributes from query parameters: nothing but http may be followed. */

/** The address in full, or undefined where it is none of the web, such as one that would run as a script. */
export function webAddress(address: string): URL | undefined {
  const url = address && URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI) : undefined;
  return url?.protocol.startsWith('http') ? url : undefined;
}

/**
 * Where the visitor goes after signing up: another page of the same site, or nowhere. A form must never carry its visitors to
 * a stranger.
 */
export function redirectTarget(address: string): string | undefined {
  const url = webAddress(address);
  if (url?.origin === location.origin) return url.href;
  if (address) console.warn('<newsletter-signup> redirects only to pages of its own origin.');
  return undefined;
}
