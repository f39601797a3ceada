/** A changed field: what is done, and why. Pure. */
import type { FieldValue } from '../mapping/canonical-value.ts';
import type { Side } from '../mapping/token.ts';

/** What is done to a person's record, in the order in which a plan lists it: what cannot be taken back comes first. */
export const changeKinds = {
  unsubscribe: 'Unsubscribe',
  opt_out: 'Set opt-out',
  remove: 'Mark as removed',
  update: 'Change',
  create_subscription: 'Subscribe',
  create_contact: 'Create contact',
} as const;

export type ChangeKind = keyof typeof changeKinds;

/** Why a field is changed. */
export const changeReasons = {
  opted_out_in_crm: 'Opted out in the CRM',
  opted_out_elsewhere: 'Opted out in another contact of the person',
  left_newsletter: 'Left the newsletter',
  changed_in_newsletter: 'Changed in the newsletter',
  changed_in_crm: 'Changed in the CRM',
  from_newsletter: 'Comes from the newsletter',
  from_crm: 'Comes from the CRM',
  only_in_newsletter: 'Empty in the CRM',
  only_in_crm: 'Empty in the newsletter',
  newsletter_wins: 'Different on both sides; the newsletter wins',
  crm_wins: 'Different on both sides; the CRM wins',
  subscription_missing: 'The subscription no longer exists',
  new_subscription: 'New subscription without a contact',
  unknown_contact: 'Contact without a subscription',
} as const;

export type ChangeReason = keyof typeof changeReasons;

/** A field that a plan changes. */
export interface FieldChange {
  readonly kind: ChangeKind;
  /** Where it is written. */
  readonly side: Side;
  /** The path of the contact's field, or the newsletter's name of the field. */
  readonly field: string;
  /** Null where there is no value. */
  readonly from: unknown;
  readonly to: FieldValue;
  readonly reason: ChangeReason;
  /** The person, where it is another subscription than the pair's, with a further address of the contact. */
  readonly person?: { readonly email: string; readonly subscriptionId: string };
}

/** Whether somebody has said no: such changes never wait, and pass where a plan is held back. */
export function isUrgent({ changes }: { readonly changes: readonly FieldChange[] }): boolean {
  return changes.some(({ kind }) => kind === 'unsubscribe' || kind === 'opt_out');
}

/** Whether a value that was there is replaced by another one. */
export function isOverwrite({ kind, from, to }: FieldChange): boolean {
  return kind === 'update' && !isEmpty(from) && !isEmpty(to);
}

/** Whether a field that had a value gets none. */
export function isClear({ kind, from, to }: FieldChange): boolean {
  return kind === 'update' && !isEmpty(from) && isEmpty(to);
}

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

/** Why a subscription gets no contact. */
export const withoutContactTexts = {
  erased: 'erased',
  deleted: 'whose contact was deleted in the CRM',
  ignored: 'left by the setting for new subscriptions',
  unknownStatus: 'with a status that the specification does not have',
} as const;

export type WithoutContact = keyof typeof withoutContactTexts;
