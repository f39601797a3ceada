/**
 * The sync token: the state that both sides of a pair last agreed on, as a text of at most 255 characters in a text
 * field of the contact. Pure.
 *
 * Characters: version 1, publication 3, subscription id 22, address 4, contact id 4, consent 1, reported findings 4,
 * then for each field with something to remember its identity and flags (3), the value both sides last agreed on (4)
 * and, for each side whose echo is awaited, what was written and how often (4 + 1; 0 for another form that the side
 * shows), checksum 4. Fields are found by their identity: rows of the mapping can be added, removed and put in another
 * order.
 */
import { usualForm } from './contact-id.ts';

/** The longest text that every CRM's text field keeps (Salesforce and Pipedrive: 255). */
export const tokenLimit = 255;

/** The consent that was last read: unknown, subscribed, or withdrawn on one of the two sides. */
export type ConsentState = 'unknown' | 'subscribed' | 'left_newsletter' | 'opted_out_in_crm';

/** A value that was written to a side whose echo is awaited. */
export interface AwaitedWrite {
  /** 24 bits that stand for the value. */
  readonly fingerprint: number;
  /** How often the value was written. */
  readonly count: number;
  readonly isForm?: undefined;
}

/** A form of its own that a side shows in place of the agreed value. It was not written. */
export interface ShownForm {
  /** 24 bits that stand for the value. */
  readonly fingerprint: number;
  readonly isForm: true;
  readonly count?: undefined;
}

/** Stands for a form that a side did not deliver yet: what it shows first is it. */
export const unseenForm = 0;

/** The part of a prepared mapping that decides the layout of a token. */
export interface TokenLayout {
  /** 18 bits that stand for the publication. */
  readonly publication: number;
  readonly fields: readonly {
    readonly index: number;
    /** 14 bits that stand for the field, whatever row it is in. */
    readonly identity: number;
  }[];
}

/** The base of one mapped field. */
export interface FieldBase {
  /** 24 bits that stand for the value both sides last agreed on. Only kept for fields that go both ways. */
  readonly agreed?: number | undefined;
  readonly toSubscription?: AwaitedWrite | ShownForm | undefined;
  readonly toContact?: AwaitedWrite | ShownForm | undefined;
  /** Whether a finding about the field was reported already. */
  readonly reported?: true | undefined;
}

/** The state that both sides of a pair last agreed on. */
export interface Base {
  readonly subscriptionId: string;
  /** 24 bits that stand for the address. */
  readonly address: number;
  /** 24 bits that stand for the contact's own id; undefined where the token was written before the contact had one. */
  readonly contact: number | undefined;
  readonly consent: ConsentState;
  /** The contact's opt-out as it was last seen; undefined where it never was. */
  readonly optOut: boolean | undefined;
  /** By the mapping's fields; without entries for those with nothing to remember. */
  readonly fields: readonly (FieldBase | undefined)[];
  /** A bit per finding that was reported already. */
  readonly reported: number;
}

const version = '3';
/** The digits of base64url (RFC 4648). */
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** The number of each character code; -1 for every other. */
const numbers = new Int8Array(128).fill(-1);
for (let number = 0; number < digits.length; number += 1) numbers[digits.charCodeAt(number)] = number;

const consents: readonly ConsentState[] = ['unknown', 'subscribed', 'left_newsletter', 'opted_out_in_crm'];
const optOuts: readonly (boolean | undefined)[] = [undefined, false, true];

/** Positions of the parts. */
const idStart = 1 + 3;
const addressAt = idStart + 22;
const contactAt = addressAt + 4;
const consentAt = contactAt + 4;
const reportedAt = consentAt + 1;
const headLength = reportedAt + 4;
const checksumLength = 4;
/** Flags of a field in four bits. */
const hasAgreed = 1;
const awaitsSubscription = 2;
const awaitsContact = 4;
const wasReported = 8;
const flagsSize = 16;
const largestCount = 63;
/** Stands for the id of a contact that had none yet. */
const noContact = 0;

/** Characters the token of a mapping has without its fields. */
export const fixedLength = headLength + checksumLength;

/** Most characters a two-way field adds: identity, the agreed value, and a write to each side whose echo is awaited. */
export const maxTwoWayLength = 3 + 4 + 5 + 5;
/** Most characters of a field that goes one way: identity, and a write whose echo is awaited. */
export const maxOneWayLength = 3 + 5;

/**
 * Writes a base as a token.
 *
 * @returns at most 255 characters of base64url
 * @throws RangeError where the subscription's id is no `sub_<uuid>`, or the base would not fit
 */
