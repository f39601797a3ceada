/** Keys for each purpose, made from the relay's one secret. */
import { createHmac } from 'node:crypto';

/** What the secret is used for. */
export type Purpose = 'form token' | 'challenge' | 'challenge solution' | 'limit' | 'visitor' | 'confirmation';

/** A key of its own for each purpose, so that nothing signed for one can pass for another. */
export function purposeKey(secret: string, purpose: Purpose): Buffer {
  return createHmac('sha256', secret).update(purpose).digest();
}

/** Signs a list of texts; no two lists are signed as the same bytes. */
export function sign(key: Buffer, parts: readonly (string | number)[]): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest();
}
