/** Subscription: Create. A known address is not an error: the service updates the subscription that has it. */
import type { INodeProperties } from 'n8n-workflow';
import { customFields, readCustomFields } from '../../parameters/customFields.ts';
import { readCollection, readValue } from '../../parameters/read.ts';
import type { OperationDefinition } from '../definition.ts';
import { toRecord } from '../record.ts';

const email: INodeProperties = {
  displayName: 'Email',
  name: 'email',
  type: 'string',
  placeholder: 'name@email.com',
  required: true,
  default: '',
  description: 'Address of the subscription. If it is subscribed already, its subscription is updated.',
};

/** Named as the fields of the request. */
export const additionalFields: readonly INodeProperties[] = [
  {
    displayName: 'Automation IDs',
    name: 'automation_ids',
    type: 'string',
    typeOptions: { multipleValues: true, multipleValueButtonText: 'Add ID' },
    placeholder: 'e.g. aut_00000000-0000-4000-8000-000000000001',
    default: [],
    description: 'Automations to enroll the subscriber into; each needs an active Add by API trigger',
  },
  {
    displayName: 'Complimentary Gift ID',
    name: 'complimentary_gift_id',
    type: 'string',
    placeholder: 'e.g. comp_access_00000000-0000-4000-8000-000000000001',
    default: '',
    description: 'Complimentary access of the same publication to apply',
  },
  {
    displayName: 'Double Opt-In',
    name: 'double_opt_override',
    type: 'options',
    default: 'not_set',
    options: [
      { name: 'Off', value: 'off', description: 'Active immediately, without a confirmation email' },
      { name: 'On', value: 'on', description: 'The subscriber has to confirm by email first' },
      { name: 'Publication Default', value: 'not_set' },
    ],
  },
  {
    displayName: 'Newsletter List IDs',
    name: 'newsletter_list_ids',
    type: 'string',
    typeOptions: { multipleValues: true, multipleValueButtonText: 'Add ID' },
    placeholder: 'e.g. nl_list_00000000-0000-4000-8000-000000000001',
    default: [],
    description: 'Newsletter lists of the same publication to subscribe to',
  },
  {
    displayName: 'Payments Customer ID',
    name: 'payments_customer_id',
    type: 'string',
    placeholder: 'e.g. cus_Q1w2E3r4T5',
    default: '',
    description: 'The customer at the payment processor',
  },
  {
    displayName: 'Premium Tier IDs',
    name: 'premium_tier_ids',
    type: 'string',
    typeOptions: { multipleValues: true, multipleValueButtonText: 'Add ID' },
    placeholder: 'e.g. tier_00000000-0000-4000-8000-000000000001',
    default: [],
    description: 'Premium tiers to assign, together with those given by name; they win over Tier',
  },
  {
    displayName: 'Premium Tier Names',
    name: 'premium_tiers',
    type: 'string',
    typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Name' },
    placeholder: 'e.g. Gold',
    default: [],
    description: 'Premium tiers to assign, together with those given by ID; they win over Tier',
  },
  {
    displayName: 'Reactivate Existing',
    name: 'reactivate_existing',
    type: 'boolean',
    default: false,
    description: 'Whether to reactivate a subscription that has unsubscribed. Only for people who knowingly subscribe again.',
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
  {
    displayName: 'Tier',
    name: 'tier',
    type: 'options',
    default: 'free',
    options: [
      { name: 'Free', value: 'free' },
      { name: 'Premium', value: 'premium' },
    ],
  },
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

export const create: OperationDefinition = {
  name: 'Create',
  description: 'Create a subscription, or update the one that has the address',
  action: 'Create a subscription',
  properties: [
    email,
    customFields,
    {
      displayName: 'Additional Fields',
      name: 'additionalFields',
      type: 'collection',
      placeholder: 'Add Field',
      default: {},
      options: [...additionalFields],
    },
  ],
  async execute({ node, itemIndex, engine, notice }) {
    const fields = await readCustomFields(node, itemIndex, engine);
    const { data, warnings } = await engine.call(
      'subscriptions.create',
      {
        ...readCollection(additionalFields, node.getNodeParameter('additionalFields', itemIndex, {})),
        email: String(readValue(email, node.getNodeParameter('email', itemIndex)) ?? ''),
        ...(fields.length > 0 && { custom_fields: fields.map(({ name, value }) => ({ name, value })) }),
      },
      { signal: node.getExecutionCancelSignal() },
    );
    if (!warnings || warnings.length === 0) return [toRecord(data)];
    for (const { message } of warnings) notice(`The subscription was created, with a warning of the service: ${message}`);
    return [toRecord({ ...data, warnings })];
  },
};
