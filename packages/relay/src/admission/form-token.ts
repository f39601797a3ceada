/** Signed form tokens: each proves when, for which form and for which website it was issued. Pure. */
import { timingSafeEqual } from 'node:crypto';
import { sign } from '../secrets.ts';

/** Minimum age of a token, in milliseconds: people type for longer, bots post at once. */
export const tokenMinAgeMs = 2000;

/** Lifetime of a token, in milliseconds: two hours. */
export const tokenLifetimeMs = 7_200_000;

/** A token with a valid signature. */
export interface FormToken {
  /** Unique among all tokens. */
  readonly nonce: string;
  /** Origin of the website it was issued for. */
  readonly origin: string;
  readonly issuedAt: number;
}

/** Issues a token. @param nonce - at least 72 random bits in base64url */
export function makeToken(key: Buffer, form: string, origin: string, issuedAt: number, nonce: string): string {
  return `${issuedAt.toString(36)}.${nonce}.${sign(key, [form, origin, issuedAt, nonce]).toString('base64url')}`;
}

/**
 * Verifies the signature of a token; {@link tokenAge} judges its age.
 *
 * @param origins - the origins it may have been issued for
 * @returns null where the signature is wrong, or of another form or origin
 */
export function readToken(key: Buffer, form: string, origins: Iterable<string>, token: string): FormToken | null {
  const [, time = '', nonce = '', signature = ''] = /^([0-9a-z]{1,10})\.([\w-]{12,32})\.([\w-]{43})$/.exec(token) ?? [];
  if (nonce === '') return null;
  const issuedAt = Number.parseInt(time, 36);
  const bytes = Buffer.from(signature, 'base64url');
  for (const origin of origins) {
    if (timingSafeEqual(sign(key, [form, origin, issuedAt, nonce]), bytes)) return { nonce, origin, issuedAt };
  }
  return null;
}

/** Whether a token is below its minimum age, valid, or unusable: expired, or issued in the future. */
export function tokenAge({ issuedAt }: FormToken, now: number): 'young' | 'valid' | 'unusable' {
  const age = now - issuedAt;
  if (age < 0 || age >= tokenLifetimeMs) return 'unusable';
  return age < tokenMinAgeMs ? 'young' : 'valid';
}
