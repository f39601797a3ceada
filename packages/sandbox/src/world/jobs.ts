/**
 * Jobs: bulk updates, status updates and imports. Each is accepted now, runs later by the clock, and applies its items
 * one by one, with an error log entry for each failed item.
 */
import type { JobRow, JobType } from '../store/jobs.ts';
import type { PublicationRow } from '../store/workspace.ts';
import { type Emit, type World, Refusal } from './world.ts';
import { bulkUpdateItem, subscriptionRequest } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import type { ComplimentaryAccessRow } from '../store/content.ts';
import type { SubscriptionRow } from '../store/subscriptions.ts';
import { applyCustomFields, matchCustomFields } from './custom-fields.ts';
import { giveAccess, removeTiers } from './complimentary-access.ts';
import { identify } from './new-record.ts';
import { mayBecome } from './status.ts';
import { subscribe } from './subscribe.ts';

/** Does the work of a job, its `params` parsed. */
type JobHandler = (world: World, publication: PublicationRow, params: unknown, emit: Emit) => JobResult;

const jobHandlers: Readonly<Record<JobType, JobHandler>> = {
  bulk: updateInBulk,
  status: updateStatuses,
  import: importSubscriptions,
};

/** How long a job waits, and how long it then works, in milliseconds of the sandbox's clock. */
const jobTimes = { pending: 1000, processing: 1000 } as const;

/** Accepts a job. */
export function acceptJob(world: World, publication: PublicationRow, type: JobType, params: unknown): JobRow {
  const { store, clock } = world;
  const now = clock.seconds();
  const job: JobRow = {
    ...identify(world, 'job'),
    publication_id: publication.id,
    type,
    params: JSON.stringify(params),
    status: 'pending',
    failure_reason: null,
    error_log: '[]',
    created: now,
    updated: now,
    completed: null,
  };
  store.insert('jobs', job);
  store.due.schedule(clock.now() + jobTimes.pending, 'job.started', job.seq);
  return job;
}

/** Starts a pending job. */
export function startJob(world: World, seq: number): void {
  world.store.jobs.setStatus(seq, 'processing', world.clock.seconds());
  world.store.due.schedule(world.clock.now() + jobTimes.processing, 'job.finished', seq);
}

/** Runs a job in one transaction. It has failed where none of its items could be applied. */
export function finishJob(world: World, seq: number, emit: Emit): void {
  const { jobs, workspace } = world.store;
  const job = jobs.bySeq(seq);
  const publication = job && workspace.publication(job.publication_id);
  if (!job || !publication) return;
  const params: unknown = JSON.parse(job.params);
  const { items, failed, errors } = jobHandlers[job.type](world, publication, params, emit);
  const nothing = failed === items;
  const reason = nothing ? 'No item could be applied; see error_log.' : null;
  jobs.finish(seq, nothing ? 'failed' : 'complete', reason, JSON.stringify(errors), world.clock.seconds());
  // No operation shows an import, and its rows hold addresses.
  if (job.type === 'import') jobs.setParams(seq, '{}');
}

/** The result of a job. */
interface JobResult {
  /** Number of items it was given; at least one. */
  readonly items: number;
  /** Items of which nothing was applied. */
  readonly failed: number;
  /** A line for each problem; no addresses. */
  readonly errors: readonly string[];
}

type JobItem = z.output<typeof bulkUpdateItem>;

const bulkParams = z.object({ subscriptions: z.array(bulkUpdateItem) });
const statusParams = z.object({ subscription_ids: z.array(z.string()), new_status: z.enum(['active', 'inactive']) });

/** Applies each item completely, or not at all where it refers to something unknown or contradicts itself. */
function updateInBulk(world: World, publication: PublicationRow, params: unknown, emit: Emit): JobResult {
  const { subscriptions: items } = bulkParams.parse(params);
  const errors: string[] = [];
  let failed = 0;
  for (const [index, item] of items.entries()) {
    const { applied, problems } = updateItem(world, publication, item, emit);
    if (!applied) failed += 1;
    for (const problem of problems) errors.push(`subscriptions[${index}] (${item.subscription_id}): ${problem}`);
  }
  return { items: items.length, failed, errors };
}

/** Updates one subscription now, with a problem for each custom field that was dropped, or for the item as a whole. */
export function updateItem(
  world: World,
  publication: PublicationRow,
  item: JobItem,
  emit: Emit,
): { readonly applied: boolean; readonly problems: readonly string[] } {
  const plan = planItem(world, publication, item);
  if ('problem' in plan) return { applied: false, problems: [plan.problem] };
  return { applied: true, problems: applyItem(world, publication, item, plan, emit) };
}

