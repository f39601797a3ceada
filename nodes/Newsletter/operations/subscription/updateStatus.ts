/**
 * Subscription: Update Status. Every input item is one subscription; they go to the service in jobs of up to a
 * thousand. The service does not answer the ID of the job, so the job is looked up in its list.
 */
import { hasLeft } from '@newsletter-kit/core/facts';
import { words } from '@newsletter-kit/core/contract';
import type { INodeProperties } from 'n8n-workflow';
import { agentPermission } from '../../parameters/agents.ts';
import { describe } from '../../parameters/properties.ts';
import { readParameter } from '../../parameters/read.ts';
import type { BatchOperation } from '../definition.ts';
import { beginStatusUpdate, inputSubscription, type Planned, readWaiting, runInJobs, waiting } from './jobs.ts';

const newStatus: INodeProperties = {
  displayName: 'New Status',
  name: 'new_status',
  type: 'options',
  required: true,
  default: 'inactive',
  description: describe(words['subscriptions.updateStatus'].parameters.new_status),
  options: [
    { name: 'Active', value: 'active' },
    { name: 'Inactive', value: 'inactive', description: 'No longer receives the newsletter' },
  ],
};

const agents = agentPermission(
  'allowAgentsToUpdateStatus',
  'Allow Agents to Update the Status',
  'update the status of subscriptions',
);

interface PlannedStatus extends Planned {
  readonly status: string;
}

export const updateStatus: BatchOperation = {
  name: 'Update Status',
  description: 'Set the status of many subscriptions, one for each input item, in jobs of up to 1000',
  action: 'Update the status of subscriptions',
  properties: [inputSubscription, newStatus, ...waiting, agents.property],
  executeAll: (items, continueOnFail) =>
    runInJobs<PlannedStatus>(items, continueOnFail, {
      agents,
      plan: async (context) => ({
        context,
        status: String(readParameter(context, newStatus)),
        seconds: readWaiting(context),
      }),
      key: ({ status }) => status,
      changes: ({ status }) => ({ unsubscribe: hasLeft(status) }),
      submit: (batch) =>
        beginStatusUpdate(
          batch[0].context,
          [...new Set(batch.map(({ subscriptionId }) => subscriptionId))],
          batch[0].status,
          batch[0].seconds !== null,
        ),
      toJson({ context, subscriptionId, seconds, status }, job, jobStatus) {
        if (seconds !== null && job === null)
          context.notice(
            'The service accepted the new status, but its job could not be identified, so the node did not wait for it. Bulk Update Job: Get Many lists the jobs.',
          );
        return {
          subscription_id: subscriptionId,
          new_status: status,
          subscription_update_id: job,
          status: jobStatus,
        };
      },
    }),
};
