/** The ids of contacts: one form for all spellings of an id, and the order of their age. Pure. */

/**
 * An id in one form. Where a standard says that case does not count, it does not: hexadecimal UUIDs, with or without
 * hyphens, and Salesforce's ids of 18 characters, whose last three say which letters of the first 15 are capitals. Any
 * other id is as it is: `a` and `A` may be two contacts.
 */
export function usualForm(id: string): string {
  if (/^\{?[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}\}?$/i.test(id))
    return id.replaceAll(/[{}-]/g, '').toLowerCase();
  return (id.length === 18 && shortSalesforceId(id)) || id;
}

const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/** The 15 characters of a Salesforce id of 18; undefined for any other id. */
function shortSalesforceId(id: string): string | undefined {
  let short = '';
  for (let at = 0; at < 15; at += 1) {
    const letter = id.charAt(at).toLowerCase();
    const bits = capitals.indexOf(id.charAt(15 + Math.floor(at / 5)).toUpperCase());
    const isCapital = (bits >> (at % 5)) % 2 === 1;
    if (bits < 0 || !/[a-z0-9]/.test(letter) || (isCapital && letter === letter.toUpperCase())) return undefined;
    short += isCapital ? letter.toUpperCase() : letter;
  }
  return short;
}

/** Puts the ids of contacts in the order of their age: numbers by their size, before all others by their characters. */
export function compareIds(one: string, other: string): number {
  const areNumbers = [one, other].map((id) => /^\d+$/.test(id));
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1;
  if (areNumbers[0] && one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : one > other ? 1 : 0;
}
