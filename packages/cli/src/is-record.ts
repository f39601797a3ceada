/** Tells an object of named values from everything else that a JSON file, an answer or an option may hold. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
