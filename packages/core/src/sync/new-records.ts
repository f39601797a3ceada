/** Makes the requests that create a subscription for a contact, or a contact for a subscription. Pure. */
import type { SyncContact } from './contact.ts';
import { withStatus } from './plan-consent.ts';
import { type CustomFieldWrite, readContact, customFieldWrite, contactValue } from './plan-field.ts';
import {
  type ReadyMapping,
  type SyncSubscription,
  readSubscription,
  valueFingerprint,
  addressFingerprint,
} from './prepare-mapping.ts';
import type { SubscriptionCreate, ContactCreate } from './sync-plan.ts';
import { type FieldBase, type Base, encodeToken } from './token.ts';

/** The request that creates a subscription for a contact. */
export function toSubscriptionCreate(
  contact: SyncContact,
  situation: SubscriptionCreate['situation'],
  mapping: ReadyMapping,
): SubscriptionCreate {
  const fields = mapping.fields.flatMap((field): CustomFieldWrite[] => {
    const shown = readContact(field, contact, mapping);
    const isSent =
      field.direction !== 'to_contact' && field.customField !== '' && shown.state === 'value' && shown.text !== '';
    return isSent ? [customFieldWrite(field, shown.text)] : [];
  });
  return {
    situation,
    contactId: contact.id,
    request: {
      email: contact.email,
      reactivate_existing: false,
      ...((situation === 'address_moved' || mapping.subscribe === 'with_confirmation') && {
        double_opt_override: 'on' as const,
      }),
      ...(fields.length > 0 && { custom_fields: fields }),
    },
  };
}

/** The contact to create for a subscription, with its sync token. */
export function toContactCreate(
  subscription: SyncSubscription,
  situation: ContactCreate['situation'],
  mapping: ReadyMapping,
): ContactCreate {
  const { paths, optOut } = mapping;
  const hasLeft = subscription.status === 'inactive';
  const isOptedOut = hasLeft && (optOut?.setOnUnsubscribe ?? false);
  const changes: Record<string, unknown> = { [paths.email]: subscription.email };
  if (optOut && isOptedOut) changes[optOut.contact] = true;
  const fields = mapping.fields.map((field): FieldBase => {
    const shown = readSubscription(field, subscription);
    if (field.direction === 'to_subscription' || shown.state !== 'value') return {};
    const fingerprint = valueFingerprint(mapping, shown.text);
    if (shown.text !== '') changes[field.contact] = contactValue(field, shown.text, mapping);
    return { ...(field.direction === 'both' && { agreed: fingerprint }), toContact: { fingerprint, count: 1 } };
  });
  const base: Base = {
    subscriptionId: subscription.id,
    address: addressFingerprint(mapping, subscription.email),
    consent: hasLeft ? 'left_newsletter' : 'subscribed',
    optOut: optOut && isOptedOut,
    fields,
    reported: 0,
  };
  changes[paths.token] = encodeToken(base, mapping);
  const left = { subscriptionId: subscription.id, contactId: null, saidBy: 'newsletter', field: 'status' } as const;
  const written = optOut && isOptedOut ? ({ side: 'crm', field: optOut.contact, value: true } as const) : null;
  const consent = hasLeft ? [withStatus({ ...left, written }, changes, mapping)] : [];
  return { situation, subscriptionId: subscription.id, changes, consent };
}
