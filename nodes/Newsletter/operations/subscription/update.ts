/**
 * Subscription: Update. The API updates subscriptions in jobs alone; this is a job of one, waited for unless told
 * otherwise.
 */
import { ParameterMismatch } from '../../parameters/read.ts';
import { readSubscriber, subscriber } from '../../parameters/subscriber.ts';
import { readWaiting, waiting } from '../../parameters/waiting.ts';
import { findSubscription } from '../../transport/findSubscription.ts';
import { complaint, waitForJob } from '../../transport/job.ts';
import type { ItemOperation } from '../definition.ts';
import { changeFields, readChanges } from './changes.ts';

export const update: ItemOperation = {
  name: 'Update',
  description: 'Update tier, custom fields, lists or consent of a subscription; Bulk Update is faster for many',
  action: 'Update a subscription',
  about: subscriber,
  properties: [subscriber, ...changeFields, ...waiting],
  async execute(context) {
    const seconds = readWaiting(context);
    const changes = await readChanges(context);
    const named = readSubscriber(context);
    const subscription_id = 'id' in named ? named.id : (await findSubscription(context, named)).id;
    const { data } = await context.engine.call(
      'subscriptions.bulkUpdate',
      { subscriptions: [{ subscription_id, ...changes }] },
      context.call,
    );
    const begun = { subscription_id, subscription_update_id: data.subscription_update_id };
    if (seconds === null) return [{ ...begun, status: 'pending' }];
    const said = complaint(
      await waitForJob(context, begun.subscription_update_id, [subscription_id], seconds),
      subscription_id,
    );
    if (said !== undefined) throw new ParameterMismatch(`The service did not carry out the whole update: ${said}`);
    return [{ ...begun, status: 'complete' }];
  },
};