/** Sets the new status of each subscription that may have it. */
function updateStatuses(world: World, publication: PublicationRow, params: unknown, emit: Emit): JobResult {
  const { subscription_ids, new_status } = statusParams.parse(params);
  const { subscriptions } = world.store;
  const errors: string[] = [];
  for (const [index, id] of subscription_ids.entries()) {
    const row = subscriptions.byId(publication.id, id);
    const problem = row ? mayBecome(row.status, new_status) : noSubscription;
    if (problem !== null) errors.push(`subscription_ids[${index}]: ${problem}`);
    else if (row && row.status !== new_status) {
      subscriptions.setStatus(row.seq, new_status);
      emit({ type: 'subscription', change: 'updated', seq: row.seq });
    }
  }
  return { items: subscription_ids.length, failed: errors.length, errors };
}

const noSubscription = 'There is no subscription with this id on this publication.';

/** The records that an item refers to. */
interface Plan {
  readonly row: SubscriptionRow;
  readonly join: readonly number[];
  readonly leave: readonly number[];
  readonly gift: ComplimentaryAccessRow | undefined;
}

function planItem(world: World, publication: PublicationRow, item: JobItem): Plan | { readonly problem: string } {
  const { store } = world;
  const row = store.subscriptions.byId(publication.id, item.subscription_id);
  if (!row) return { problem: noSubscription };
  const joining = item.newsletter_list_ids ?? [];
  const leaving = item.unsubscribe_newsletter_list_ids ?? [];
  if (item.unsubscribe && joining.length > 0)
    return { problem: '"newsletter_list_ids" cannot be combined with "unsubscribe".' };
  if (joining.some((id) => leaving.includes(id)))
    return { problem: 'A newsletter list is in both "newsletter_list_ids" and "unsubscribe_newsletter_list_ids".' };

  const lists = new Map(
    joining.length + leaving.length === 0
      ? []
      : store.workspace.lists(publication.id).map((list) => [list.id, list.seq]),
  );
  const join = joining.flatMap((id) => lists.get(id) ?? []);
  const leave = leaving.flatMap((id) => lists.get(id) ?? []);
  if (join.length + leave.length < joining.length + leaving.length)
    return { problem: 'It contains the id of a newsletter list that this publication does not have.' };

  const gift =
    item.complimentary_gift_id === undefined ? undefined : store.gifts.byId(publication.id, item.complimentary_gift_id);
  if (item.complimentary_gift_id !== undefined && !gift)
    return { problem: '"complimentary_gift_id" is not a complimentary access of this publication.' };
  return { row, join, leave, gift };
}

/** Applies an item and returns a warning for each custom field that was dropped. */
function applyItem(
  world: World,
  publication: PublicationRow,
  item: JobItem,
  { row, join, leave, gift }: Plan,
  emit: Emit,
): readonly string[] {
  const { subscriptions, customFields } = world.store;
  const { seq } = row;
  if (item.tier === 'free') removeTiers(world, seq);
  else if (item.tier === 'premium') subscriptions.setTier(seq, 'premium');
  if (item.payments_customer_id !== undefined) subscriptions.setCustomer(seq, item.payments_customer_id);
  if (item.unsubscribe) subscriptions.setStatus(seq, 'inactive');
  for (const list of join) subscriptions.addToList(seq, list);
  for (const list of leave) subscriptions.removeFromList(seq, list);
  if (gift) giveAccess(world, seq, gift);

  const fields = (item.custom_fields ?? []).map((field) => (field.delete ? { name: field.name, value: null } : field));
  const { values, warnings } = matchCustomFields(customFields, publication.id, fields);
  applyCustomFields(customFields, seq, values);
  emit({ type: 'subscription', change: 'updated', seq });
  return warnings.map(({ message }) => message);
}

const importParams = z.object({ subscriptions: z.array(subscriptionRequest) });

/** Creates or updates each subscription in turn; an item that refers to something unknown is skipped. */
function importSubscriptions(world: World, publication: PublicationRow, params: unknown, emit: Emit): JobResult {
  const { subscriptions } = importParams.parse(params);
  const errors: string[] = [];
  let failed = 0;
  for (const [index, request] of subscriptions.entries()) {
    try {
      const { warnings } = subscribe(world, publication, request, emit, 'import');
      for (const { message } of warnings) errors.push(`subscriptions[${index}]: ${message}`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      failed += 1;
      errors.push(`subscriptions[${index}]: ${error.message}`);
    }
  }
  return { items: subscriptions.length, failed, errors };
}
