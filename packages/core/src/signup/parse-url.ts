/** Reads an address that may be none. */

/** An address in full, or undefined where it is none. */
export function parseUrl(address: string, base?: string): URL | undefined {
  return URL.canParse(address, base) ? new URL(address, base) : undefined;
}
