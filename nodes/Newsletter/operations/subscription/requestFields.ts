/** What a subscription is created with: the parameters of Create and of Create or Update, and the request they make. */
import type { Arguments } from '@newsletter-kit/core/engine';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { automations } from '../../parameters/automations.ts';
import { collection } from '../../parameters/collection.ts';
import { customFields, readCustomFields, type ReadableNode } from '../../parameters/customFields.ts';
import { doubleOptIn } from '../../parameters/doubleOptIn.ts';
import { email } from '../../parameters/email.ts';
import { readFields, readParameter } from '../../parameters/read.ts';
import { newsletterLists, premiumTiers } from '../../parameters/texts.ts';
import { toRecord } from '../../records/record.ts';
import type { OperationContext } from '../definition.ts';
import { gift, paymentsCustomer, tier } from './fields.ts';

/** Named as the fields of the request. */
export const additionalFields: readonly INodeProperties[] = [
  automations,
  gift,
  doubleOptIn,
  newsletterLists({
    displayName: 'Newsletter List IDs',
    name: 'newsletter_list_ids',
    description: 'Newsletter lists of the same publication to subscribe to',
  }),
  paymentsCustomer,
  ...premiumTiers({
    byId: 'Premium tiers to assign, together with those given by name; they win over Tier',
    byName: 'Premium tiers to assign, together with those given by ID; they win over Tier',
  }),
  {
    displayName: 'Reactivate Existing',
    name: 'reactivate_existing',
    type: 'boolean',
    default: false,
    description:
      'Whether to reactivate a subscription that has unsubscribed. Only for people who knowingly subscribe again.',
  },
  {
    displayName: 'Referral Code',
    name: 'referral_code',
    type: 'string',
    placeholder: 'e.g. gBZbSVal1X',
    default: '',
    description: 'The code of the subscriber who gets the credit for the referral',
  },
  {
    displayName: 'Referring Site',
    name: 'referring_site',
    type: 'string',
    placeholder: 'e.g. https://www.example.com/blog',
    default: '',
    description: 'The website the subscriber came from',
  },
  {
    displayName: 'Send Welcome Email',
    name: 'send_welcome_email',
    type: 'boolean',
    default: false,
    description: 'Whether to send the welcome email of the publication',
  },
  {
    displayName: 'Skip Newsletter List Auto-Subscribe',
    name: 'skip_newsletter_list_auto_subscribe',
    type: 'boolean',
    default: false,
    description: 'Whether to leave out the lists that new subscribers are put on automatically',
  },
  tier,
  { displayName: 'UTM Campaign', name: 'utm_campaign', type: 'string', placeholder: 'e.g. spring-launch', default: '' },
  {
    displayName: 'UTM Content',
    name: 'utm_content',
    type: 'string',
    placeholder: 'e.g. header-button',
    default: '',
    description: 'Content or A/B variation',
  },
  { displayName: 'UTM Medium', name: 'utm_medium', type: 'string', placeholder: 'e.g. social', default: '' },
  { displayName: 'UTM Source', name: 'utm_source', type: 'string', placeholder: 'e.g. instagram', default: '' },
  {
    displayName: 'UTM Term',
    name: 'utm_term',
    type: 'string',
    placeholder: 'e.g. newsletter design',
    default: '',
    description: 'Keyword or search term',
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
