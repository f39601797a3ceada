/**
 * Plans everything that is no pair: contacts without subscription, subscriptions without contact, and contacts whose
 * address moved to another subscription; makes the requests that create what is missing. Pure.
 */
import { isAddress } from '../signup/address.ts';
import type { SyncContact } from './contact.ts';
import { joinPlans, type DraftPlan, type SyncRun, type SubscriptionCreate, type ContactCreate } from './plan.ts';
import { type ConsentRecord, withStatus } from './plan-consent.ts';
import {
  readContact,
  type CustomFieldWrite,
  customFieldWrite,
  contactValue,
  isErased,
  planPair,
  type SubscriptionWrite,
} from './plan-pair.ts';
import {
  addressFingerprint,
  type SyncSubscription,
  type ReadyMapping,
  readSubscription,
  valueFingerprint,
} from './prepare-mapping.ts';
import { encodeToken, type Base, type FieldBase } from './token.ts';
import { yesNo } from './canonical-value.ts';

/** A creation that did not come back is repeated until it was tried this often. */
const maxAttempts = 3;

/** What the contact's status field shows for a subscription that no longer exists. */
const removedStatus = 'removed';

/**
 * Plans contacts whose address differs from their subscription's, and subscriptions with a linked contact's address.
 */
export function planMoves(run: SyncRun, draft: DraftPlan): void {
  const { mapping, contacts, isComplete, withoutContact, log } = run;
  const mayMove = mapping.situations.addressChangedInCrm === 'move';
  const moving = movingContacts(run);
  for (const [id, subscription] of withoutContact) {
    const rows = contacts.withAddress(subscription.email);
    const [row] = rows;
    if (row === undefined || rows.length > 1) continue;
    if (!contacts.isMatched(row)) {
      // The subscription of the token is gone, and the person has subscribed again.
      if (!isComplete) continue;
      contacts.setMatched([row]);
      relink(run, draft, subscription, row, []);
    } else if (moving.has(row) && mayMove) {
      const old = moving.get(row);
      moving.delete(row);
      const context = { row, contactId: contacts.contactAt(row).id, subscriptionId: subscription.id };
      if (subscription.status === 'inactive') log.report('move_refused', context);
      else if (subscription.status !== 'active') log.report('move_waits', context);
      else if (old) relink(run, draft, subscription, row, [{ subscription_id: old.id, unsubscribe: true }]);
    }
    withoutContact.delete(id);
  }
  if (!mayMove || !isComplete) return;
  for (const [row, subscription] of moving) {
    const { contact, base } = contacts.at(row);
    const refuses = subscription.status === 'inactive' || yesNo(contact.optOut) === true;
    if (!refuses && base?.consent === 'subscribed') createSubscription(run, draft, contact, 'address_moved');
  }
}

/** The single contacts whose address was changed in the CRM, by row. */
function movingContacts({ pairs }: SyncRun): Map<number, SyncSubscription> {
  const moving = new Map<number, SyncSubscription>();
  for (const { subscription, rows, plans } of pairs) {
    const [row] = rows;
    const isMoving = plans[0]?.findings.some(({ code }) => code === 'address_changed_in_crm');
    if (rows.length === 1 && row !== undefined && isMoving) moving.set(row, subscription);
  }
  return moving;
}

/** Links a contact to another subscription and drops the plan with the one before. */
function relink(
  run: SyncRun,
  draft: DraftPlan,
  subscription: SyncSubscription,
  row: number,
  writesBefore: readonly SubscriptionWrite[],
): void {
  const { mapping, contacts, log } = run;
  run.pairs = run.pairs.filter(({ rows }) => rows[0] !== row);
  const { contact, base } = contacts.at(row);
  if (!base) return;
  const address = addressFingerprint(mapping, subscription.email);
  const linked: Base = { ...base, subscriptionId: subscription.id, address, fields: [] };
  const plan = planPair(subscription, contact, linked, mapping, { situation: 'address_moved' });
  run.pairCount += 1;
  log.add(plan.findings);
  const pair = joinPlans([plan]);
  draft.changed.push({ ...pair, subscriptionWrites: [...writesBefore, ...pair.subscriptionWrites] });
}

/** Plans a contact whose subscription did not come in, or that never had one. */
export function planContactAlone(run: SyncRun, draft: DraftPlan, row: number): void {
  const { mapping, contacts } = run;
  const { contact, base } = contacts.at(row);
  if (base) return planMissingSubscription(run, draft, contact, base);
  if (mapping.subscribe === 'never' || !isAddress(contact.email)) return;
  // A damaged token shows that there was a subscription once: a person decides.
  if (contacts.hasDamagedToken(row)) return;
  if (contacts.withAddress(contact.email)[0] !== row) return;
  if (mapping.subscribe === 'on_consent' && yesNo(contact.consent) !== true) return;
  createSubscription(run, draft, contact, 'unknown_contact');
}

