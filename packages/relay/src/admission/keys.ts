/** Derives signing and hashing keys from the relay's secret, one per purpose. */
import { createHmac } from 'node:crypto';

/** The purposes. */
export type Purpose = 'form token' | 'challenge' | 'challenge solution' | 'limit' | 'visitor' | 'confirmation';

/** The key of a purpose; a signature for one purpose is invalid for every other. */
export function purposeKey(secret: string, purpose: Purpose): Buffer {
  return createHmac('sha256', secret).update(purpose).digest();
}

/** Signs a list of values with HMAC-SHA-256. JSON keeps the values apart, so no two lists have the same bytes. */
export function sign(key: Buffer, parts: readonly (string | number)[]): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest();
}
