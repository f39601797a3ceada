/** One key for one intent: the same entry sent again is the same signup, a changed entry is a new one. */
export class Intent {
  #body = '';
  #key = '';

  /** The `Idempotency-Key` for this body. */
  keyFor(body: string): string {
    if (body !== this.#body) {
      this.#body = body;
      this.#key = uuid();
    }
    return this.#key;
  }

  /** Forgets the body; whatever is sent next is a new signup. */
  end(): void {
    this.#body = '';
  }
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
