/** The operator's token: from the configuration, or made once and kept beside the store where only its owner can read it. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { StartupError } from '../startup-error.ts';

/** Where a made token stands. */
export function operatorTokenFile(storePath: string): string {
  return `${storePath}-operator`;
}

/**
 * The token in the file, made if there is none.
 *
 * @throws StartupError where the file cannot be read or written
 */
export function keptOperatorToken(file: string): string {
  try {
    if (!existsSync(file)) writeFileSync(file, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new StartupError(`The operator's token could not be kept in ${file}. Set RELAY_OPERATOR_TOKEN, or make the folder writable.`, { cause });
  }
}

/** Whether an `Authorization` header carries the token, in time that does not tell how much of it was right. */
export function isOperator(header: string | null | undefined, token: string): boolean {
  const [scheme = '', given = ''] = (header ?? '').split(' ');
  return scheme.toLowerCase() === 'bearer' && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
