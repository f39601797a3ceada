/** Bulk update jobs of the service: starts them, waits for them, and reads the result of each subscription. */
import { bulkUpdateLimit } from '@newsletter-kit/core/contract';
import { type Arguments, isRecord } from '@newsletter-kit/core/engine';
import { awaitUpdate, type FinishedUpdate, type UpdateItem, UpdatePendingError } from '@newsletter-kit/core/import';
import { addressKey } from '@newsletter-kit/core/signup';
import { type IDataObject, type INodeProperties, NodeOperationError } from 'n8n-workflow';
import type { AgentPermission } from '../../parameters/agents.ts';
import { number, toggle } from '../../parameters/properties.ts';
import { type ItemParameters, readParameter } from '../../parameters/read.ts';
import { noSubscription, readSubscriber, subscriber, type Subscriber } from '../../parameters/subscription.ts';
import { toNodeFailure } from '../../transport/failure.ts';
import { groupBy } from '../concurrency.ts';
import type { ItemOutcome, OperationContext } from '../definition.ts';
import { findAll, type FoundByAddress } from './read.ts';

/** One subscription, and the changes to it. */
export type JobChange = Arguments<'subscriptions.bulkUpdate'>['subscriptions'][number];

const wait = toggle({
  displayName: 'Wait for Completion',
  name: 'waitForCompletion',
  default: true,
  description: 'Whether to wait for the end of the job, and to report refused changes',
});

const timeout = number({
  displayName: 'Timeout (Seconds)',
  name: 'timeout',
  typeOptions: { minValue: 1 },
  default: 300,
  description: 'How long to wait at most. The job continues after that.',
  displayOptions: { show: { waitForCompletion: [true] } },
});

/** The parameters Wait for Completion and Timeout. */
export const waiting: readonly INodeProperties[] = [wait, timeout];

/** Seconds to wait at most; null for no wait. */
export function readWaiting(item: ItemParameters): number | null {
  return readParameter(item, wait) === true ? Number(readParameter(item, timeout) ?? timeout.default) : null;
}

type JobItem = Exclude<UpdateItem, string>;
type Job = FinishedUpdate<JobItem>;

/** Milliseconds between two reads of a job: the first pause, and the longest. */
const pauses = { firstDelayMs: 500, maxDelayMs: 5000 } as const;

/**
 * Waits until the job has finished or failed.
 *
 * @param items - its subscriptions and their changes, in the order of the request
 * @param seconds - how long to wait at most
 * @throws NodeOperationError on a timeout, NodeApiError
 */
async function waitForJob(
  { node, engine }: OperationContext,
  id: string,
  items: readonly JobItem[],
  seconds: number,
): Promise<Job> {
  try {
    return await awaitUpdate({
      engine,
      id,
      items,
      ...pauses,
      deadlineMs: seconds * 1000,
      signal: node.getExecutionCancelSignal(),
    });
  } catch (error) {
    if (!(error instanceof UpdatePendingError)) throw toNodeFailure(node.getNode(), error);
    throw new NodeOperationError(node.getNode(), `The service still works on the job after ${seconds} seconds`, {
      description: `The job continues without this node. Read it later with Bulk Update Job: Get, or raise "Timeout (Seconds)". Its ID is ${id}.`,
    });
  }
}

/** The address of a subscription: by which it is named, or of the input item, which may be that of another person. */
export function likelyAddress({ node, itemIndex }: OperationContext, named: Subscriber): string | undefined {
  const json = node.getInputData()[itemIndex]?.json;
  return 'email' in named
    ? named.email
    : isRecord(json) && typeof json['email'] === 'string'
      ? json['email']
      : undefined;
}

/**
 * Carries out a bulk update of one subscription and waits for it.
 *
 * @param email - the address of the subscription, where it is known
 * @returns the ID of the job
 * @throws NodeOperationError where the service did not carry out all of it, and as {@link waitForJob}
 */
export async function updateOne(
  context: OperationContext,
  change: JobChange,
  seconds: number,
  email: string | undefined,
): Promise<string> {
  const { earlier } = context;
  // An earlier try may have given up waiting for its job.
  const id = (earlier.job ??= await beginUpdate(context, [change]));
  const job = await waitForJob(context, id, [{ ...change, email }], seconds);
  delete earlier.job;
  const problem = problemOf(job, change.subscription_id);
  if (problem !== undefined) throw incompleteUpdate(context, problem);
  return id;
}

/** The failure of an item whose changes the service did not make, or not all of them. */
function incompleteUpdate({ node, itemIndex }: OperationContext, problem: string): NodeOperationError {
  return new NodeOperationError(node.getNode(), `The service did not carry out the whole update: ${problem}`, {
    itemIndex,
    description:
      'Other changes of the item may have been made. Correct what the message names, and run the item again. If a custom field was renamed or deleted, choose it again in "Custom Fields".',
  });
}

