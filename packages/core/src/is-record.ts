/** Tells an object of named values from everything else that JSON, a caller or a service may hand over. Pure. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
