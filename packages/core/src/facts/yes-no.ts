/** What forms, tables and CRMs write for yes and no; a word that is not among them is neither. */
const words: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', 'on', 'x', '✓', '1'].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map((word) => [word, false] as const),
]);

/**
 * Whether a value says yes or no: a boolean, or a text or number such as `on`, `x`, `no` and `0` in any case.
 *
 * @returns undefined for any other, which says neither
 */
export function yesOrNo(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' || typeof value === 'number'
    ? words.get(String(value).trim().toLowerCase())
    : undefined;
}
