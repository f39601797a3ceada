/** Subscription: Bulk Update. Every input item is one change; they go to the service in jobs of up to a thousand. */
import { bulkUpdateLimit } from '@newsletter-kit/core/contract';
import type { Engine } from '@newsletter-kit/core/engine';
import type { INodeProperties } from 'n8n-workflow';
import { ParameterMismatch, readParameter } from '../../parameters/read.ts';
import { readWaiting, waiting } from '../../parameters/waiting.ts';
import { complaints, waitForJob, type Job } from '../../transport/job.ts';
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
}

/** A job of the service, or why there is none, and the items it was given. */
interface Batch {
  readonly planned: readonly Planned[];
  readonly begun: { readonly id: string } | { readonly error: unknown };
}

export const bulkUpdate: BatchOperation = {
  name: 'Bulk Update',
  description: 'Update many subscriptions, one for each input item, in jobs of up to 1000',
  action: 'Update many subscriptions in bulk',
  properties: [subscriptionId, ...changeFields, ...waiting],
  async executeAll(items, goOn) {
    const outcomes: ItemOutcome[] = [];
    const planned: Planned[] = [];
    for (const context of items) {
      try {
        const id = String(readParameter(context, subscriptionId));
        planned.push({ context, change: { subscription_id: id, ...(await readChanges(context)) } });
      } catch (error) {
        outcomes.push({ itemIndex: context.itemIndex, error });
      }
    }
    // Where one wrong item is to stop the node, nothing of the others is sent either.
    if (outcomes.length > 0 && !goOn) return outcomes;

    const batches: Batch[] = [];
    for (const some of inBatches(planned)) {
      const batch = await begin(some);
      batches.push(batch);
      if ('error' in batch.begun && !goOn) break;
    }
    for (const batch of batches) outcomes.push(...(await finish(batch)));
    return outcomes;
  },
};

/** By publication, and no more at once than the service takes. */
function* inBatches(planned: readonly Planned[]): Generator<readonly Planned[]> {
  const byEngine = Map.groupBy(planned, ({ context }): Engine => context.engine);
  for (const ofOne of byEngine.values()) {
    for (let start = 0; start < ofOne.length; start += bulkUpdateLimit) yield ofOne.slice(start, start + bulkUpdateLimit);
  }
}

async function begin(planned: readonly Planned[]): Promise<Batch> {
  const [first] = planned;
  if (first === undefined) return { planned, begun: { error: new ParameterMismatch('There are no items') } };
  const { engine, call, node } = first.context;
  try {
    const { data } = await engine.call('subscriptions.bulkUpdate', { subscriptions: planned.map(({ change }) => change) }, call);
    node.logger.info(`Newsletter: bulk update job ${data.subscription_update_id} has ${planned.length} subscriptions`);
    return { planned, begun: { id: data.subscription_update_id } };
  } catch (error) {
    return { planned, begun: { error } };
  }
}

/** What became of each item of a batch. */
async function finish({ planned, begun }: Batch): Promise<readonly ItemOutcome[]> {
  const [first] = planned;
  if ('error' in begun || first === undefined) return planned.map(({ context }) => ({ itemIndex: context.itemIndex, error: 'error' in begun ? begun.error : undefined }));
  const seconds = readWaiting(first.context);
  try {
    const job = seconds === null ? null : await waitForJob(first.context, begun.id, seconds);
    return planned.map((one) => outcomeOf(one, begun.id, job));
  } catch (error) {
    return planned.map(({ context }) => ({ itemIndex: context.itemIndex, error }));
  }
}

function outcomeOf({ context: { itemIndex }, change: { subscription_id } }: Planned, id: string, job: Job | null): ItemOutcome {
  const [complaint] = job === null ? [] : complaints(job, subscription_id);
  if (complaint !== undefined) return { itemIndex, error: new ParameterMismatch(`The service did not carry out the whole update: ${complaint}`) };
  return { itemIndex, json: { subscription_id, subscription_update_id: id, status: job === null ? 'pending' : 'complete' } };
}
