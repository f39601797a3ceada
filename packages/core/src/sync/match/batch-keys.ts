/**
 * What connects the records of a run: those that share a key, with each other or through others, are planned in one
 * batch. Pure.
 */
import { isRecord } from '../../is-record.ts';
import { addressKey } from '../../signup/address.ts';
import { addressesIn, readPath, textOf } from '../mapping/contact.ts';
import type { ReadyMapping, SyncSubscription } from '../mapping/prepare-mapping.ts';
import { decodeToken, isTokenId } from '../mapping/token.ts';

/**
 * The keys of a contact's record: its id and that of a contact it was merged into, its addresses, and the subscription
 * that its token names.
 */
export function contactKeys(record: unknown, mapping: ReadyMapping): readonly string[] {
  const { id, email, token, furtherAddresses, mergedInto } = mapping.paths;
  const textAt = (path: string | undefined): string => (path === undefined ? '' : textOf(readPath(record, path)));
  const further = furtherAddresses === undefined ? [] : addressesIn(readPath(record, furtherAddresses));
  const linked = decodeToken(readPath(record, token), mapping);
  return [
    ...[textAt(id), textAt(mergedInto)].flatMap((each) => (each === '' ? [] : [`contact ${each}`])),
    ...[textAt(email), ...further].flatMap((each) => (each === '' ? [] : [addressOf(each)])),
    ...(linked ? [subscriptionOf(linked.subscriptionId)] : []),
  ];
}

/**
 * The keys of a subscription, readable or not: its id and its address.
 *
 * @returns undefined where it does not say whose it is: such a record belongs to no batch
 */
export function subscriptionKeys({
  id,
  email,
}: { readonly [Key in 'id' | 'email']?: unknown }): readonly string[] | undefined {
  return typeof id === 'string' && isTokenId(id) && typeof email === 'string'
    ? [subscriptionOf(id), addressOf(email)]
    : undefined;
}

const addressOf = (email: string): string => `address ${addressKey(email)}`;
const subscriptionOf = (id: string): string => `subscription ${id.toLowerCase()}`;

/** The part of a subscription that a run of this mapping reads. */
export function readPart(subscription: SyncSubscription, { fields }: ReadyMapping): SyncSubscription {
  const { id, email, status, created, custom_fields: custom } = subscription;
  const names = new Set(fields.map(({ customField }) => customField));
  const properties = fields.flatMap(({ customField, newsletter }) =>
    customField === undefined ? [[newsletter, subscription[newsletter as keyof SyncSubscription]]] : [],
  );
  return {
    ...(Object.fromEntries(properties) as object),
    id,
    email,
    status,
    created,
    custom_fields: Array.isArray(custom) ? custom.filter((field: unknown) => names.has(nameOf(field))) : custom,
  };
}

const nameOf = (field: unknown): string | undefined =>
  isRecord(field) && typeof field['name'] === 'string' ? field['name'] : undefined;
