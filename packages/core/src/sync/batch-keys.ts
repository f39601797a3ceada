/**
 * What connects the records of a run: those that share a key, with each other or through others, are planned in one
 * batch. Pure.
 */
import { isRecord } from '../is-record.ts';
import { addressKey } from '../signup/address.ts';
import { readPath } from './contact.ts';
import { textOf } from './contact-index.ts';
import type { ReadyMapping, SyncSubscription } from './prepare-mapping.ts';
import { decodeToken, isTokenId } from './token.ts';

/** The keys of a contact's record: its id, its address, and the subscription that its token names. */
export function contactKeys(record: unknown, mapping: ReadyMapping): readonly string[] {
  const { paths } = mapping;
  const [id, email] = [textOf(readPath(record, paths.id)), textOf(readPath(record, paths.email))];
  const linked = decodeToken(readPath(record, paths.token), mapping);
  return [
    ...(id === '' ? [] : [`contact ${id}`]),
    ...(email === '' ? [] : [addressOf(email)]),
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
