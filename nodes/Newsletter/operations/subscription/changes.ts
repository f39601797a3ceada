/** What Update and Bulk Update change of a subscription: the parameters, and the item of the request they make. */
import { bulkUpdateItemWords as words } from '@newsletter-kit/core/contract';
import type { Arguments } from '@newsletter-kit/core/engine';
import type { INodeProperties } from 'n8n-workflow';
import { customFields, readCustomFields } from '../../parameters/customFields.ts';
import { collection, describe, newsletterLists, texts } from '../../parameters/propertyBuilders.ts';
import { ParameterMismatch, readFields } from '../../parameters/read.ts';
import type { OperationContext } from '../definition.ts';
import { gift, paymentsCustomer, tier } from './requestFields.ts';

/** One subscription and what is to change of it. */
export type Change = Arguments<'subscriptions.bulkUpdate'>['subscriptions'][number];

const updateFields: readonly INodeProperties[] = [
  texts('Add Name', {
    displayName: 'Clear Custom Fields',
    name: 'delete',
    placeholder: 'e.g. First Name',
    description: 'Names of custom fields whose values are taken from the subscription',
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
  paymentsCustomer,
  { ...tier, description: describe(words.tier) },
  {
    displayName: 'Unsubscribe',
    name: 'unsubscribe',
    type: 'boolean',
    default: false,
    description: describe(words.unsubscribe),
  },
];

/** The parameters, named as the fields of the request. */
export const changeFields: readonly INodeProperties[] = [
  customFields,
  ...collection('updateFields', 'Update Fields', 'Add Field', updateFields),
];

/**
 * Reads them for one item.
 *
 * @throws ParameterMismatch, also where nothing is to change
 */
export async function readChanges(context: OperationContext): Promise<Omit<Change, 'subscription_id'>> {
  const { delete: cleared, ...fields } = readFields(context, 'updateFields', updateFields);
  const set = await readCustomFields(context.node, context.itemIndex, context.engine);
  const clear = Array.isArray(cleared) ? cleared.map((name) => ({ name: String(name), delete: true })) : [];
  if (set.length + clear.length + Object.keys(fields).length === 0) {
    throw new ParameterMismatch(
      'There is nothing to update: fill in "Custom Fields" or add a field to "Update Fields"',
    );
  }
  return { ...fields, ...(set.length + clear.length > 0 && { custom_fields: [...set, ...clear] }) };
}
