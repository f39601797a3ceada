/** Tells an object of named values from everything else that JSON, a person or another program may hand over. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
