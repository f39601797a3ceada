/** Starts bulk update jobs of the service, waits for them, and reads their result for each subscription. */
import type { Arguments } from '@newsletter-kit/core/engine';
import { awaitUpdate, type FinishedUpdate, UpdatePendingError } from '@newsletter-kit/core/import';
import { type INode, NodeOperationError } from 'n8n-workflow';
import { ParameterMismatch } from '../../parameters/read.ts';
import { type NodeFailure, toNodeFailure } from '../../transport/failure.ts';
import type { OperationContext } from '../definition.ts';
import type { Change } from './changes.ts';

export type Job = FinishedUpdate<string>;

/** Milliseconds between two snapshots at a job: the first pause, and the longest. */
const pauses = { firstDelayMs: 500, maxDelayMs: 5000 } as const;

/**
 * Waits until the job has finished or failed.
 *
 * @param subscriptionIds - the subscriptions it is about, in the order of the request
 * @param seconds - how long to wait at most
 * @throws NodeOperationError on a timeout, NodeApiError
 */
export async function waitForJob(
  { node, engine }: OperationContext,
  id: string,
  subscriptionIds: readonly string[],
  seconds: number,
): Promise<Job> {
  try {
    return await awaitUpdate({
      engine,
      id,
      items: subscriptionIds,
      ...pauses,
      deadlineMs: seconds * 1000,
      signal: node.getExecutionCancelSignal(),
    });
  } catch (error) {
    throw toWaitFailure(node.getNode(), error, id, seconds);
  }
}

/**
 * Carries out a bulk update of one subscription and waits for it.
 *
 * @returns the ID of the job
 * @throws ParameterMismatch where the service did not carry out all of it, and as {@link waitForJob}
 */
export async function updateOne(context: OperationContext, change: Change, seconds: number): Promise<string> {
  const id = await beginUpdate(context, [change]);
  const job = await waitForJob(context, id, [change.subscription_id], seconds);
  const problem = problemOf(job, change.subscription_id);
  if (problem !== undefined) throw new ParameterMismatch(`The service did not carry out the whole update: ${problem}`);
  return id;
}

/** Submits changes. @returns the ID of their job */
export async function beginUpdate(
  { engine, call }: OperationContext,
  subscriptions: readonly Change[],
): Promise<string> {
  const { data } = await engine.call('subscriptions.bulkUpdate', { subscriptions: [...subscriptions] }, call);
  return data.subscription_update_id;
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
  const [named, ...more] = begun.filter(({ params }) => subscriptionIds.every((id) => params?.includes(id)));
  if (named?.id && more.length === 0) return named.id;
  // Without parameters, a single new job must be this one.
  return (begun.length === 1 && !begun[0]?.params && begun[0]?.id) || null;
}

async function statusJobs({ engine, call }: OperationContext) {
  const { items } = await engine.list('bulkSubscriptionUpdates.list', {}, call);
  return items.filter(({ type }) => type === 'status');
}

function toWaitFailure(node: INode, error: unknown, id: string, seconds: number): NodeFailure {
  if (!(error instanceof UpdatePendingError)) return toNodeFailure(node, error);
  return new NodeOperationError(node, `The service still works on the job after ${seconds} seconds`, {
    description: `It goes on without this node. Read it later with Bulk Update Job: Get, or raise "Timeout (Seconds)". Its ID is ${id}.`,
  });
}

/** The problem that the job reports for this subscription; undefined where it succeeded. */
export function problemOf({ outcome, update, problems }: Job, subscriptionId: string): string | undefined {
  const own = problems.find(({ item }) => item === subscriptionId);
  if (own !== undefined) return own.message;
  return outcome === 'failed' ? (update.failure_reason ?? 'The service carried out nothing of the job') : undefined;
}
