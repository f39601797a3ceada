/**
 * The sync token: the state that both sides of a pair last agreed on, as a text of at most 255 characters in a text
 * field of the contact. Pure.
 *
 * Characters: version 1, publication 3, subscription id 22, address 4, contact id 4, consent 1, reported findings 4,
 * then for each field with something to remember its identity and state (3), the value that both sides last agreed on
 * or that was last written (4) and, where a side shows that value in a form of its own, the form (4), checksum 4.
 * Fields are found by their identity: rows of the mapping can be added, removed and put in another order.
 */
import { usualForm } from './contact-id.ts';

/** The longest text that every CRM's text field keeps (Salesforce and Pipedrive: 255). */
export const tokenLimit = 255;

/** The consent that was last read: unknown, subscribed, or withdrawn on one of the two sides. */
export type ConsentState = 'unknown' | 'subscribed' | 'left_newsletter' | 'opted_out_in_crm';

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

/** One of the two sides. */
export type Side = 'newsletter' | 'crm';

/** The base of one mapped field. */
export interface FieldBase {
  /** 24 bits that stand for the value both sides last agreed on; of a field that goes one way, for the last written. */
  readonly agreed?: number | undefined;
  /** The value was written a second time, because the other side kept showing another one. */
  readonly again?: true | undefined;
  /** The side to which the value was written, and of which nobody has seen what it stores. */
  readonly awaits?: Side | undefined;
  /** What a side shows in place of the value: a form of its own, which was not written. */
  readonly shows?: { readonly side: Side; readonly fingerprint: number } | undefined;
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

const version = '4';
/** The digits of base64url (RFC 4648). */
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** The number of each character code; -1 for every other. */
const numbers = new Int8Array(128).fill(-1);
for (let number = 0; number < digits.length; number += 1) numbers[digits.charCodeAt(number)] = number;

const consents: readonly ConsentState[] = ['unknown', 'subscribed', 'left_newsletter', 'opted_out_in_crm'];
const optOuts: readonly (boolean | undefined)[] = [undefined, false, true];

/** Positions of the parts. */
const idStart = 1 + 3;
const idGroups = 11;
const addressAt = idStart + 2 * idGroups;
const contactAt = addressAt + 4;
const consentAt = contactAt + 4;
const reportedAt = consentAt + 1;
const headLength = reportedAt + 4;
const checksumLength = 4;
/** The states of a field; with {@link wasReported} they fit into four bits. */
const states: readonly Pick<FieldBase, 'again' | 'awaits'>[] = [
  {},
  { again: true },
  { awaits: 'newsletter' },
  { awaits: 'crm' },
];
/** Added to the state for the side whose form follows: the newsletter, the CRM. */
const showing: readonly Side[] = ['newsletter', 'crm'];
const firstShowing = states.length;
const wasReported = 8;
const flagsSize = 16;
/** Stands for the id of a contact that had none yet, and for a value that is not known. */
const nothing = 0;

/** Characters the token of a mapping has without its fields. */
export const fixedLength = headLength + checksumLength;

/** Most characters that a field adds: identity, the value, and the form in which a side shows it. */
export const maxFieldLength = 3 + 4 + 4;
/** Most characters of a field that only goes to the contact. */
export const maxToContactLength = 3 + 4;

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
    number(base.contact ?? nothing, 4) +
    number(consents.indexOf(base.consent) * 3 + optOuts.indexOf(base.optOut), 1) +
    number(base.reported, 4);
  for (const { index, identity } of mapping.fields) {
    const { agreed, shows, ...state } = base.fields[index] ?? {};
    const flags = flagsOf(state, shows?.side);
    if (agreed === undefined && flags === 0) continue;
    text += number(identity * flagsSize + flags, 3) + number(agreed ?? nothing, 4);
    if (shows) text += number(shows.fingerprint, 4);
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
  return isWhole(token) ? readToken(token, mapping) : undefined;
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

/**
 * Stands for what a whole token says of a subscription and of the values that were written: the same once it is known
 * which id the contact has, and what was stored.
 */
export function tokenMark(token: string): string {
  let said = token.slice(0, contactAt) + token.slice(consentAt, headLength);
  const end = token.length - checksumLength;
  for (let at = headLength; at < end; at = entryEnd(token, at))
    said += token.slice(at, at + 2) + token.slice(at + 3, at + 7);
  return token.slice(addressAt - checksumLength, addressAt) + number(checksumOf(said, said.length), checksumLength);
}

/** Whether a whole token was written for the contact with this id; undefined where the contact had none yet. */
export function isTokenOfContact(token: string, id: string): boolean | undefined {
  if (!hasContactId(token)) return undefined;
  const contact = numberAt(token, contactAt, 4);
  return contact === fingerprintOf(id) || contact === contactFingerprint(id);
}

/** Whether a whole token was written for a contact that had an id. */
export const hasContactId = (token: string): boolean => numberAt(token, contactAt, 4) !== nothing;

/** 24 bits that stand for the id of a contact, in whatever form a CRM shows it; never 0. */
export const contactFingerprint = (id: string): number => fingerprintOf(usualForm(id));

const fingerprintOf = (id: string): number => checksumOf(id, id.length) || 1;

/** Whether the address that a whole token remembers has this fingerprint. */
export const isTokenOfAddress = (token: string, address: number): boolean => numberAt(token, addressAt, 4) === address;

/** Whether a whole token belongs to another publication. */
export function isForeign(token: string, { publication }: Pick<TokenLayout, 'publication'>): boolean {
  return numberAt(token, 1, 3) !== publication;
}

/** @param token - a whole one */
export function readToken(token: string, mapping: TokenLayout): Base | undefined {
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
    subscriptionId: decodeId(token),
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
  const agreed = numberAt(token, start + 3, 4) || undefined;
  const side = sideShown(flags);
  return {
    ...(agreed !== undefined && { agreed }),
    ...states[flags % wasReported],
    ...(side && { shows: { side, fingerprint: numberAt(token, start + 7, 4) } }),
    ...(flags & wasReported && { reported: true as const }),
  };
}

const identityAt = (token: string, at: number): number => Math.floor(numberAt(token, at, 3) / flagsSize);

/** The flags of an entry, which stand in its third character. */
const flagsAt = (token: string, at: number): number => numberAt(token, at + 2, 1) % flagsSize;

const sideShown = (flags: number): Side | undefined => showing[(flags % wasReported) - firstShowing];

/** The position after the entry of a field. */
const entryEnd = (token: string, at: number): number => at + (sideShown(flagsAt(token, at)) ? 11 : 7);

function flagsOf({ again, awaits, reported }: FieldBase, shown: Side | undefined): number {
  const state = states.findIndex((each) => each.again === again && each.awaits === awaits);
  return (shown ? firstShowing + showing.indexOf(shown) : state) + (reported ? wasReported : 0);
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
 * Whether a whole token says of a field that both sides agreed on this value, and nothing else.
 *
 * @param agreed - fingerprint of the value; undefined for a field that goes one way
 */
export function isFieldSettled(token: string, identity: number, agreed: number | undefined): boolean {
  const end = token.length - checksumLength;
  let at = headLength;
  while (at < end && identityAt(token, at) !== identity) at = entryEnd(token, at);
  if (at >= end) return agreed === undefined;
  return flagsAt(token, at) === 0 && (agreed === undefined || numberAt(token, at + 3, 4) === agreed);
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
  // Three digits are two characters; of the last two digits the lower bits are zeros.
  return Array.from({ length: idGroups }, (_, group) => number(idBits(id, group), 2)).join('');
}

function decodeId(token: string): string {
  let hexadecimal = '';
  for (let at = idStart; at < addressAt; at += 2) hexadecimal += twelveBits(token, at).toString(16).padStart(3, '0');
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
  for (let at = idStart; at < addressAt; at += 2) key = mixed(key, twelveBits(token, at));
  return key;
}

/** The same number for the id of a subscription. */
export function idKey(id: string): number {
  let key = 0;
  for (let group = 0; group < idGroups; group += 1) key = mixed(key, idBits(id, group));
  return key;
}

/** Whether a whole token is about this subscription. */
export function isTokenOf(token: string, id: string): boolean {
  for (let group = 0; group < idGroups; group += 1)
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
