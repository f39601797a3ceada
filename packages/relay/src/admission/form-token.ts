/**
 * Signed form tokens: they tell when a form was asked for, for which form and which site, and nobody else can make one.
 * Pure.
 */
import { timingSafeEqual } from 'node:crypto';
import { sign } from './keys.ts';

/** How long a token wants to age before it is good, in milliseconds: people type for longer, robots do not wait. */
export const tokenRipensMs = 2000;

/** How long a token is good, in milliseconds: two hours. */
export const tokenLastsMs = 7_200_000;

/** A token whose signature holds. */
export interface ReadToken {
  /** Its name among all tokens. */
  readonly nonce: string;
  /** Of the site it was made for. */
  readonly origin: string;
  readonly issuedAt: number;
}

/** Makes a token. @param nonce - at least 72 random bits in base64url */
export function makeToken(key: Buffer, form: string, origin: string, issuedAt: number, nonce: string): string {
  return `${issuedAt.toString(36)}.${nonce}.${sign(key, [form, origin, issuedAt, nonce]).toString('base64url')}`;
}

/**
 * Reads a token, of any age: what its age means is the caller's to say.
 *
 * @param origins - for which it may have been made
 * @returns null where it was made for another form or origin, or by somebody else
 */
export function readToken(key: Buffer, form: string, origins: Iterable<string>, token: string): ReadToken | null {
  const [, time = '', nonce = '', signature = ''] = /^([0-9a-z]{1,10})\.([\w-]{12,32})\.([\w-]{43})$/.exec(token) ?? [];
  if (nonce === '') return null;
  const issuedAt = Number.parseInt(time, 36);
  const given = Buffer.from(signature, 'base64url');
  for (const origin of origins) {
    if (timingSafeEqual(sign(key, [form, origin, issuedAt, nonce]), given)) return { nonce, origin, issuedAt };
  }
  return null;
}
