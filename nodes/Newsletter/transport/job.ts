/** Waits for a bulk update job of the service, and tells what it says of each subscription. */
import { awaitUpdate, UpdatePendingError, type FinishedUpdate } from '@newsletter-kit/core/import';
import { NodeOperationError, type INode } from 'n8n-workflow';
import type { OperationContext } from '../operations/definition.ts';
import { toNodeFailure, type NodeFailure } from './failure.ts';

export type Job = FinishedUpdate<string>;

/** Milliseconds between two looks at a job: the first pause, and the longest. */
const pauses = { firstDelayMs: 500, maxDelayMs: 5000 } as const;

/**
 * The job once it is over, failed or not.
 *
 * @param subscriptionIds - the subscriptions it is about, in the order of the request
 * @param seconds - how long to wait at most
 * @throws NodeOperationError where it is not over by then, NodeApiError
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

function toWaitFailure(node: INode, error: unknown, id: string, seconds: number): NodeFailure {
  if (!(error instanceof UpdatePendingError)) return toNodeFailure(node, error);
  return new NodeOperationError(node, `The service still works on the job after ${seconds} seconds`, {
    description: `It goes on without this node. Read it later with Bulk Update Job: Get, or raise "Timeout (Seconds)". Its ID is ${id}.`,
  });
}

/** What the job says went wrong with this subscription; undefined where nothing did. */
export function complaint({ outcome, update, problems }: Job, subscriptionId: string): string | undefined {
  const own = problems.find(({ item }) => item === subscriptionId);
  if (own !== undefined) return own.message;
  return outcome === 'failed' ? (update.failure_reason ?? 'The service carried out nothing of the job') : undefined;
}
