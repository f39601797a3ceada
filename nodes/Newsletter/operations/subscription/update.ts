/**
 * Subscription: Update. The API updates subscriptions in jobs alone; this is a job of one, waited for unless told
 * otherwise.
 */
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../isRecord.ts';
import { readSubscriber, subscriber, type Subscriber } from '../../parameters/subscription.ts';
import { labelsOf } from '../../parameters/labels.ts';
import { readWaiting, waiting } from '../../parameters/waiting.ts';
import { toRecord } from '../../records/present.ts';
import { updatedSubscription } from '../../records/shapes.ts';
import type { ItemOperation, OperationContext } from '../definition.ts';
import { type Change, changeFields, readChanges } from './changes.ts';
import type { Subscription } from './existence.ts';
import { findByAddress, findSubscription, recentById } from './findSubscription.ts';
import { changesNotApplied } from './ignoredFields.ts';
import { beginUpdate, updateOne } from './updateJob.ts';

const properties = [subscriber, ...changeFields, ...waiting];

/** The update that was begun, and carried out where that was waited for. */
interface Updated {
  readonly change: Change;
  readonly job: string;
  readonly status: 'complete' | 'pending';
}

export const update: ItemOperation = {
  name: 'Update',
  description: 'Update tier, custom fields, lists or consent of a subscription; Bulk Update is faster for many',
  action: 'Update a subscription',
  recordParameter: subscriber,
  record: updatedSubscription,
  properties,
  async execute(context) {
    const named = readSubscriber(context);
    const { change, job, status } = await carryOut(context, named);
    const outcome = { subscription_update_id: job, subscription_update_status: status };
    if (status === 'pending') return [{ id: change.subscription_id, ...outcome }];
    const record = await readUpdated(context, named, change);
    if (record === undefined) {
      context.notice(
        'The subscriptions were updated, but not all could be read afterwards: the service finds one by its ID only by reading its list. Choose the subscription by its email to get it.',
      );
      return [{ id: change.subscription_id, ...outcome }];
    }
    const ignored = changesNotApplied(change, record);
    if (ignored.length > 0)
      context.notice(
        `The service did not apply ${labelsOf(ignored, properties)}. "ignored_fields" names them in each item.`,
      );
    return [toRecord({ ...record, ignored_fields: ignored, ...outcome })];
  },
  version1: {
    recordParameter: subscriber,
    properties,
    async execute(context) {
      const { change, job, status } = await carryOut(context, readSubscriber(context));
      const item: IDataObject = { subscription_id: change.subscription_id, subscription_update_id: job, status };
      return [item];
    },
  },
};

async function carryOut(context: OperationContext, named: Subscriber): Promise<Updated> {
  const seconds = readWaiting(context);
  const changes = await readChanges(context);
  const subscription_id = 'id' in named ? named.id : (await findSubscription(context, named)).id;
  const change = { subscription_id, ...changes };
  if (seconds === null) return { change, job: await beginUpdate(context, [change]), status: 'pending' };
  return { change, job: await updateOne(context, change, seconds), status: 'complete' };
}

/**
 * The subscription as it is now. One that is named by its ID is read by the address in the input item, if that is its
 * address; else the newest subscriptions are searched.
 */
async function readUpdated(
  context: OperationContext,
  named: Subscriber,
  { subscription_id: id, newsletter_list_ids, unsubscribe_newsletter_list_ids }: Change,
): Promise<Subscription | undefined> {
  const lists = newsletter_list_ids ?? unsubscribe_newsletter_list_ids;
  const expand = ['custom_fields', ...(lists ? (['newsletter_lists'] as const) : [])] as const;
  const json = context.node.getInputData()[context.itemIndex]?.json;
  const given = isRecord(json) && typeof json['email'] === 'string' ? json['email'] : undefined;
  const likely = 'email' in named ? named.email : given;
  const found = likely === undefined ? undefined : await findByAddress(context, likely, [...expand]);
  if (found?.id === id) return found;
  const recent = await recentById(context, id);
  return recent && findByAddress(context, recent.email, [...expand]);
}
