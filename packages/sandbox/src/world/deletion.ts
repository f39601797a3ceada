/**
 * Data deletion: a request waits fourteen days, then the person's data is redacted in every publication of the
 * workspace.
 */
import { addressKey } from '@newsletter-kit/core/signup';
import type { DeletionRequestRow } from '../store/jobs.ts';
import { removeTiers } from './complimentary-access.ts';
import { exitJourneys } from './journeys.ts';
import { identify } from './new-record.ts';
import type { Emit, World } from './world.ts';

/**
 * The safety delay (specification, Limits), and how long the redaction then takes, in milliseconds of the sandbox's
 * clock.
 */
const deletionTimes = { delay: 14 * 86_400_000, processing: 1000 } as const;

/** Accepts a request; null where one for this address is open already. */
export function requestDeletion(world: World, email: string): DeletionRequestRow | null {
  const { store, clock } = world;
  const email_key = addressKey(email);
  if (store.deletionRequests.open(email_key)) return null;
  const now = clock.now();
  const row: DeletionRequestRow = {
    ...identify(world, 'deletion_request'),
    email,
    email_key,
    status: 'pending',
    source: 'public_api',
    requested_at: now,
    scheduled_at: now + deletionTimes.delay,
    completed_at: null,
  };
  store.insert('deletion_requests', row);
  store.due.schedule(row.scheduled_at, 'deletion.started', row.seq);
  return row;
}

/** Starts the redaction after the delay. */
export function startRedaction(world: World, seq: number): void {
  world.store.deletionRequests.setStatus(seq, 'processing', null);
  world.store.due.schedule(world.clock.now() + deletionTimes.processing, 'deletion.finished', seq);
}

/**
 * Redacts the person. What stays, so that counts and references hold: each subscription's row with its id and time of
 * creation – `inactive`, free, under an address that never exists –, its journeys, ended, and the request itself.
 */
export function redact(world: World, seq: number, emit: Emit): void {
  const { deletionRequests, subscriptions, customFields, inbox, jobs } = world.store;
  const request = deletionRequests.bySeq(seq);
  if (!request) return;
  for (const { seq: subscription, id } of subscriptions.everywhere(request.email_key)) {
    exitJourneys(world, subscription);
    removeTiers(world, subscription);
    subscriptions.clearLists(subscription);
    customFields.clearValues(subscription);
    inbox.forget(subscription);
    subscriptions.redact(subscription, `redacted-${id.slice('sub_'.length)}@redacted.invalid`);
    for (const job of jobs.naming(id)) jobs.setParams(job.seq, withoutItem(job.params, id));
    emit({ type: 'subscription', change: 'updated', seq: subscription });
  }
  deletionRequests.setStatus(seq, 'completed', world.clock.now());
}

/** Removes everything but the id from an item about this subscription. */
function withoutItem(params: string, id: string): string {
  return JSON.stringify(JSON.parse(params), (_key, value: unknown) => {
    const about =
      typeof value === 'object' && value !== null && 'subscription_id' in value && value.subscription_id === id;
    return about ? { subscription_id: id } : value;
  });
}
