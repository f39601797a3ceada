/**
 * The operator's token: from the configuration, or made once and kept beside the store where only its owner can read
 * it.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { keptSecret } from '../kept-secret.ts';

/** Where a made token stands. */
export function operatorTokenFile(storePath: string): string {
  return `${storePath}-operator`;
}

/** The token in the file, made if there is none. @throws StartupError where the file cannot be used */
export function keptOperatorToken(file: string): string {
  return keptSecret(file, "The operator's token", 'RELAY_OPERATOR_TOKEN');
}

/** Whether an `Authorization` header carries the token, in time that does not tell how much of it was right. */
export function isOperator(header: string | null | undefined, token: string): boolean {
  const [scheme = '', given = ''] = (header ?? '').split(' ');
  return scheme.toLowerCase() === 'bearer' && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
