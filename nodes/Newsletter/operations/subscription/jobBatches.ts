/** Carries out many input items in jobs of the service, each of up to a thousand subscriptions of one publication. */
import { bulkUpdateLimit } from '@newsletter-kit/core/contract';
import type { IDataObject } from 'n8n-workflow';
import { ParameterMismatch } from '../../parameters/read.ts';
import { byEngine } from '../concurrency.ts';
import type { ItemOutcome, OperationContext } from '../definition.ts';
import { complaint, type Job, waitForJob } from './updateJob.ts';

/** What one item asks for. */
export interface Planned {
  readonly context: OperationContext;
  readonly subscriptionId: string;
  /** How long to wait for its job; null for not at all. */
  readonly seconds: number | null;
}

/** Items that go to the service together; never empty. */
export type Batch<Plan> = readonly [Plan, ...Plan[]];

/** What tells one operation that works in jobs from another. */
interface Work<Plan extends Planned> {
  plan(context: OperationContext): Promise<Plan>;
  /** Items with different keys are not handed over together. */
  key?(plan: Plan): unknown;
  /** Hands a batch over. @returns the ID of the job; null where the service does not tell it */
  handOver(batch: Batch<Plan>): Promise<string | null>;
  /** @param status - `complete`, or `pending` where nobody waited */
  toJson(plan: Plan, jobId: string | null, status: 'complete' | 'pending'): IDataObject;
}

/** Where one wrong item is to stop the node, nothing of the others is sent either. */
export async function workInJobs<Plan extends Planned>(
  items: readonly OperationContext[],
  goOn: boolean,
  work: Work<Plan>,
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
  if (refused.length > 0 && !goOn) return refused;

  // All are handed over before the first is waited for.
  const handedOver: HandedOver<Plan>[] = [];
  for (const batch of inBatches(planned, work.key)) {
    const result = await handOver(batch, work);
    handedOver.push(result);
    if ('error' in result && !goOn) break;
  }
  const outcomes: ItemOutcome[] = [];
  for (const result of handedOver) outcomes.push(...(await finish(result, work)));
  return [...refused, ...outcomes];
}

/** What came of handing a batch over: the ID of its job, or why there is none. */
type HandedOver<Plan> = { readonly batch: Batch<Plan> } & (
  | { readonly job: string | null }
  | { readonly error: unknown }
);

/** By publication and key, and no more at once than the service takes. */
function* inBatches<Plan extends Planned>(
  planned: readonly Plan[],
  key: Work<Plan>['key'] = () => undefined,
): Generator<Batch<Plan>> {
  for (const ofOne of byEngine(planned, ({ context }) => context.engine)) {
    for (const one of new Set(ofOne.map(key))) {
      const together = ofOne.filter((plan) => key(plan) === one);
      for (let start = 0; start < together.length; start += bulkUpdateLimit) {
        const [first, ...others] = together.slice(start, start + bulkUpdateLimit);
        if (first !== undefined) yield [first, ...others];
      }
    }
  }
}

async function handOver<Plan extends Planned>(batch: Batch<Plan>, work: Work<Plan>): Promise<HandedOver<Plan>> {
  try {
    const job = await work.handOver(batch);
    batch[0].context.node.logger.info(
      `Newsletter: ${batch.length} subscriptions were handed over to ${job === null ? 'a job' : `the job ${job}`}`,
    );
    return { batch, job };
  } catch (error) {
    return { batch, error };
  }
}

/** What became of each item of a batch. */
async function finish<Plan extends Planned>(
  result: HandedOver<Plan>,
  { toJson }: Work<Plan>,
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
      const said = job === null ? undefined : complaint(job, plan.subscriptionId);
      return said === undefined
        ? { itemIndex, json: toJson(plan, id, statusOf(job)) }
        : { itemIndex, error: new ParameterMismatch(`The service did not carry out the whole update: ${said}`) };
    });
  } catch (error) {
    return all(error);
  }
}

const statusOf = (job: Job | null): 'complete' | 'pending' => (job === null ? 'pending' : 'complete');
