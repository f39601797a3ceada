/** Subscription: Create, and Create or Update: their parameters, and the request made from them. */
import { subscriptionRequestWords as words } from '@newsletter-kit/core/contract';
import type { Arguments } from '@newsletter-kit/core/engine';
import type { INodeProperties } from 'n8n-workflow';
import { customFields, type ReadableNode, readCustomFields } from '../../parameters/customFields.ts';
import { complimentaryAccess } from '../../parameters/locators.ts';
import { collection, describe, newsletterLists, premiumTiers } from '../../parameters/properties.ts';
import { ParameterMismatch, readFields, readParameter } from '../../parameters/read.ts';
import { automations, doubleOptIn, email, tiers } from '../../parameters/subscription.ts';
import { upsertedSubscription } from '../../records.ts';
import type { ItemOperation, OperationContext } from '../definition.ts';
import { findByAddress } from './read.ts';
import { createNew, toItem, upsert } from './upsert.ts';

export const gift: INodeProperties = {
  ...complimentaryAccess,
  displayName: 'Complimentary Gift',
  name: 'complimentary_gift_id',
  required: false,
  description: describe(words.complimentary_gift_id),
};

export const paymentsCustomer: INodeProperties = {
  displayName: 'Payments Customer ID',
  name: 'payments_customer_id',
  type: 'string',
  placeholder: 'e.g. cus_Q1w2E3r4T5',
  default: '',
  description: describe(words.payments_customer_id),
};

export const tier: INodeProperties = {
  displayName: 'Tier',
  name: 'tier',
  type: 'options',
  default: 'free',
  description: describe(words.tier),
  options: [...tiers],
};

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
  {
    displayName: 'Reactivate Existing',
    name: 'reactivate_existing',
    type: 'boolean',
    default: false,
    description: describe(words.reactivate_existing),
  },
  {
    displayName: 'Referral Code',
    name: 'referral_code',
    type: 'string',
    placeholder: 'e.g. gBZbSVal1X',
    default: '',
    description: describe(words.referral_code),
  },
  {
    displayName: 'Referring Site',
    name: 'referring_site',
    type: 'string',
    placeholder: 'e.g. https://www.example.com/blog',
    default: '',
    description: describe(words.referring_site),
  },
  {
    displayName: 'Send Welcome Email',
    name: 'send_welcome_email',
    type: 'boolean',
    default: false,
    description: describe(words.send_welcome_email),
  },
  {
    displayName: 'Skip Newsletter List Auto-Subscribe',
    name: 'skip_newsletter_list_auto_subscribe',
    type: 'boolean',
    default: false,
    description: describe(words.skip_newsletter_list_auto_subscribe),
  },
  tier,
  {
    displayName: 'UTM Campaign',
    name: 'utm_campaign',
    type: 'string',
    placeholder: 'e.g. spring-launch',
    default: '',
    description: describe(words.utm_campaign),
  },
  {
    displayName: 'UTM Content',
    name: 'utm_content',
    type: 'string',
    placeholder: 'e.g. header-button',
    default: '',
    description: describe(words.utm_content),
  },
  {
    displayName: 'UTM Medium',
    name: 'utm_medium',
    type: 'string',
    placeholder: 'e.g. social',
    default: '',
    description: describe(words.utm_medium),
  },
  {
    displayName: 'UTM Source',
    name: 'utm_source',
    type: 'string',
    placeholder: 'e.g. instagram',
    default: '',
    description: describe(words.utm_source),
  },
  {
    displayName: 'UTM Term',
    name: 'utm_term',
    type: 'string',
    placeholder: 'e.g. newsletter design',
    default: '',
    description: describe(words.utm_term),
  },
];

/** All parameters, named as the fields of the request. */
export const requestFields: readonly INodeProperties[] = [
  email,
  customFields,
  ...collection('additionalFields', 'Additional Fields', 'Add Field', additionalFields),
];

/**
 * Reads the request of one item.
 *
 * @throws ParameterMismatch
 */
export async function readRequest(
  context: Pick<OperationContext, 'itemIndex' | 'engine'> & { readonly node: ReadableNode },
): Promise<Arguments<'subscriptions.create'>> {
  const values = await readCustomFields(context.node, context.itemIndex, context.engine);
  return {
    ...readFields(context, 'additionalFields', additionalFields),
    email: String(readParameter(context, email)),
    ...(values.length > 0 && { custom_fields: values.map(({ name, value }) => ({ name, value })) }),
  };
}

const ifSubscribed: INodeProperties = {
  displayName: 'If Already Subscribed',
  name: 'ifSubscribed',
  type: 'options',
  default: 'refuse',
  description: 'What to do where a subscription has the address already; it stays unchanged in either case',
  options: [
    { name: 'Pass Over', value: 'passOver', description: 'Return the existing subscription, with "created": false' },
    { name: 'Refuse', value: 'refuse', description: 'Let the item fail' },
  ],
};

const [address = email, mappedFields = email] = requestFields;
/** Create leaves an existing subscription unchanged, so it reactivates none. */
const ofNew = additionalFields.filter(({ name }) => name !== 'reactivate_existing');
const properties = [
  address,
  ifSubscribed,
  mappedFields,
  ...collection('additionalFields', 'Additional Fields', 'Add Field', ofNew),
];

export const create: ItemOperation = {
  name: 'Create',
  description: 'Create a subscription, and leave an existing one unchanged',
  action: 'Create a subscription',
  record: upsertedSubscription,
  recordParameter: email,
  properties,
  async execute(context) {
    const request = await readRequest(context);
    delete request.reactivate_existing;
    const found = await findByAddress(context, request.email, ['custom_fields']);
    if (found === undefined) return [await createNew(context, request, properties)];
    if (readParameter(context, ifSubscribed) === 'passOver')
      return [toItem(context, { record: found, created: false, ignored: [] }, properties)];
    throw new ParameterMismatch(
      '"Email" is subscribed already; nothing was changed. Use Create or Update to change the existing subscription',
    );
  },
};

export const createOrUpdate: ItemOperation = {
  name: 'Create or Update',
  description: 'Create a new subscription, or update the current one if it already exists (upsert)',
  action: 'Create or update a subscription',
  record: upsertedSubscription,
  recordParameter: email,
  properties: requestFields,
  async execute(context) {
    return [await upsert(context, await readRequest(context), requestFields)];
  },
};
