/**
 * The sync token: the state that both sides of a pair last agreed on, as a text of at most 255 characters in a text
 * field of the contact. Pure.
 *
 * Characters: version 1, mapping signature 3, subscription id 22, address 8, consent 1, reported findings 4, flags of
 * two fields each 1, then per field the value both sides last agreed on (4) and, while a write awaits its echo, what
 * was written to a side and how often (4 + 1), checksum 4.
 */
import { hashText } from '../hash.ts';

/** The longest text that every CRM's text field keeps (Salesforce and Pipedrive: 255). */
export const tokenLimit = 255;

/** The consent that was last read: unknown, subscribed, or withdrawn on one of the two sides. */
export type ConsentState = 'unknown' | 'subscribed' | 'left_newsletter' | 'opted_out_in_crm';

/** A value that was written to a side whose echo is awaited. */
export interface AwaitedWrite {
  /** 24 bits that stand for the value. */
  readonly fingerprint: number;
  /** How often the value was written, 1 or more. */
  readonly count: number;
}

/** The part of a prepared mapping that decides the layout of a token. */
export interface TokenLayout {
  /** 18 bits that stand for the mapped fields. */
  readonly signature: number;
  readonly fields: readonly { readonly index: number }[];
}

/** The base of one mapped field. */
export interface FieldBase {
  /** 24 bits that stand for the value both sides last agreed on. Only kept for fields that go both ways. */
  readonly agreed?: number | undefined;
  readonly toSubscription?: AwaitedWrite | undefined;
  readonly toContact?: AwaitedWrite | undefined;
}

/** The state that both sides of a pair last agreed on. */
export interface Base {
  readonly subscriptionId: string;
  /** 48 bits that stand for the address. */
  readonly address: number;
  readonly consent: ConsentState;
  /** The contact's opt-out as it was last seen; undefined where it never was. */
  readonly optOut: boolean | undefined;
  /** By the mapping's fields; empty where the token was made for other fields. */
  readonly fields: readonly FieldBase[];
  /** A bit per finding that was reported already. */
  readonly reported: number;
}

const version = '1';
/** The digits of base64url (RFC 4648). */
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** The number of each character code; -1 for every other. */
const numbers = new Int8Array(128).fill(-1);
for (let number = 0; number < digits.length; number += 1) numbers[digits.charCodeAt(number)] = number;

const consents: readonly ConsentState[] = ['unknown', 'subscribed', 'left_newsletter', 'opted_out_in_crm'];
const optOuts: readonly (boolean | undefined)[] = [undefined, false, true];

const headLength = 1 + 3 + 22 + 8 + 1 + 4;
const checksumLength = 4;
/** Flags of a field in three bits. */
const hasAgreed = 1;
const awaitsSubscription = 2;
const awaitsContact = 4;
const largestCount = 63;

/** Characters the token of a mapping has without its fields. */
export function fixedLength(fields: number): number {
  return headLength + Math.ceil(fields / 2) + checksumLength;
}

/** Most characters a two-way field adds: the agreed value, and a write to each side whose echo is awaited. */
export const maxTwoWayLength = 14;
/** Most characters of a field that goes one way: a write whose echo is awaited. */
export const maxOneWayLength = 5;

/**
 * Writes a base as a token.
 *
 * @returns at most 255 characters of base64url
 * @throws RangeError where the subscription's id is no `sub_<uuid>`, or the base would not fit
 */
export function encodeToken(base: Base, mapping: TokenLayout): string {
  const fields = mapping.fields.map(({ index }): FieldBase => base.fields[index] ?? {});
  let text =
    version +
    number(mapping.signature, 3) +
    encodeId(base.subscriptionId) +
    number(base.address, 8) +
    number(consents.indexOf(base.consent) * 3 + optOuts.indexOf(base.optOut), 1) +
    number(base.reported, 4);
  for (let index = 0; index < fields.length; index += 2)
    text += number(flagsOf(fields[index]) | (flagsOf(fields[index + 1]) << 3), 1);
  for (const { agreed, toSubscription, toContact } of fields) {
    if (agreed !== undefined) text += number(agreed, 4);
    for (const awaited of [toSubscription, toContact])
      if (awaited) text += number(awaited.fingerprint, 4) + number(Math.min(awaited.count, largestCount), 1);
  }
  if (text.length + checksumLength > tokenLimit)
    throw new RangeError(`The token has more than ${tokenLimit} characters: map fewer fields.`);
  return text + checksum(text);
}

/**
 * Reads a token.
 *
 * @returns undefined for anything but a whole token of this version. A token of other fields keeps its consent, but not
 *   what its fields showed.
 */
export function decodeToken(token: unknown, mapping: TokenLayout): Base | undefined {
  return isWhole(token) ? readToken(token, mapping, decodeId(token)) : undefined;
}

/** Whether this is a complete, unchanged token of this version. */
export function isWhole(token: unknown): token is string {
  if (typeof token !== 'string' || token[0] !== version || token.length < headLength + checksumLength) return false;
  return token.endsWith(checksum(token.slice(0, -checksumLength)));
}

