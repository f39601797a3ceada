/** What a subscription is created with: the parameters of Create and of Create or Update, and the request they make. */
import { subscriptionRequestWords as words } from '@newsletter-kit/core/contract';
import type { Arguments } from '@newsletter-kit/core/engine';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { customFields, type ReadableNode, readCustomFields } from '../../parameters/customFields.ts';
import { complimentaryAccess } from '../../parameters/locators.ts';
import { collection, describe, newsletterLists, premiumTiers } from '../../parameters/propertyBuilders.ts';
import { readFields, readParameter } from '../../parameters/read.ts';
import { automations, doubleOptIn, email, tiers } from '../../parameters/subscription.ts';
import { toRecord } from '../../records/present.ts';
import type { OperationContext } from '../definition.ts';

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

/** The parameters, named as the fields of the request. */
export const requestFields: readonly INodeProperties[] = [
  email,
  customFields,
  ...collection('additionalFields', 'Additional Fields', 'Add Field', additionalFields),
];

/**
 * Reads them for one item.
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

/** Sends it. What the service warns about is shown as a notice, and stays with the record. */
export async function sendRequest(
  { engine, call, notice }: OperationContext,
  request: Arguments<'subscriptions.create'>,
): Promise<IDataObject> {
  const { data, warnings } = await engine.call('subscriptions.create', request, call);
  if (!warnings || warnings.length === 0) return toRecord(data);
  for (const { message } of warnings) notice(`The subscription was saved, with a warning of the service: ${message}`);
  return toRecord({ ...data, warnings });
}
