/** Fields of the records that operations return: derived from the contract, with the choices of this package. */
import { answerRecords, operation, type AnswerRecord } from '@newsletter-kit/core/contract';

/** Which fields a record has, and how each form of Output treats them. */
export interface RecordShape {
  /** Fields of the simplified form, in its order. */
  readonly simple: readonly string[];
  /** Every other field of the record. */
  readonly others: readonly string[];
  /** Fields that report the result of the operation; every form keeps them. */
  readonly outcome?: readonly string[];
  /** Fields that hold seconds since the Unix epoch. */
  readonly times: readonly string[];
}

/** An operation that answers a record, or a list of them. */
export type RecordId = keyof typeof answerRecords;

/** Resources whose records can be listed and read one by one. */
export const readResources: readonly string[] = Object.keys(answerRecords).flatMap((id) =>
  id.endsWith('.get') ? [id.slice(0, -'.get'.length)] : [],
);

/** Differences between the simplified form and the record of the specification. */
export interface ShapeChoice {
  /** Fields to put first. */
  readonly first?: readonly string[];
  /** Fields to leave out of the simplified form. */
  readonly others?: readonly string[];
}

/** Fields of the simplified form at most, besides those that the parameter Include adds. */
const mostSimple = 10;

/**
 * The shape of the record that an operation answers. Without `others`, the simplified form keeps the first ten fields
 * and those that `expand` adds.
 */
export function shapeOf(id: RecordId, { first = [], others }: ShapeChoice = {}): RecordShape {
  const { fields, times }: AnswerRecord = answerRecords[id];
  const expandable: readonly string[] = operation(id).expand;
  const ordered = [...new Set([...first, ...fields])];
  const hidden = others ?? ordered.filter((name) => !expandable.includes(name)).slice(mostSimple);
  return { simple: ordered.filter((name) => !hidden.includes(name)), others: hidden, times };
}

export const subscription = shapeOf('subscriptions.list', {
  first: [
    'id',
    'email',
    'status',
    'created',
    'subscription_tier',
    'utm_source',
    'utm_medium',
    'utm_campaign',
    'referring_site',
    'referral_code',
    'custom_fields',
    'newsletter_list_ids',
    'referrals',
    'stats',
  ],
  others: ['subscription_premium_tier_names', 'utm_channel', 'utm_content', 'utm_term'],
});

/** A subscription after an update. */
export const updatedSubscription: RecordShape = {
  ...subscription,
  outcome: ['ignored_fields', 'subscription_update_id', 'subscription_update_status'],
};

/** A subscription after Create or Update: `created` tells which of the two, the time is `created_at`. */
export const upsertedSubscription: RecordShape = {
  simple: subscription.simple.map((name) => (name === 'created' ? 'created_at' : name)),
  others: subscription.others,
  outcome: ['created', 'ignored_fields', 'stays_inactive'],
  times: ['created_at'],
};