export function encodeToken(base: Base, mapping: TokenLayout): string {
  let text =
    version +
    number(mapping.publication, 3) +
    encodeId(base.subscriptionId) +
    number(base.address, 4) +
    number(base.contact ?? noContact, 4) +
    number(consents.indexOf(base.consent) * 3 + optOuts.indexOf(base.optOut), 1) +
    number(base.reported, 4);
  for (const { index, identity } of mapping.fields) {
    const field = base.fields[index];
    const flags = flagsOf(field);
    if (!field || flags === 0) continue;
    text += number(identity * flagsSize + flags, 3);
    if (field.agreed !== undefined) text += number(field.agreed, 4);
    for (const awaited of [field.toSubscription, field.toContact])
      if (awaited)
        text += number(awaited.fingerprint, 4) + number(awaited.isForm ? 0 : Math.min(awaited.count, largestCount), 1);
  }
  if (text.length + checksumLength > tokenLimit)
    throw new RangeError(`The token has more than ${tokenLimit} characters: map fewer fields.`);
  return text + number(checksumOf(text, text.length), checksumLength);
}

/**
 * Reads a token.
 *
 * @returns undefined for anything but a whole token of this version and publication
 */
export function decodeToken(token: unknown, mapping: TokenLayout): Base | undefined {
  return isWhole(token) ? readToken(token, mapping, decodeId(token)) : undefined;
}

/** Whether this is a complete, unchanged token of this version. */
export function isWhole(token: unknown): token is string {
  if (typeof token !== 'string' || token[0] !== version || token.length < headLength + checksumLength) return false;
  const end = token.length - checksumLength;
  const sum = checksumOf(token, end);
  // Compared digit by digit: a run checks the token of every contact.
  for (let at = 0; at < checksumLength; at += 1)
    if (token.charCodeAt(end + at) !== digits.charCodeAt((sum >> (18 - 6 * at)) & 63)) return false;
  return true;
}

/** The end of a token, which hardly another one has: part of what it says, and the checksum. */
export const tokenEnd = (token: string): string => token.slice(-2 * checksumLength);

/** Whether a whole token was written for the contact with this id; undefined where the contact had none yet. */
export function isTokenOfContact(token: string, id: string): boolean | undefined {
  if (!hasContactId(token)) return undefined;
  const contact = numberAt(token, contactAt, 4);
  return contact === fingerprintOf(id) || contact === contactFingerprint(id);
}

/** Whether a whole token was written for a contact that had an id. */
export const hasContactId = (token: string): boolean => numberAt(token, contactAt, 4) !== noContact;

/** A whole token of a contact that had no id yet, with its id. */
export function withContactId(token: string, id: string): string {
  const text = token.slice(0, contactAt) + number(contactFingerprint(id), 4) + token.slice(consentAt, -checksumLength);
  return text + number(checksumOf(text, text.length), checksumLength);
}

/** 24 bits that stand for the id of a contact, in whatever form a CRM shows it; never {@link noContact}. */
export const contactFingerprint = (id: string): number => fingerprintOf(usualForm(id));

const fingerprintOf = (id: string): number => checksumOf(id, id.length) || 1;

/** Whether the address that a whole token remembers has this fingerprint. */
export const isTokenOfAddress = (token: string, address: number): boolean => numberAt(token, addressAt, 4) === address;

/** Whether a whole token belongs to another publication. */
export function isForeign(token: string, { publication }: Pick<TokenLayout, 'publication'>): boolean {
  return numberAt(token, 1, 3) !== publication;
}

/** @param token - a whole one */
export function readToken(token: string, mapping: TokenLayout, subscriptionId: string): Base | undefined {
  if (isForeign(token, mapping)) return undefined;
  const said = numberAt(token, consentAt, 1);
  const consent = consents[Math.floor(said / 3)];
  if (consent === undefined) return undefined;
  const entries = new Map<number, FieldBase>();
  const end = token.length - checksumLength;
  let at = headLength;
  for (; at < end; at = entryEnd(token, at)) entries.set(identityAt(token, at), readField(token, at));
  if (at !== end) return undefined;
  return {
    subscriptionId,
    address: numberAt(token, addressAt, 4),
    contact: hasContactId(token) ? numberAt(token, contactAt, 4) : undefined,
    consent,
    optOut: optOuts[said % 3],
    fields: mapping.fields.map(({ identity }) => entries.get(identity)),
    reported: numberAt(token, reportedAt, 4),
  };
}

