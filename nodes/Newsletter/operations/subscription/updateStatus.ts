/**
 * Subscription: Update Status. Every input item is one subscription; they go to the service in jobs of up to a
 * thousand. The service does not answer the ID of the job, so the job is looked up in its list.
 */
import { statusUpdateWords } from '@newsletter-kit/core/contract';
import { addressKey } from '@newsletter-kit/core/signup';
import type { INodeProperties } from 'n8n-workflow';
import { describe } from '../../parameters/properties.ts';
import { readParameter } from '../../parameters/read.ts';
import { noSubscription, readSubscriber, subscriber, type Subscriber } from '../../parameters/subscription.ts';
import type { BatchOperation, OperationContext } from '../definition.ts';
import { beginStatusUpdate, type Planned, readWaiting, runInJobs, waiting } from './jobs.ts';
import { findIds, type FoundIds } from './read.ts';

const inputSubscription: INodeProperties = { ...subscriber, default: { mode: 'id', value: '={{ $json.id }}' } };

const newStatus: INodeProperties = {
  displayName: 'New Status',
  name: 'new_status',
  type: 'options',
  required: true,
  default: 'inactive',
  description: describe(statusUpdateWords.new_status),
  options: [
    { name: 'Active', value: 'active' },
    { name: 'Inactive', value: 'inactive', description: 'No longer receives the newsletter' },
  ],
};

interface PlannedStatus extends Planned {
  readonly status: string;
}

export const updateStatus: BatchOperation = {
  name: 'Update Status',
  description: 'Set the status of many subscriptions, one for each input item, in jobs of up to 1000',
  action: 'Update the status of subscriptions',
  properties: [inputSubscription, newStatus, ...waiting],
  async executeAll(items, continueOnFail) {
    const ids = await findIds(items.flatMap(addressOf));
    return runInJobs<PlannedStatus>(items, continueOnFail, {
      plan: async (context) => ({
        context,
        subscriptionId: idOf(context, ids),
        status: String(readParameter(context, newStatus)),
        seconds: readWaiting(context),
      }),
      key: ({ status }) => status,
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
    });
  },
};

/** The item, if its subscription is named by address. An unreadable item fails later, when it is planned. */
function addressOf(context: OperationContext): readonly { context: OperationContext; email: string }[] {
  try {
    const named = readSubscriber(context, inputSubscription);
    return 'email' in named ? [{ context, email: named.email }] : [];
  } catch {
    return [];
  }
}

function idOf(context: OperationContext, ids: FoundIds): string {
  const named: Subscriber = readSubscriber(context, inputSubscription);
  if ('id' in named) return named.id;
  const found = ids.get(context.engine)?.get(addressKey(named.email));
  if (found === undefined) throw noSubscription();
  if ('error' in found) throw found.error;
  return found.id;
}
