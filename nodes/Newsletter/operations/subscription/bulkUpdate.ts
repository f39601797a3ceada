/** Subscription: Bulk Update. Every input item is one change; they go to the service in jobs of up to a thousand. */
import type { INodeProperties } from 'n8n-workflow';
import { readParameter } from '../../parameters/read.ts';
import { readWaiting, waiting } from '../../parameters/waiting.ts';
import type { BatchOperation } from '../definition.ts';
import { type Change, changeFields, readChanges } from './changes.ts';
import { type Planned, runInJobs } from './jobBatches.ts';
import { beginUpdate } from './updateJob.ts';

const subscriptionId: INodeProperties = {
  displayName: 'Subscription ID',
  name: 'subscription_id',
  type: 'string',
  required: true,
  default: '={{ $json.id }}',
  placeholder: 'e.g. sub_00000000-0000-4000-8000-000000000001',
  description: 'The subscription to update, one for each input item',
};

interface PlannedChange extends Planned {
  readonly change: Change;
}

export const bulkUpdate: BatchOperation = {
  name: 'Bulk Update',
  description: 'Update many subscriptions, one for each input item, in jobs of up to 1000',
  action: 'Update many subscriptions in bulk',
  properties: [subscriptionId, ...changeFields, ...waiting],
  executeAll: (items, continueOnFail) =>
    runInJobs<PlannedChange>(items, continueOnFail, {
      async plan(context) {
        const id = String(readParameter(context, subscriptionId));
        const change = { subscription_id: id, ...(await readChanges(context)) };
        return { context, subscriptionId: id, change, seconds: readWaiting(context) };
      },
      submit: (batch) =>
        beginUpdate(
          batch[0].context,
          batch.map(({ change }) => change),
        ),
      toJson: (plan, job, status) => ({
        subscription_id: plan.subscriptionId,
        subscription_update_id: job,
        status,
      }),
    }),
};
