/** Parts of addresses. */

/** A part of an address without its percent-encoding; null where that is broken. */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
