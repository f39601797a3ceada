/** Recognizes a pair that shows what its token says, as most do, without planning it. Pure. */
import { hasLeft } from '../../facts/subscriber-status.ts';
import { addressKey } from '../../signup/address.ts';
import { readValue } from '../mapping/canonical-value.ts';
import { readPath } from '../mapping/contact.ts';
import { isOptedOut } from '../mapping/opt-out.ts';
import { isErased, keyFingerprint, subscriptionValue, valueFingerprint } from '../mapping/prepare-mapping.ts';
import type { ReadyField, ReadyMapping, SyncSubscription } from '../mapping/prepare-mapping.ts';
import { isFieldSettled, isForeign, isHeadSettled } from '../mapping/token.ts';

/** A subscription, the record of its one contact, and the whole token of that contact, which names the subscription. */
export interface UnplannedPair {
  readonly subscription: SyncSubscription;
  readonly record: unknown;
  readonly token: string;
  /** Whether a field that the record lacks is empty. Default: it was not delivered. */
  readonly isEmpty?: ((path: string) => boolean) | undefined;
}

/**
 * Whether a pair is at rest: address, consent and values are as its token says, and there is nothing to report.
 * `planPair` would then write nothing and report nothing. The reverse does not hold.
 *
 * @param key - of the subscription's address, where it is known
 */
export function isAtRest(
  pair: UnplannedPair,
  mapping: ReadyMapping,
  key: string = addressKey(pair.subscription.email),
): boolean {
  const { subscription, record, token } = pair;
  const { paths, optOut: veto, fields } = mapping;
  const email = readPath(record, paths.email);
  if (typeof email !== 'string' || isErased(subscription)) return false;
  if (email !== subscription.email && addressKey(email) !== key) return false;
  const isAway = hasLeft(subscription.status);
  const value = veto && readPath(record, veto.contact);
  const optOut = isOptedOut(veto && value === undefined && pair.isEmpty?.(veto.contact) ? null : value, veto);
  // An opt-out that acts, or is reported.
  if (optOut === true && !isAway) return false;
  const address = keyFingerprint(mapping, key);
  if (isForeign(token, mapping) || !isHeadSettled(token, address, isAway, optOut)) return false;
  for (const field of fields) if (!isFieldAtRest(field, pair, mapping)) return false;
  return true;
}

function isFieldAtRest(
  field: ReadyField,
  { subscription, record, token, isEmpty }: UnplannedPair,
  mapping: ReadyMapping,
): boolean {
  const { kind, separator, direction, identity, contact } = field;
  const here = subscriptionValue(field, subscription);
  const there = readPath(record, contact);
  const text = readValue(kind, here);
  if (typeof text !== 'string') return false;
  if (there === undefined) {
    // Empty, or a box that is not ticked.
    if (!isEmpty?.(contact) || !(text === '' || (kind === 'boolean' && text !== 'true'))) return false;
  } else if (!(here === there && kind !== 'list') && readValue(kind, there, separator) !== text) return false;
  return isFieldSettled(token, identity, direction === 'both' ? valueFingerprint(mapping, text) : undefined);
}