/** Submits changes. @returns the ID of their job */
export async function beginUpdate(
  { engine, call, node, itemIndex }: OperationContext,
  subscriptions: readonly JobChange[],
): Promise<string> {
  const { data } = await engine.call('subscriptions.bulkUpdate', { subscriptions: [...subscriptions] }, call);
  if (typeof data.subscription_update_id === 'string') return data.subscription_update_id;
  throw new NodeOperationError(node.getNode(), 'The service accepted the update and did not say under which ID', {
    itemIndex,
    description: 'Whether it is carried out cannot be read. See the subscriptions for what has changed.',
  });
}

/**
 * Submits a new status. The service does not answer the ID of the job; if needed, it is looked up: the job of type
 * `status` that was not in the list before, or of several, the one whose parameters name these subscriptions.
 *
 * @returns the ID of the job; null where it was not looked up or is ambiguous
 */
export async function beginStatusUpdate(
  context: OperationContext,
  subscriptionIds: readonly string[],
  status: string,
  find: boolean,
): Promise<string | null> {
  const { engine, call } = context;
  const args = {
    subscription_ids: [...subscriptionIds],
    new_status: status,
  } as Arguments<'subscriptions.updateStatus'>;
  const before = find ? new Set((await statusJobs(context)).map(({ id }) => id)) : null;
  await engine.call('subscriptions.updateStatus', args, call);
  if (before === null) return null;
  const begun = (await statusJobs(context)).filter(({ id }) => !before.has(id));
  const [named, ...more] = begun.filter(({ params }) =>
    subscriptionIds.every((id) => JSON.stringify(params)?.includes(id)),
  );
  if (named?.id && more.length === 0) return named.id;
  // Without parameters, a single new job must be this one.
  return (begun.length === 1 && !begun[0]?.params && begun[0]?.id) || null;
}

async function statusJobs({ engine, call }: OperationContext) {
  const { items } = await engine.list('bulkSubscriptionUpdates.list', {}, call);
  return items.filter(({ type }) => type === 'status');
}

/** The problem that the job reports for this subscription, or may be reporting; undefined where it succeeded. */
function problemOf({ outcome, update, problems }: Job, subscriptionId: string): string | undefined {
  const own = problems.find(({ item }) => item?.subscription_id === subscriptionId);
  if (own !== undefined) return own.message;
  // A line of the log that names no subscription may be about this one.
  const unclear = problems.find(({ item }) => item === undefined);
  if (unclear !== undefined) return `its log says "${unclear.message}" and not of which subscription`;
  return outcome === 'failed' ? (update.failure_reason ?? 'The service carried out nothing of the job') : undefined;
}

/** The subscription of an input item: its ID, or its address, by which the ID is looked up. */
export const inputSubscription: INodeProperties = { ...subscriber, default: { mode: 'id', value: '={{ $json.id }}' } };

/** The request of one item. */
export interface Planned {
  readonly context: OperationContext;
  /** Seconds to wait for its job; null for no wait. */
  readonly seconds: number | null;
}

/** A request whose subscription is known. */
export type Found<Plan> = Plan & { readonly subscriptionId: string; readonly email: string | undefined };

/** What an item tells of its job: `pending` where the node did not wait for it. */
export interface JobResult extends IDataObject {
  readonly subscription_update_id: string | null;
  readonly job_status: 'complete' | 'pending';
}

/** Items of one request; never empty. */
type JobBatch<Plan> = readonly [Found<Plan>, ...Found<Plan>[]];

/** An operation that runs as jobs. */
interface JobOperation<Plan extends Planned> {
  readonly agents: AgentPermission;
  plan(context: OperationContext): Promise<Plan>;
  /** Items with different keys go into different jobs. */
  key?(plan: Plan): unknown;
  /** The changes of an item. */
  changes(plan: Plan): Omit<JobChange, 'subscription_id'>;
  /** Submits a batch. @returns the ID of the job; null where it is unknown */
  submit(batch: JobBatch<Plan>): Promise<string | null>;
  /** Called for each item whose job has not failed. */
  ended?(plan: Found<Plan>, job: JobResult): void;
}

