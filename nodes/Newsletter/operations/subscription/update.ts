/** Subscription: Update and Bulk Update. */
import { deviationText } from '@newsletter-kit/core/engine';
import { bulkUpdateItemWords as words } from '@newsletter-kit/core/contract';
import { changesNotApplied } from '@newsletter-kit/core/import';
import type { INodeProperties } from 'n8n-workflow';
import { agentPermission } from '../../parameters/agents.ts';
import { customFields, readMapped } from '../../parameters/customFields.ts';
import { collection, describe, labelsOf, newsletterLists, texts, toggle } from '../../parameters/properties.ts';
import { ParameterMismatch, readFields } from '../../parameters/read.ts';
import { email, readSubscriber, subscriber, type Subscriber } from '../../parameters/subscription.ts';
import { toRecord, updatedSubscription } from '../../records.ts';
import type { BatchOperation, ItemOperation, OperationContext } from '../definition.ts';
import { gift, paymentsCustomer, tier } from './create.ts';
import {
  beginUpdate,
  inputSubscription,
  type JobChange,
  likelyAddress,
  type Planned,
  readWaiting,
  runInJobs,
  updateOne,
  waiting,
} from './jobs.ts';
import { withOldValue } from './ignoredFields.ts';
import { otherFields, withOtherFields } from './otherFields.ts';
import { findByAddress, findSubscription, notReadAgain, recentById, type Subscription } from './read.ts';

const updateFields: readonly INodeProperties[] = [
  texts('Add Name', {
    displayName: 'Clear Custom Fields',
    name: 'delete',
    placeholder: 'e.g. First Name',
    description: 'Names of custom fields whose values to remove',
  }),
  gift,
  newsletterLists({
    displayName: 'Join Newsletter List IDs',
    name: 'newsletter_list_ids',
    description: describe(words.newsletter_list_ids),
  }),
  newsletterLists({
    displayName: 'Leave Newsletter List IDs',
    name: 'unsubscribe_newsletter_list_ids',
    description: describe(words.unsubscribe_newsletter_list_ids),
  }),
  otherFields,
  paymentsCustomer,
  { ...tier, description: describe(words.tier) },
  toggle({ displayName: 'Unsubscribe', name: 'unsubscribe', description: describe(words.unsubscribe) }),
];

/** The parameters that fields of an input item fill, where they are mapped automatically; the address only names it. */
const mappedFields = [email, ...updateFields];

/** The parameters for the changes, named as the fields of the request. */
const changeFields: readonly INodeProperties[] = [
  customFields,
  ...collection('updateFields', 'Update Fields', 'Add Field', updateFields),
];

/**
 * Reads the changes of one item.
 *
 * @throws ParameterMismatch, also without any change
 */
async function readChanges(context: OperationContext): Promise<Omit<JobChange, 'subscription_id'>> {
  const entered = withOtherFields(readFields(context, 'updateFields', updateFields), changeFields);
  const { delete: cleared, ...chosen } = entered.fields;
  const { custom: set, values } = await readMapped(context, mappedFields, chosen);
  const fields = { ...values, ...chosen };
  const clear = Array.isArray(cleared) ? cleared.map((name) => ({ name: String(name), delete: true })) : [];
  if (set.length + clear.length + Object.keys(fields).length === 0) {
    throw new ParameterMismatch(
      'There is nothing to update: fill in "Custom Fields" or add a field to "Update Fields"',
    );
  }
  // The engine of a node knows no names in items of a list, and so tells none.
  for (const name of entered.others)
    context.notice(`The service differs from its specification. ${unknownField(name)}`);
  return { ...fields, ...(set.length + clear.length > 0 && { custom_fields: [...set, ...clear] }) };
}

const unknownField = (name: string): string =>
  deviationText({
    operation: 'subscriptions.bulkUpdate',
    part: 'request',
    field: `subscriptions[].${name}`,
    problem: 'is not in the specification; sent as it is',
    records: 1,
  });

const properties = [subscriber, ...changeFields, ...waiting];

export const update: ItemOperation = {
  name: 'Update',
  description: 'Update tier, custom fields, lists or consent of a subscription; Bulk Update is faster for many',
  action: 'Update a subscription',
  recordParameter: subscriber,
  record: updatedSubscription,
  properties,
  async execute(context) {
    const named = readSubscriber(context);
    const seconds = readWaiting(context);
    const changes = await readChanges(context);
    const before = 'id' in named ? undefined : await findSubscription(context, named, ['custom_fields']);
    const id = 'id' in named ? named.id : (before?.id ?? '');
    const change = { subscription_id: id, ...changes };
    if (seconds === null)
      return [{ id, subscription_update_id: await beginUpdate(context, [change]), job_status: 'pending' }];
    const job = await updateOne(context, change, seconds, likelyAddress(context, named));
    const outcome = { subscription_update_id: job, job_status: 'complete' };
    const record = await readUpdated(context, named, change);
    if (record === undefined) {
      context.notice(`The subscriptions were updated${notReadAgain}`);
      return [{ id, ...outcome }];
    }
    const notAsAsked = changesNotApplied(change, record);
    const ignored = before === undefined ? notAsAsked : withOldValue(notAsAsked, record, before);
    if (ignored.length > 0)
      context.notice(
        `The service did not apply ${labelsOf(ignored, properties)}. "ignored_fields" names them in each item.`,
      );
    return [toRecord({ ...record, ignored_fields: ignored, ...outcome })];
  },
};

/**
 * The subscription as it is now. One that is named by its ID is read by the address in the input item, if that is its
 * address; else the newest subscriptions are searched.
 */
async function readUpdated(
  context: OperationContext,
  named: Subscriber,
  { subscription_id: id, newsletter_list_ids, unsubscribe_newsletter_list_ids }: JobChange,
): Promise<Subscription | undefined> {
  const lists = newsletter_list_ids ?? unsubscribe_newsletter_list_ids;
  const expand = ['custom_fields', ...(lists ? (['newsletter_lists'] as const) : [])] as const;
  const likely = likelyAddress(context, named);
  const found = likely === undefined ? undefined : await findByAddress(context, likely, [...expand]);
  if (found?.id === id) return found;
  const recent = await recentById(context, id);
  return recent?.email ? findByAddress(context, recent.email, [...expand]) : recent;
}

const agents = agentPermission(
  'allowAgentsToBulkUpdate',
  'Allow Agents to Update in Bulk',
  'update subscriptions in bulk',
);

interface PlannedChange extends Planned {
  readonly changes: Omit<JobChange, 'subscription_id'>;
}

export const bulkUpdate: BatchOperation = {
  independent: true,
  name: 'Bulk Update',
  description: 'Update many subscriptions, one for each input item, in jobs of up to 1000',
  action: 'Update many subscriptions in bulk',
  properties: [inputSubscription, ...changeFields, ...waiting, agents.property],
  executeAll: (items, continueOnFail) =>
    runInJobs<PlannedChange>(items, continueOnFail, {
      agents,
      plan: async (context) => ({
        context,
        changes: await readChanges(context),
        seconds: readWaiting(context),
      }),
      changes: ({ changes }) => changes,
      submit: (batch) =>
        beginUpdate(
          batch[0].context,
          batch.map(({ subscriptionId, changes }) => ({ subscription_id: subscriptionId, ...changes })),
        ),
    }),
};
