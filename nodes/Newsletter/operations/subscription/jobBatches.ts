/** Runs many input items as jobs of the service, each with up to a thousand subscriptions of one publication. */
import { bulkUpdateLimit } from '@newsletter-kit/core/contract';
import type { IDataObject } from 'n8n-workflow';
import { ParameterMismatch } from '../../parameters/read.ts';
import { groupBy } from '../concurrency.ts';
import type { ItemOutcome, OperationContext } from '../definition.ts';
import { problemOf, type Job, waitForJob } from './updateJob.ts';

/** The request of one item. */
export interface Planned {
  readonly context: OperationContext;
  readonly subscriptionId: string;
  /** Seconds to wait for its job; null for no wait. */
  readonly seconds: number | null;
}

/** Items of one request; never empty. */
export type Batch<Plan> = readonly [Plan, ...Plan[]];

/** An operation that runs as jobs. */
interface JobOperation<Plan extends Planned> {
  plan(context: OperationContext): Promise<Plan>;
  /** Items with different keys go into different jobs. */
  key?(plan: Plan): unknown;
  /** Submits a batch. @returns the ID of the job; null where it is unknown */
  submit(batch: Batch<Plan>): Promise<string | null>;
  /** @param status - `complete`, or `pending` without a wait */
  toJson(plan: Plan, jobId: string | null, status: 'complete' | 'pending'): IDataObject;
}

/** Without `continueOnFail`, a wrong item fails the node before anything is sent. */
export async function runInJobs<Plan extends Planned>(
  items: readonly OperationContext[],
  continueOnFail: boolean,
  work: JobOperation<Plan>,
): Promise<readonly ItemOutcome[]> {
  const refused: ItemOutcome[] = [];
  const planned: Plan[] = [];
  for (const context of items) {
    try {
      planned.push(await work.plan(context));
    } catch (error) {
      refused.push({ itemIndex: context.itemIndex, error });
    }
  }
  if (refused.length > 0 && !continueOnFail) return refused;

  // All batches are submitted before the first wait.
  const submissions: Submission<Plan>[] = [];
  for (const batch of inBatches(planned, work.key)) {
    const result = await submit(batch, work);
    submissions.push(result);
    if ('error' in result && !continueOnFail) break;
  }
  const outcomes: ItemOutcome[] = [];
  for (const result of submissions) outcomes.push(...(await finish(result, work)));
  return [...refused, ...outcomes];
}

/** A submitted batch with the ID of its job, or the error. */
type Submission<Plan> = { readonly batch: Batch<Plan> } & (
  | { readonly job: string | null }
  | { readonly error: unknown }
);

/** Batches by publication and key, of the size that the service takes. */
function* inBatches<Plan extends Planned>(
  planned: readonly Plan[],
  key: JobOperation<Plan>['key'] = () => undefined,
): Generator<Batch<Plan>> {
  for (const ofOne of groupBy(planned, ({ context }) => context.engine)) {
    for (const one of new Set(ofOne.map(key))) {
      const together = ofOne.filter((plan) => key(plan) === one);
      for (let start = 0; start < together.length; start += bulkUpdateLimit) {
        const [first, ...others] = together.slice(start, start + bulkUpdateLimit);
        if (first !== undefined) yield [first, ...others];
      }
    }
  }
}

async function submit<Plan extends Planned>(batch: Batch<Plan>, work: JobOperation<Plan>): Promise<Submission<Plan>> {
  try {
    const job = await work.submit(batch);
    batch[0].context.node.logger.info(
      `Newsletter: ${batch.length} subscriptions were handed over to ${job === null ? 'a job' : `the job ${job}`}`,
    );
    return { batch, job };
  } catch (error) {
    return { batch, error };
  }
}

/** Waits for the job of a batch, and returns the outcome of each item. */
async function finish<Plan extends Planned>(
  result: Submission<Plan>,
  { toJson }: JobOperation<Plan>,
): Promise<readonly ItemOutcome[]> {
  const { batch } = result;
  const all = (error: unknown): readonly ItemOutcome[] =>
    batch.map(({ context }) => ({ itemIndex: context.itemIndex, error }));
  if ('error' in result) return all(result.error);
  const { job: id } = result;
  const [{ context, seconds }] = batch;
  try {
    const ids = batch.map(({ subscriptionId }) => subscriptionId);
    const job = seconds === null || id === null ? null : await waitForJob(context, id, ids, seconds);
    return batch.map((plan): ItemOutcome => {
      const { itemIndex } = plan.context;
      const problem = job === null ? undefined : problemOf(job, plan.subscriptionId);
      return problem === undefined
        ? { itemIndex, json: toJson(plan, id, statusOf(job)) }
        : { itemIndex, error: new ParameterMismatch(`The service did not carry out the whole update: ${problem}`) };
    });
  } catch (error) {
    return all(error);
  }
}

const statusOf = (job: Job | null): 'complete' | 'pending' => (job === null ? 'pending' : 'complete');
