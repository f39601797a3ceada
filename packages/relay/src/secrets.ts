/** The relay's secrets: the files that keep generated ones, the keys derived from them, and the operator token. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { StartupError } from './errors.ts';

/** Number of random bytes of a secret, and minimum number of characters in its file. */
const secretBytes = 24;

/**
 * Reads the secret in a file; generates it if the file does not exist.
 *
 * @param what - description of the secret, for the error
 * @param setting - setting that can replace the file
 * @throws StartupError if the file cannot be read or written, or contains no secret
 */
export function loadOrCreateSecret(file: string, what: string, setting: string): string {
  let secret: string;
  try {
    if (!existsSync(file)) {
      const content = `${randomBytes(secretBytes).toString('base64url')}\n`;
      // Synced: after a power cut, a secret that was cut off would keep the relay from starting.
      writeFileSync(file, content, { mode: 0o600, flag: 'wx', flush: true });
    }
    secret = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new StartupError(`${what} could not be kept in ${file}. Set ${setting}, or make the folder writable.`, {
      cause,
    });
  }
  if (secret.length < secretBytes)
    throw new StartupError(
      `${what} in ${file} is cut off. Delete the file, so that a new one is made, or set ${setting}.`,
    );
  return secret;
}

/**
 * Whether an `Authorization` header contains the token, compared in constant time.
 *
 * @param header - such as `Bearer TOKEN`
 */
export function hasBearerToken(header: string | null | undefined, token: string): boolean {
  const [scheme = '', presented = ''] = (header ?? '').split(' ');
  return scheme.toLowerCase() === 'bearer' && timingSafeEqual(digest(presented), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

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
