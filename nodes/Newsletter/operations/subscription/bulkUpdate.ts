/** Subscription: Bulk Update. Every input item is one change; they go to the service in jobs of up to a thousand. */
import { bulkUpdateLimit } from '@newsletter-kit/core/contract';
import type { INodeProperties } from 'n8n-workflow';
import { ParameterMismatch, readParameter } from '../../parameters/read.ts';
import { readWaiting, waiting } from '../../parameters/waiting.ts';
import { complaint, waitForJob, type Job } from '../../transport/job.ts';
import { byEngine } from '../byEngine.ts';
import type { BatchOperation, ItemOutcome, OperationContext } from '../definition.ts';
import { changeFields, readChanges, type Change } from './changes.ts';

const subscriptionId: INodeProperties = {
  displayName: 'Subscription ID',
  name: 'subscription_id',
  type: 'string',
  required: true,
  default: '={{ $json.id }}',
  placeholder: 'e.g. sub_00000000-0000-4000-8000-000000000001',
  description: 'The subscription to update, one for each input item',
};

interface Planned {
  readonly context: OperationContext;
  readonly change: Change;
  /** How long to wait for its job; null for not at all. */
  readonly seconds: number | null;
}

/** Changes that go to the service together; never empty. */
type Batch = readonly [Planned, ...Planned[]];

/** What came of handing a batch over: the ID of its job, or why there is none. */
type HandedOver = { readonly batch: Batch } & ({ readonly job: string } | { readonly error: unknown });

export const bulkUpdate: BatchOperation = {
  name: 'Bulk Update',
  description: 'Update many subscriptions, one for each input item, in jobs of up to 1000',
  action: 'Update many subscriptions in bulk',
  properties: [subscriptionId, ...changeFields, ...waiting],
  async executeAll(items, goOn) {
    const refused: ItemOutcome[] = [];
    const planned: Planned[] = [];
    for (const context of items) {
      try {
        planned.push(await plan(context));
      } catch (error) {
        refused.push({ itemIndex: context.itemIndex, error });
      }
    }
    // Where one wrong item is to stop the node, nothing of the others is sent either.
    if (refused.length > 0 && !goOn) return refused;

    const handedOver: HandedOver[] = [];
    for (const batch of inBatches(planned)) {
      const result = await handOver(batch);
      handedOver.push(result);
      if ('error' in result && !goOn) break;
    }
    const outcomes: ItemOutcome[] = [];
    for (const result of handedOver) outcomes.push(...(await finish(result)));
    return [...refused, ...outcomes];
  },
};

async function plan(context: OperationContext): Promise<Planned> {
  const subscription_id = String(readParameter(context, subscriptionId));
  return { context, change: { subscription_id, ...(await readChanges(context)) }, seconds: readWaiting(context) };
}

/** By publication, and no more at once than the service takes. */
function* inBatches(planned: readonly Planned[]): Generator<Batch> {
  for (const ofOne of byEngine(planned, ({ context }) => context.engine)) {
    for (let start = 0; start < ofOne.length; start += bulkUpdateLimit) {
      const [first, ...others] = ofOne.slice(start, start + bulkUpdateLimit);
      if (first !== undefined) yield [first, ...others];
    }
  }
}

async function handOver(batch: Batch): Promise<HandedOver> {
  const { engine, call, node } = batch[0].context;
  try {
    const { data } = await engine.call(
      'subscriptions.bulkUpdate',
      { subscriptions: batch.map(({ change }) => change) },
      call,
    );
    node.logger.info(`Newsletter: bulk update job ${data.subscription_update_id} has ${batch.length} subscriptions`);
    return { batch, job: data.subscription_update_id };
  } catch (error) {
    return { batch, error };
  }
}

/** What became of each item of a batch. */
async function finish(result: HandedOver): Promise<readonly ItemOutcome[]> {
  const { batch } = result;
  const all = (error: unknown): readonly ItemOutcome[] =>
    batch.map(({ context }) => ({ itemIndex: context.itemIndex, error }));
  if ('error' in result) return all(result.error);
  const [{ context, seconds }] = batch;
  try {
    const job =
      seconds === null
        ? null
        : await waitForJob(
            context,
            result.job,
            batch.map(({ change }) => change.subscription_id),
            seconds,
          );
    return batch.map((one) => outcomeOf(one, result.job, job));
  } catch (error) {
    return all(error);
  }
}

function outcomeOf(
  { context: { itemIndex }, change: { subscription_id } }: Planned,
  id: string,
  job: Job | null,
): ItemOutcome {
  const said = job === null ? undefined : complaint(job, subscription_id);
  if (said !== undefined)
    return { itemIndex, error: new ParameterMismatch(`The service did not carry out the whole update: ${said}`) };
  return {
    itemIndex,
    json: { subscription_id, subscription_update_id: id, status: job === null ? 'pending' : 'complete' },
  };
}
