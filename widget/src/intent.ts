/** One key for one intent: the same entry sent again is the same signup, a changed entry is a new one. */
export interface Intent {
  readonly body: string;
  /** The `Idempotency-Key` of every request with this body. */
  readonly key: string;
}

/** The intent behind a body: the last one, where it has the same body, else a new one. */
export function intentOf(body: string, last: Intent | undefined): Intent {
  return last?.body === body ? last : { body, key: uuid() };
}

/**
 * A random UUID. On pages without TLS browsers hide `crypto.randomUUID`, but not the one at the end of every blob URL
 * (File API, "generate a new blob URL").
 */
function uuid(): string {
  const url = URL.createObjectURL(new Blob());
  URL.revokeObjectURL(url);
  return url.slice(-36);
}
