/**
 * Subscription: Create, and Create or Update: their parameters, and the request made from them. Create or Update is the
 * one operation that reactivates.
 */
import { subscriptionRequestWords as words } from '@newsletter-kit/core/contract';
import { type Arguments, isRecord } from '@newsletter-kit/core/engine';
import type { INodeProperties } from 'n8n-workflow';
import { filledInByAgent, usedByAgent } from '../../execution.ts';
import { customFields, type MappingContext, readMapped } from '../../parameters/customFields.ts';
import { complimentaryAccess } from '../../parameters/locators.ts';
import {
  collection,
  describe,
  newsletterLists,
  premiumTiers,
  select,
  text,
  titleOf,
  toggle,
} from '../../parameters/properties.ts';
import { ParameterMismatch, readFields, readParameter } from '../../parameters/read.ts';
import { automations, doubleOptIn, email, tiers } from '../../parameters/subscription.ts';
import { upsertedSubscription } from '../../records.ts';
import type { ItemOperation, OperationContext } from '../definition.ts';
import { otherFields, withOtherFields } from './otherFields.ts';
import { findBefore, toItem, upsert } from './upsert.ts';

/** Name, label and description of a parameter for a field of the request, and what differs from other parameters. */
const field = (name: keyof typeof words, more: Partial<INodeProperties> = {}) => ({
  displayName: titleOf(name),
  name,
  description: describe(words[name]),
  ...more,
});

export const gift: INodeProperties = {
  ...complimentaryAccess,
  displayName: 'Complimentary Gift',
  name: 'complimentary_gift_id',
  required: false,
  description: describe(words.complimentary_gift_id),
};

export const paymentsCustomer = text(field('payments_customer_id', { placeholder: 'e.g. cus_Q1w2E3r4T5' }));

export const tier: INodeProperties = { ...field('tier'), type: 'options', default: 'free', options: [...tiers] };

/** Named as the fields of the request. */
export const additionalFields: readonly INodeProperties[] = [
  automations,
  gift,
  doubleOptIn,
  newsletterLists({
    displayName: 'Newsletter List IDs',
    name: 'newsletter_list_ids',
    description: describe(words.newsletter_list_ids),
  }),
  paymentsCustomer,
  ...premiumTiers({
    byId: describe(words.premium_tier_ids),
    byName: describe(words.premium_tiers),
  }),
  text(field('referral_code', { placeholder: 'e.g. gBZbSVal1X' })),
  text(field('referring_site', { placeholder: 'e.g. https://www.example.com/blog' })),
  toggle(field('send_welcome_email')),
  toggle(field('skip_newsletter_list_auto_subscribe', { displayName: 'Skip Newsletter List Auto-Subscribe' })),
  tier,
  text(field('utm_campaign', { placeholder: 'e.g. spring-launch' })),
  text(field('utm_content', { placeholder: 'e.g. header-button' })),
  text(field('utm_medium', { placeholder: 'e.g. social' })),
  text(field('utm_source', { placeholder: 'e.g. instagram' })),
  text(field('utm_term', { placeholder: 'e.g. newsletter design' })),
];

/**
 * A parameter of Create or Update alone. Create leaves an existing subscription unchanged, and Bulk Import would have
 * one switch for all items.
 */
const reactivation = toggle(
  field('reactivate_existing', {
    displayName: 'Reactivate Someone Who Unsubscribed',
    displayOptions: { hide: { '@tool': [true] } },
  }),
);

const optional = (fields: readonly INodeProperties[]): readonly INodeProperties[] =>
  collection('additionalFields', 'Additional Fields', 'Add Field', fields);

/** All parameters but the reactivation, named as the fields of the request. */
export const requestFields: readonly INodeProperties[] = [email, customFields, ...optional(additionalFields)];

/** The parameters that fields of an input item fill, where they are mapped automatically. */
export const mappedFields: readonly INodeProperties[] = [email, ...additionalFields];

/** Those of single requests: an import takes no fields but its own. */
const singleFields = [...additionalFields, otherFields];

/**
 * Reads the request of one item, without the reactivation.
 *
 * @param parameters - of the operation, which errors name
 * @throws ParameterMismatch
 */
export async function readRequest(
  context: MappingContext,
  parameters = requestFields,
): Promise<Omit<Arguments<'subscriptions.create'>, 'reactivate_existing'>> {
  const entered = {
    ...withOtherFields(readFields(context, 'additionalFields', singleFields), parameters).fields,
    email: String(readParameter(context, email)),
  };
  const { custom, values } = await readMapped(context, mappedFields, entered);
  return { ...values, ...entered, ...(custom.length > 0 && { custom_fields: [...custom] }) };
}

const ifSubscribed = select({
  displayName: 'If Already Subscribed',
  name: 'ifSubscribed',
  default: 'refuse',
  description: 'What to do where a subscription has the address already; it stays unchanged in either case',
  options: [
    {
      name: 'Pass Over',
      value: 'passOver',
      description: 'Return the existing subscription, with "outcome": "unchanged"',
    },
    { name: 'Refuse', value: 'refuse', description: 'Let the item fail' },
  ],
});

const properties = [email, ifSubscribed, customFields, ...optional(singleFields)];

export const create: ItemOperation = {
  name: 'Create',
  description: 'Create a subscription, and leave an existing one unchanged',
  action: 'Create a subscription',
  record: upsertedSubscription,
  recordParameter: email,
  properties,
  async execute(context) {
    const request = await readRequest(context, properties);
    const { found } = await findBefore(context, request.email);
    if (found === null) return [await upsert(context, request, properties, false)];
    if (readParameter(context, ifSubscribed) === 'passOver')
      return [toItem(context, { record: found, outcome: 'unchanged', ignored: [] }, properties)];
    throw new ParameterMismatch(
      '"Email" is subscribed already; nothing was changed. Use Create or Update to change the existing subscription',
    );
  },
};

const updatable = [email, customFields, ...optional([...singleFields, reactivation])];

export const createOrUpdate: ItemOperation = {
  name: 'Create or Update',
  description: 'Create a new subscription, or update the current one if it already exists (upsert)',
  action: 'Create or update a subscription',
  record: upsertedSubscription,
  recordParameter: email,
  properties: updatable,
  async execute(context) {
    const request = { ...(await readRequest(context, updatable)), ...readReactivation(context) };
    return [await upsert(context, request, updatable)];
  },
};

/** @throws ParameterMismatch where an AI agent asks for it: only the person gives consent */
function readReactivation(context: OperationContext): { reactivate_existing?: boolean } {
  const { [reactivation.name]: asked } = readFields(context, 'additionalFields', [reactivation]);
  if (asked !== true) return asked === false ? { reactivate_existing: false } : {};
  if (usedByAgent(context.node) || filledInByAgent(asWritten(context)))
    throw new ParameterMismatch(
      `An AI agent cannot use "${reactivation.displayName}": only the person gives consent. Remove the field, or set it without $fromAI in a node that no agent uses`,
    );
  return { reactivate_existing: true };
}

/** The setting as it stands in the workflow; where the whole collection is an expression, that. */
function asWritten({ node }: OperationContext): unknown {
  const entered: unknown = node.getNode().parameters['additionalFields'];
  return isRecord(entered) ? entered[reactivation.name] : entered;
}
