/** Waits for a bulk update job of the service. */
import type { Item } from '@newsletter-kit/core/engine';
import { sleep } from 'n8n-workflow';
import type { OperationContext } from '../operations/definition.ts';

export type Job = Item<'bulkSubscriptionUpdates.list'>;

/** Milliseconds between two looks at a job: the first pause, how it grows, and the longest. */
const pauses = { first: 500, growth: 1.5, longest: 5000 } as const;

/** `completed` is said by some answers where `complete` is meant. */
const over = new Set(['complete', 'completed', 'failed']);

/**
 * The job once it is over, failed or not.
 *
 * @param seconds - how long to wait at most
 * @throws Error where it is not over by then
 */
export async function waitForJob({ node, engine, call }: OperationContext, id: string, seconds: number): Promise<Job> {
  const end = Date.now() + seconds * 1000;
  for (let pause: number = pauses.first; ; pause = Math.min(pause * pauses.growth, pauses.longest)) {
    const { data: job } = await engine.call('bulkSubscriptionUpdates.get', { id }, call);
    if (over.has(job.status ?? '')) return job;
    if (Date.now() + pause > end) {
      throw new Error(`The service still works on the job after ${seconds} seconds. Read it later with Bulk Update Job: Get, or raise "Timeout (Seconds)". Its ID is ${id}.`);
    }
    await sleep(pause, node.getExecutionCancelSignal());
  }
}

/**
 * What the job says went wrong with this subscription; empty where nothing did.
 *
 * @param ofItem - whatever in the log names the item, such as the subscription's ID
 */
export function complaints({ status, failure_reason, error_log }: Job, ofItem: string): readonly string[] {
  const lines = (error_log ?? []).filter((line): line is string => typeof line === 'string' && line.includes(ofItem));
  if (lines.length > 0 || status !== 'failed') return lines;
  return [failure_reason ?? 'The service carried out nothing of the job'];
}