/** @param token - a whole one */
export function readToken(token: string, mapping: TokenLayout, subscriptionId: string): Base | undefined {
  let at = 1;
  const next = (length: number): number => {
    let value = 0;
    for (const to = at + length; at < to; at += 1) value = value * 64 + (numbers[token.charCodeAt(at)] ?? -1);
    return value;
  };
  const signature = next(3);
  at += 22;
  const address = next(8);
  const said = next(1);
  const consent = consents[Math.floor(said / 3)];
  const reported = next(4);
  if (consent === undefined) return undefined;
  const optOut = optOuts[said % 3];
  if (signature !== mapping.signature) return { subscriptionId, address, consent, optOut, fields: [], reported };
  const flagsAt = at;
  at += Math.ceil(mapping.fields.length / 2);
  const awaited = (): AwaitedWrite => ({ fingerprint: next(4), count: next(1) });
  const fields = mapping.fields.map((_, index): FieldBase => {
    const flags = (numbers[token.charCodeAt(flagsAt + (index >> 1))] ?? 0) >> (index % 2 === 0 ? 0 : 3);
    return {
      agreed: flags & hasAgreed ? next(4) : undefined,
      toSubscription: flags & awaitsSubscription ? awaited() : undefined,
      toContact: flags & awaitsContact ? awaited() : undefined,
    };
  });
  return at === token.length - checksumLength
    ? { subscriptionId, address, consent, optOut, fields, reported }
    : undefined;
}

function flagsOf(field: FieldBase | undefined): number {
  return (
    (field?.agreed === undefined ? 0 : hasAgreed) |
    (field?.toSubscription ? awaitsSubscription : 0) |
    (field?.toContact ? awaitsContact : 0)
  );
}

/** A whole number as characters, six bits each. */
function number(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let at = 0; at < length; at += 1) {
    text = (digits[rest % 64] ?? '') + text;
    rest = Math.floor(rest / 64);
  }
  return text;
}

const idForm = /^sub_([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/i;
/** Whether a subscription's id has the form that a token can hold. */
export function isTokenId(id: string): boolean {
  return idForm.test(id);
}

/** Position of the id in a token. */
const idStart = 4;

/** The 128 bits of `sub_<uuid>` (specification, Conventions). */
function encodeId(id: string): string {
  const parts = idForm.exec(id);
  if (!parts) throw new RangeError('The id of the subscription is no "sub_" and a UUID.');
  const hexadecimal = parts.slice(1).join('');
  let text = '';
  // Three digits are two characters; of the last two digits the lower bits are zeros.
  for (let at = 0; at < 32; at += 3)
    text += number(Number.parseInt(hexadecimal.slice(at, at + 3).padEnd(3, '0'), 16), 2);
  return text;
}

function decodeId(token: string): string {
  let hexadecimal = '';
  for (let at = idStart; at < idStart + 22; at += 2) hexadecimal += twelveBits(token, at).toString(16).padStart(3, '0');
  const part = (from: number, to: number): string => hexadecimal.slice(from, to);
  return `sub_${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`;
}

/** The number of two characters of a token. */
function twelveBits(token: string, at: number): number {
  return (numbers[token.charCodeAt(at)] ?? 0) * 64 + (numbers[token.charCodeAt(at + 1)] ?? 0);
}

/** A number for the id in a whole token, to find the tokens that may be a subscription's without a text for each. */
export function tokenKey(token: string): number {
  let key = 0;
  for (let at = idStart; at < idStart + 22; at += 2) key = mixed(key, twelveBits(token, at));
  return key;
}

/** The same number for the id of a subscription. */
export function idKey(id: string): number {
  let key = 0;
  for (let group = 0; group < 11; group += 1) key = mixed(key, idBits(id, group));
  return key;
}

/** Whether a whole token is about this subscription. */
export function isTokenOf(token: string, id: string): boolean {
  for (let group = 0; group < 11; group += 1)
    if (idBits(id, group) !== twelveBits(token, idStart + group * 2)) return false;
  return true;
}

function mixed(key: number, bits: number): number {
  return (Math.imul(key ^ (key >>> 15), 0x2c1b3c6d) + bits) | 0;
}

/** Where each digit of a `sub_<uuid>` stands; beyond its end stand zeros, as in a token. */
const digitPositions = Uint8Array.from(
  Array.from(
    { length: 33 },
    (_, digit) => idStart + digit + (digit < 8 ? 0 : digit < 20 ? Math.floor(digit / 4) - 1 : 4),
  ),
);

/** Three hexadecimal digits of an id as a number. */
function idBits(id: string, group: number): number {
  let bits = 0;
  for (let digit = group * 3; digit < group * 3 + 3; digit += 1)
    bits = bits * 16 + (digit < 32 ? (hexadecimalDigits[id.charCodeAt(digitPositions[digit] ?? 0)] ?? -1) : 0);
  return bits;
}

/** The value of each hexadecimal digit, by its character code. */
const hexadecimalDigits = new Int8Array(128).fill(-1);
for (const [value, digit] of [
  '0',
  '1',
  '2',
  '3',
  '4',
  '5',
  '6',
  '7',
  '8',
  '9',
  'a',
  'b',
  'c',
  'd',
  'e',
  'f',
].entries()) {
  hexadecimalDigits[digit.charCodeAt(0)] = value;
  hexadecimalDigits[digit.toUpperCase().charCodeAt(0)] = value;
}

function checksum(text: string): string {
  return number(hashText(text, [5, 5, 5, 5])[0] & 0xffffff, checksumLength);
}