function createSubscription(
  { mapping, state, contacts, log }: SyncRun,
  draft: DraftPlan,
  contact: SyncContact,
  situation: SubscriptionCreate['situation'],
): void {
  const key = log.fingerprint(contact.email);
  if (draft.erased.has(key)) return;
  // Nobody is subscribed where one of the contacts with this address is opted out, or delivers no opt-out.
  const rows = contacts.withAddress(contact.email);
  if (mapping.optOut && rows.some((row) => yesNo(contacts.contactAt(row).optOut) !== false)) return;
  if (!mayRetry(draft, key, state.attempts[key] ?? 0))
    return log.report('subscription_creation_failed', { row: contact.row, contactId: contact.id });
  draft.attempts[key] ??= 1;
  draft.subscriptionCreates.push(toSubscriptionCreate(contact, situation, mapping));
}

/** Counts a creation that did not come back after it was tried this often. @returns whether it is tried once more */
function mayRetry({ attempts }: DraftPlan, key: string, tried: number): boolean {
  if (tried > 0) attempts[key] = Math.min(tried + 1, maxAttempts + 1);
  return tried < maxAttempts;
}

/** A tombstone: the second complete run without the subscription marks the contact as removed. */
function planMissingSubscription(run: SyncRun, draft: DraftPlan, contact: SyncContact, base: Base): void {
  const { mapping, log } = run;
  const key = log.fingerprint(base.subscriptionId);
  draft.missing.add(key);
  if (!draft.missingBefore.has(key)) return;
  if (isAddress(contact.email)) draft.erased.add(log.fingerprint(contact.email));
  log.report('subscription_gone', { row: contact.row, contactId: contact.id, subscriptionId: base.subscriptionId });
  const status = mapping.fields.find(({ newsletter }) => newsletter === 'status');
  if (mapping.situations.subscriptionMissing !== 'mark_removed' || !status) return;
  const shown = readContact(status, contact, mapping);
  if (shown.state !== 'value' || shown.text === removedStatus) return;
  draft.removals += 1;
  const situation = 'subscription_missing';
  const changes = { [status.contact]: removedStatus };
  draft.changed.push({
    situation,
    subscriptionWrites: [],
    contactWrites: [{ id: contact.id, situation, changes, token: encodeToken(base, mapping) }],
    consent: [],
  });
}

/** Plans a subscription without contact: one that is new, or whose contact is missing. */
export function planSubscriptionAlone(run: SyncRun, draft: DraftPlan, subscription: SyncSubscription): void {
  const { mapping, state, log } = run;
  if (isErased(subscription)) return;
  const { id, created } = subscription;
  const key = log.fingerprint(id);
  const isNew = created > (state.watermark ?? -Infinity);
  if (!isNew && state.attempts[key] === undefined) return planMissingContact(run, draft, subscription, key);
  if (mapping.situations.newSubscription === 'leave') return;
  const isRepeated = created <= (state.seenUntil ?? -Infinity);
  if (!mayRetry(draft, key, state.attempts[key] ?? (isRepeated ? 1 : 0)))
    return log.report('contact_creation_failed', { subscriptionId: id });
  draft.oldestCreate = Math.min(draft.oldestCreate ?? created, created);
  draft.contactCreates.push(toContactCreate(subscription, 'new_subscription', mapping));
}

function planMissingContact({ mapping }: SyncRun, draft: DraftPlan, subscription: SyncSubscription, key: string): void {
  const { id, status } = subscription;
  const action = mapping.situations.contactMissing;
  if (action === 'leave') return;
  draft.missing.add(key);
  if (!draft.missingBefore.has(key)) return;
  if (action === 'create_contact') {
    draft.contactCreates.push(toContactCreate(subscription, 'contact_missing', mapping));
  } else if (status !== 'inactive') {
    const subscriptionWrites = [{ subscription_id: id, unsubscribe: true as const }];
    const record: ConsentRecord = {
      saidBy: 'crm',
      subscriptionId: id,
      contactId: null,
      field: 'contact_missing',
      written: { side: 'newsletter', field: 'status', value: 'inactive' },
    };
    draft.changed.push({ situation: 'contact_missing', subscriptionWrites, contactWrites: [], consent: [record] });
  }
}

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
  const isOptedOut = hasLeft && optOut?.setOnUnsubscribe;
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
