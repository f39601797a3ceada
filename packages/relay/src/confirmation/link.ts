/** The link in a confirmation mail: names a signup, and nobody else can make one. It holds no address. Pure. */
import { timingSafeEqual } from 'node:crypto';
import { sign } from '../admission/keys.ts';

/** 128 bits of the signature: no one guesses them, and a link of a hundred characters survives being copied. */
const signatureBytes = 16;

const signature = (key: Buffer, id: string): Buffer => sign(key, [id]).subarray(0, signatureBytes);

/** @param id - of the signup, a UUID */
export function linkToken(key: Buffer, id: string): string {
  return Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), signature(key, id)]).toString('base64url');
}

/** @returns id of the signup; null where it was not made with this key */
export function readLinkToken(key: Buffer, token: string): string | null {
  if (!/^[\w-]{43}$/.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  const hex = bytes.subarray(0, -signatureBytes).toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  // The last character of 43 has two bits to spare: one link, one spelling.
  const isOurs = timingSafeEqual(signature(key, id), bytes.subarray(-signatureBytes));
  return isOurs && bytes.toString('base64url') === token ? id : null;
}
