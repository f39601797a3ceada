/**
 * Prepares the settings of a sync for a run: the present names and kinds of the custom fields, and fingerprints. Pure.
 */
import { customFieldKinds } from '../../contract/values.ts';
import { type Digest, hashText } from '../../hash.ts';
import type { KnownCustomField } from '../../import/custom-fields.ts';
import { isRecord } from '../../is-record.ts';
import { addressKey } from '../../signup/address.ts';
import { type Reading, readValue, type ValueKind } from './canonical-value.ts';
import { contactPaths, type SyncContact } from './contact.ts';
import { checkMapping, MappingError, subscriptionProperties, type SubscriptionProperty } from './mapping.ts';
import type { ConflictRule, Direction, FieldMapping, SituationActions, SyncMapping } from './mapping.ts';
import { optOutText, type UsualOptOut } from './opt-out.ts';
import type { Base } from './token.ts';

/** The part of a subscription that the planner reads. Subscriptions of the API, listed with custom fields, fit. */
export interface SyncSubscription {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  /** Unix seconds. */
  readonly created: number;
  readonly custom_fields?:
    | readonly { readonly name?: string | null | undefined; readonly value?: unknown }[]
    | null
    | undefined;
}

/** A subscription, its contact, and what both last agreed on. */
export interface Pair {
  readonly subscription: SyncSubscription;
  readonly contact: SyncContact;
  /** What {@link decodeToken} read from the contact's token; undefined without one. */
  readonly base: Base | undefined;
}

/** A mapped field, ready to be read on both sides. */
export interface ReadyField {
  readonly index: number;
  /** 14 bits that stand for the field in tokens: the same in whatever row it is. */
  readonly identity: number;
  readonly newsletter: string;
  readonly contact: string;
  readonly direction: Direction;
  readonly conflict: ConflictRule;
  readonly kind: ValueKind;
  readonly separator: string | undefined;
  /** The name by which subscriptions carry the custom field now; undefined for a property of the subscription. */
  readonly customField: string | undefined;
}

/** A mapping that knows the present names and kinds of the custom fields. Made by {@link prepareMapping}. */
export interface ReadyMapping {
  readonly fields: readonly ReadyField[];
  /** Mapped custom fields that the publication no longer has: the contact's path of each. */
  readonly vanished: readonly string[];
  readonly paths: ReturnType<typeof contactPaths>;
  readonly optOut: (UsualOptOut & { readonly contact: string; readonly setOnUnsubscribe: boolean }) | undefined;
  readonly subscribe: NonNullable<SyncMapping['subscribe']>;
  readonly consent: string | undefined;
  readonly situations: Required<{ [Key in keyof SituationActions]: NonNullable<SituationActions[Key]> }>;
  readonly emptyValue: null | '';
  readonly breaker: { readonly share: number; readonly atLeast: number };
  readonly mostWrites: number;
  /** 18 bits that stand for the publication, so that a token of another newsletter is noticed. */
  readonly publication: number;
  /** Where the hashes of this sync start. */
  readonly seed: Digest;
}

/**
 * Looks up the present names and kinds of the mapped custom fields.
 *
 * @param customFields - those of the publication, as `customFields.list` delivers them
 * @param key - seeds the hashes, for example the publication's id; the same in every run, and another for each
 *   newsletter
 * @throws MappingError where the settings are wrong, or name a custom field by its name instead of its id
 */
export function prepareMapping(
  mapping: SyncMapping,
  customFields: readonly KnownCustomField[],
  key: string,
): ReadyMapping {
  checkMapping(mapping);
  const byId = new Map(customFields.map((field) => [field.id, field]));
  const named = mapping.fields.flatMap(({ newsletter }) => {
    const field = byId.has(newsletter) ? undefined : customFields.find(({ display }) => display === newsletter);
    return field ? [`"${newsletter}" is the name of a custom field. Names change: use its id, ${field.id}.`] : [];
  });
  if (named.length > 0) throw new MappingError(named);
  const fields = readyFields(mapping.fields, byId);
  const seed = hashText(key, [3, 3, 3, 3]);
  const { optOut, situations = {}, breaker = {} } = mapping;
  return {
    fields,
    vanished: fields.flatMap(({ customField, newsletter, contact }) =>
      customField !== undefined && !byId.has(newsletter) ? [contact] : [],
    ),
    paths: contactPaths(mapping.contact),
    optOut: optOut && {
      contact: optOut.contact,
      setOnUnsubscribe: optOut.setOnUnsubscribe ?? true,
      ordinary: optOut.notOptedOut?.map(optOutText) ?? null,
    },
    subscribe: mapping.subscribe ?? 'never',
    consent: mapping.consent,
    situations: {
      newSubscription: situations.newSubscription ?? 'create_contact',
      addressChangedInNewsletter: situations.addressChangedInNewsletter ?? 'write',
    },
    emptyValue: mapping.emptyValue ?? null,
    breaker: { share: breaker.share ?? 0.05, atLeast: breaker.atLeast ?? 20 },
    mostWrites: mapping.mostWrites ?? Number.POSITIVE_INFINITY,
    publication: seed[0] & 0x3ffff,
    seed,
  };
}