function readField(token: string, start: number): FieldBase {
  const flags = flagsAt(token, start);
  let at = start + 3;
  const next = (length: number): number => numberAt(token, (at += length) - length, length);
  const awaited = (): AwaitedWrite | ShownForm => {
    const [fingerprint, count] = [next(4), next(1)];
    return count === 0 ? { fingerprint, isForm: true } : { fingerprint, count };
  };
  return {
    ...(flags & hasAgreed && { agreed: next(4) }),
    ...(flags & awaitsSubscription && { toSubscription: awaited() }),
    ...(flags & awaitsContact && { toContact: awaited() }),
    ...(flags & wasReported && { reported: true as const }),
  };
}

const identityAt = (token: string, at: number): number => Math.floor(numberAt(token, at, 3) / flagsSize);

/** The flags of an entry, which stand in its third character. */
const flagsAt = (token: string, at: number): number => numberAt(token, at + 2, 1) % flagsSize;

/** The position after the entry of a field. */
function entryEnd(token: string, at: number): number {
  const flags = flagsAt(token, at);
  return at + 3 + (flags & hasAgreed ? 4 : 0) + (flags & awaitsSubscription ? 5 : 0) + (flags & awaitsContact ? 5 : 0);
}

function flagsOf(field: FieldBase | undefined): number {
  return (
    (field?.agreed === undefined ? 0 : hasAgreed) |
    (field?.toSubscription ? awaitsSubscription : 0) |
    (field?.toContact ? awaitsContact : 0) |
    (field?.reported ? wasReported : 0)
  );
}

/**
 * Whether the head of a whole token says the same as a pair without findings shows. Reads no more than it needs: most
 * pairs of a run are at rest.
 *
 * @param optOut - undefined where the contact did not deliver it
 */
export function isHeadSettled(token: string, address: number, hasLeft: boolean, optOut: boolean | undefined): boolean {
  const said = numberAt(token, consentAt, 1);
  const consent = consents[Math.floor(said / 3)];
  return (
    numberAt(token, reportedAt, 4) === 0 &&
    numberAt(token, addressAt, 4) === address &&
    (hasLeft ? consent === 'left_newsletter' || consent === 'opted_out_in_crm' : consent === 'subscribed') &&
    (optOut === undefined || optOuts[said % 3] === optOut)
  );
}

/**
 * Whether a whole token says of a field that both sides agreed on this value, and at most awaits the echo of a write.
 *
 * @param agreed - fingerprint of the value; undefined for a field that goes one way
 */
export function isFieldSettled(token: string, identity: number, agreed: number | undefined): boolean {
  const end = token.length - checksumLength;
  let at = headLength;
  while (at < end && identityAt(token, at) !== identity) at = entryEnd(token, at);
  if (at >= end) return agreed === undefined;
  const flags = flagsAt(token, at);
  if (flags & wasReported || (flags & hasAgreed ? numberAt(token, at + 3, 4) : undefined) !== agreed) return false;
  // The count stands at the end of each write.
  const last = entryEnd(token, at) - 1;
  const writes =
    flags & awaitsSubscription && flags & awaitsContact ? 2 : flags & (awaitsSubscription | awaitsContact) ? 1 : 0;
  return (writes < 1 || numberAt(token, last, 1) === 1) && (writes < 2 || numberAt(token, last - 5, 1) === 1);
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

/** The whole number of these characters. */
function numberAt(token: string, at: number, length: number): number {
  let value = 0;
  for (let index = at; index < at + length; index += 1) value = value * 64 + (numbers[token.charCodeAt(index)] ?? -1);
  return value;
}

const idForm = /^sub_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a subscription's id has the form that a token can hold. */
export function isTokenId(id: string): boolean {
  return idForm.test(id);
}

/** The 128 bits of `sub_<uuid>` (specification, Conventions). */
function encodeId(id: string): string {
  if (!isTokenId(id)) throw new RangeError('The id of the subscription is no "sub_" and a UUID.');
  const hexadecimal = id.slice('sub_'.length).replaceAll('-', '');
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
for (let value = 0; value < 16; value += 1)
  for (const digit of [value.toString(16), value.toString(16).toUpperCase()])
    hexadecimalDigits[digit.charCodeAt(0)] = value;

/** 24 bits that stand for the characters before `end`: FNV-1a, which takes a tenth of the time of a hash. */
function checksumOf(text: string, end: number): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < end; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return (sum ^ (sum >>> 24)) & 0xffffff;
}