/** Without `continueOnFail`, a wrong item fails the node before anything is sent. */
export async function runInJobs<Plan extends Planned>(
  items: readonly OperationContext[],
  continueOnFail: boolean,
  work: JobOperation<Plan>,
): Promise<readonly ItemOutcome[]> {
  const refused: ItemOutcome[] = [];
  const planned: { readonly plan: Plan; readonly named: Subscriber }[] = [];
  for (const context of items) {
    try {
      work.agents.check(context.node);
      planned.push({ named: readSubscriber(context, inputSubscription), plan: await work.plan(context) });
    } catch (error) {
      refused.push({ itemIndex: context.itemIndex, error });
    }
  }
  if (refused.length > 0 && !continueOnFail) return refused;

  const byAddress = planned.flatMap(({ plan: { context }, named }) =>
    'email' in named ? [{ context, email: named.email }] : [],
  );
  const ids = await findAll(byAddress);
  const found: Found<Plan>[] = [];
  for (const { plan, named } of planned) {
    try {
      const subscriptionId = idOf(named, ids.get(plan.context.engine));
      found.push({ ...plan, subscriptionId, email: likelyAddress(plan.context, named) });
    } catch (error) {
      refused.push({ itemIndex: plan.context.itemIndex, error });
    }
  }
  if (refused.length > 0 && !continueOnFail) return refused;

  // All batches are submitted before the first wait.
  const outcomes: ItemOutcome[] = [...refused];
  const begun: { readonly batch: JobBatch<Plan>; readonly job: string | null }[] = [];
  for (const batch of inBatches(found, work.key)) {
    try {
      begun.push({ batch, job: await submit(batch, work) });
    } catch (error) {
      outcomes.push(...failuresOf(batch, error));
      if (!continueOnFail) break;
    }
  }
  for (const { batch, job } of begun) outcomes.push(...(await finish(batch, job, work)));
  return outcomes;
}

/** The same error for all items of a batch. */
const failuresOf = (batch: JobBatch<Planned>, error: unknown): readonly ItemOutcome[] =>
  batch.map(({ context: { itemIndex } }) => ({ itemIndex, error }));

/** @throws ParameterMismatch where there is no subscription with the address; the error of its lookup */
function idOf(named: Subscriber, ids: FoundByAddress | undefined): string {
  if ('id' in named) return named.id;
  const found = ids?.get(addressKey(named.email));
  if (found === undefined) throw noSubscription();
  if ('error' in found) throw found.error;
  return found.id;
}

/** Batches by publication, key and job of an earlier try, of the size that the service takes. */
function* inBatches<Plan extends Planned>(
  planned: readonly Found<Plan>[],
  key: JobOperation<Plan>['key'] = () => undefined,
): Generator<JobBatch<Plan>> {
  for (const ofOne of groupBy(planned, ({ context }) => context.engine)) {
    for (const together of groupBy(ofOne, (plan) => JSON.stringify([key(plan), plan.context.earlier.job]))) {
      for (let start = 0; start < together.length; start += bulkUpdateLimit) {
        const [first, ...others] = together.slice(start, start + bulkUpdateLimit);
        if (first !== undefined) yield [first, ...others];
      }
    }
  }
}

/** @returns the ID of the job; null where it is unknown */
async function submit<Plan extends Planned>(batch: JobBatch<Plan>, work: JobOperation<Plan>): Promise<string | null> {
  // An earlier try may have failed at the wait for this job.
  const [{ context }] = batch;
  if (context.earlier.job !== undefined) return context.earlier.job;
  const job = await work.submit(batch);
  if (job !== null) for (const plan of batch) plan.context.earlier.job = job;
  context.node.logger.info(
    `Newsletter: ${batch.length} subscriptions were handed over to ${job === null ? 'a job' : `the job ${job}`}`,
  );
  return job;
}

/** Waits for the job of a batch, and returns the outcome of each item. */
async function finish<Plan extends Planned>(
  batch: JobBatch<Plan>,
  id: string | null,
  { changes, ended }: JobOperation<Plan>,
): Promise<readonly ItemOutcome[]> {
  const [{ context, seconds }] = batch;
  try {
    const sent = batch.map((plan) => ({ subscription_id: plan.subscriptionId, email: plan.email, ...changes(plan) }));
    const job = seconds === null || id === null ? null : await waitForJob(context, id, sent, seconds);
    const told: JobResult = { subscription_update_id: id, job_status: job === null ? 'pending' : 'complete' };
    return batch.map((plan): ItemOutcome => {
      const { itemIndex } = plan.context;
      const problem = job === null ? undefined : problemOf(job, plan.subscriptionId);
      delete plan.context.earlier.job;
      if (problem !== undefined) return { itemIndex, error: incompleteUpdate(plan.context, problem) };
      ended?.(plan, told);
      return { itemIndex, json: { id: plan.subscriptionId, ...told } };
    });
  } catch (error) {
    return failuresOf(batch, error);
  }
}