const isKind = (kind: string | undefined): kind is ValueKind => customFieldKinds.some((known) => known === kind);

/**
 * Reads the kinds of the fields, and numbers the fields by what they are, so that their bases are found in whatever row
 * they stand. The kind is part of it: another kind has other canonical texts. Where two would have one number, the
 * later takes the next free one.
 */
function readyFields(
  fields: readonly FieldMapping[],
  byId: ReadonlyMap<string, KnownCustomField>,
): readonly ReadyField[] {
  const taken = new Set<number>();
  return fields.map(({ newsletter, contact, direction, conflict = 'review', separator }, index) => {
    const isProperty = Object.hasOwn(subscriptionProperties, newsletter);
    const { kind: stated, display = '' } = byId.get(newsletter) ?? {};
    // A kind this version does not know is kept as text.
    const known = isKind(stated) ? stated : 'string';
    const kind = isProperty ? subscriptionProperties[newsletter as SubscriptionProperty] : known;
    let identity = hashText([newsletter, contact, direction, kind].join('\n'), [4, 4, 4, 4])[0] & identityBits;
    while (taken.has(identity)) identity = (identity + 1) & identityBits;
    taken.add(identity);
    const customField = isProperty ? undefined : display;
    return { index, identity, newsletter, contact, direction, conflict, kind, separator, customField };
  });
}

const identityBits = 0x3fff;

/** Reads the subscription's value of a field. */
export function readSubscription(field: ReadyField, subscription: SyncSubscription): Reading {
  return readValue(field.kind, subscriptionValue(field, subscription));
}

/** The subscription's value of a field as it came; undefined where it was not delivered, null where it is empty. */
export function subscriptionValue({ customField, newsletter }: ReadyField, subscription: SyncSubscription): unknown {
  if (customField === undefined) return (subscription as unknown as Readonly<Record<string, unknown>>)[newsletter];
  const custom: unknown = subscription.custom_fields;
  // Not asked for, in a form that nobody knows, or the publication has no such field any more.
  if (!Array.isArray(custom) || customField === '') return undefined;
  for (const each of custom as unknown[])
    if (isRecord(each) && each['name'] === customField) return each['value'] ?? null;
  return null;
}

/** Reads the contact's value of a field. */
export function readContact({ kind, contact: path, separator }: ReadyField, { values }: SyncContact): Reading {
  return readValue(kind, values[path], separator);
}

/** Whether the service has erased the person: the address is under `.invalid`, which never exists (RFC 2606). */
export function isErased({ email }: Pick<SyncSubscription, 'email'>): boolean {
  return /\.invalid$/i.test(email.trim());
}

/** 48 bits that stand for an address or another text in the state of a sync, the same for all spellings of it. */
export function stateFingerprint({ seed }: Pick<ReadyMapping, 'seed'>, text: string): number {
  const [low, high] = hashText(addressKey(text), seed);
  return (high & 0xffff) * 0x1_0000_0000 + (low >>> 0);
}

/** 24 bits that stand for an address in its token, the same for all spellings of it. */
export function addressFingerprint(mapping: Pick<ReadyMapping, 'seed'>, email: string): number {
  return keyFingerprint(mapping, addressKey(email));
}

/** The same 24 bits for the key of an address. */
export function keyFingerprint({ seed }: Pick<ReadyMapping, 'seed'>, key: string): number {
  return hashText(key, seed)[0] & 0xffffff;
}

/** 24 bits that stand for a canonical value. */
export function valueFingerprint({ seed }: Pick<ReadyMapping, 'seed'>, text: string): number {
  return hashText(text, seed)[2] & 0xffffff;
}
