/** The parameters of the sync node: the mode, where the parts of a contact stand, the mapped fields, the situations. */
import type { INodeProperties } from 'n8n-workflow';
import { collection } from '../parameters/properties.ts';

export const mode: INodeProperties = {
  displayName: 'Mode',
  name: 'mode',
  type: 'options',
  noDataExpression: true,
  default: 'preview',
  description: 'Whether to only plan the changes, or to make them',
  options: [
    {
      name: 'Apply',
      value: 'apply',
      description: 'Change subscriptions, and give the changes of contacts to the outputs',
    },
    { name: 'Preview', value: 'preview', description: 'Write nothing, and report what Apply would do' },
  ],
};

const previewNotice: INodeProperties = {
  displayName:
    'Preview writes nothing, and <i>Create Contact</i> and <i>Update Contact</i> give no items. <i>Report</i> lists what Apply would change, <i>Review</i> what a person has to decide.',
  name: 'previewNotice',
  type: 'notice',
  default: '',
  displayOptions: { show: { mode: ['preview'] } },
};

const applyNotice: INodeProperties = {
  displayName:
    'Connect <i>Create Contact</i> and <i>Update Contact</i> to nodes of your CRM that write every field of an item, the sync token among them. n8n saves what this node remembers between runs only after production executions, not after those started by hand.',
  name: 'applyNotice',
  type: 'notice',
  default: '',
  displayOptions: { show: { mode: ['apply'] } },
};

export const scope: INodeProperties = {
  displayName: 'Contacts',
  name: 'contacts',
  type: 'options',
  noDataExpression: true,
  default: 'everything',
  description: 'What the input items of one execution are',
  options: [
    {
      name: 'Everything',
      value: 'everything',
      description:
        'All contacts of the CRM in one run: not a page of them, and not in a loop. Every subscription is read, 100 a request.',
    },
    {
      name: 'Only Incoming',
      value: 'incoming',
      description:
        'Some contacts, for example of a trigger. Each is looked up by its address, one request each. Nothing counts as missing, and nothing is created.',
    },
  ],
};

/** A parameter that names a field of the contact. It takes no expression: the path is the same for every item. */
function path(
  described: Pick<INodeProperties, 'displayName' | 'name' | 'default' | 'description'> & { placeholder: string },
): INodeProperties {
  return { ...described, type: 'string', noDataExpression: true, requiresDataPath: 'single' };
}

export const idField: INodeProperties = {
  ...path({
    displayName: 'ID Field',
    name: 'idField',
    default: 'id',
    placeholder: 'e.g. id',
    description: 'Field of the contact that holds its ID. Nested fields are named with dots.',
  }),
  required: true,
};

export const addressField: INodeProperties = {
  ...path({
    displayName: 'Address Field',
    name: 'addressField',
    default: 'email',
    placeholder: 'e.g. properties.email',
    description: 'Field of the contact that holds the email address. Nested fields are named with dots.',
  }),
  required: true,
};

export const tokenField: INodeProperties = {
  ...path({
    displayName: 'Sync Token Field',
    name: 'tokenField',
    default: 'newsletter_sync_token',
    placeholder: 'e.g. properties.newsletter_sync_token',
    description:
      'Text field of the contact with room for 255 characters that belongs to this node alone. It holds what both sides last agreed on.',
  }),
  required: true,
};

export const optOutField: INodeProperties = path({
  displayName: 'Opt-Out Field',
  name: 'optOutField',
  default: '',
  placeholder: 'e.g. properties.do_not_mail',
  description: 'Yes/no field of the contact that forbids newsletters: setting it unsubscribes the person. Optional.',
});

export const newsletterField: INodeProperties = {
  displayName: 'Newsletter Field Name or ID',
  name: 'newsletter',
  type: 'options',
  required: true,
  default: '',
  typeOptions: { loadOptionsMethod: 'getSyncFields', loadOptionsDependsOn: ['publicationId.value'] },
  description:
    'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
};

export const contactField: INodeProperties = {
  ...path({
    displayName: 'Contact Field',
    name: 'contact',
    default: '',
    placeholder: 'e.g. properties.city',
    description: 'Field of the contact. Nested fields are named with dots.',
  }),
  required: true,
};

export const direction: INodeProperties = {
  displayName: 'Direction',
  name: 'direction',
  type: 'options',
  noDataExpression: true,
  default: 'to_contact',
  description: 'Where a changed value goes. The properties of a subscription only go to the contact.',
  options: [
    { name: 'Both Ways', value: 'both' },
    { name: 'To Contact', value: 'to_contact' },
    { name: 'To Newsletter', value: 'to_subscription' },
  ],
};

export const conflict: INodeProperties = {
  displayName: 'On Conflict',
  name: 'conflict',
  type: 'options',
  noDataExpression: true,
  default: 'review',
  description: 'What to do where both sides changed the field since the last run',
  options: [
    { name: 'CRM', value: 'crm', description: 'The value of the contact goes to the newsletter' },
    { name: 'Newsletter', value: 'newsletter', description: 'The value of the newsletter goes to the contact' },
    { name: 'Review', value: 'review', description: 'Both values stay, and the Review output reports them' },
  ],
  displayOptions: { show: { direction: ['both'] } },
};

const separator: INodeProperties = {
  displayName: 'List Separator',
  name: 'separator',
  type: 'string',
  noDataExpression: true,
  default: ';',
  placeholder: 'e.g. ;',
  description:
    'What stands between the members of a list that the CRM keeps as one text. Without it a list is an array.',
};

/** The mapped fields, each with a row of its own. */
export const fields: INodeProperties = {
  displayName: 'Fields',
  name: 'fields',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true, sortable: true },
  placeholder: 'Add Field',
  default: {},
  description: 'Fields whose values are kept the same on both sides',
  options: [
    {
      displayName: 'Field',
      name: 'field',
      values: [
        newsletterField,
        contactField,
        direction,
        conflict,
        ...collection('options', 'Options', 'Add option', [separator]),
      ],
    },
  ],
};

export const subscribe: INodeProperties = {
  displayName: 'Subscribe Unknown Contacts',
  name: 'subscribe',
  type: 'options',
  noDataExpression: true,
  default: 'never',
  description: 'Whether contacts that the newsletter does not know are subscribed. Opted-out contacts never are.',
  options: [
    { name: 'If Consent Field Is True', value: 'on_consent', description: 'The contact says that the person agreed' },
    { name: 'Never', value: 'never' },
    { name: 'With Confirmation', value: 'with_confirmation', description: 'Each person is asked by double opt-in' },
  ],
  displayOptions: { show: { contacts: ['everything'] } },
};

export const consentField: INodeProperties = {
  ...path({
    displayName: 'Consent Field',
    name: 'consentField',
    default: '',
    placeholder: 'e.g. properties.newsletter_consent',
    description: 'Yes/no field of the contact that says whether the person agreed to receive the newsletter',
  }),
  required: true,
  displayOptions: { show: { contacts: ['everything'], subscribe: ['on_consent'] } },
};

export const accept: INodeProperties = {
  displayName: 'Accept Large Changes',
  name: 'accept',
  type: 'boolean',
  default: false,
  description: 'Whether to carry out a plan that would be held back. Set it for one run, after reading the report.',
};

export const heldShare: INodeProperties = {
  displayName: 'Hold Above (%)',
  name: 'heldShare',
  type: 'number',
  typeOptions: { minValue: 0, maxValue: 100 },
  default: 5,
  description:
    'A plan that unsubscribes, clears or removes for more than this share of the pairs is held back, if it is more than Hold Above (Count) as well',
};

export const heldCount: INodeProperties = {
  displayName: 'Hold Above (Count)',
  name: 'heldCount',
  type: 'number',
  typeOptions: { minValue: 0, numberPrecision: 0 },
  default: 20,
  description: 'A plan that unsubscribes, clears or removes for no more pairs than this is never held back',
};

export const setOnUnsubscribe: INodeProperties = {
  displayName: 'Unsubscribe Sets Opt-Out',
  name: 'setOnUnsubscribe',
  type: 'boolean',
  default: true,
  description: 'Whether leaving the newsletter sets the Opt-Out Field of the contact',
};

export const emptyValue: INodeProperties = {
  displayName: 'Empty Value',
  name: 'emptyValue',
  type: 'options',
  default: 'null',
  description: 'What a contact field without a value is written as',
  options: [
    { name: 'Empty Text', value: 'text' },
    { name: 'Null', value: 'null' },
  ],
};

export const missingIsEmpty: INodeProperties = {
  displayName: 'Missing Fields Are Empty',
  name: 'missingIsEmpty',
  type: 'boolean',
  default: false,
  description:
    'Whether a field that an item lacks is empty, as Airtable delivers it. Otherwise it counts as not delivered, and is left alone.',
};

/** Named as the situations of the mapping, and so are their values. */
export const situations: readonly INodeProperties[] = [
  {
    displayName: 'Address Changed in CRM',
    name: 'addressChangedInCrm',
    type: 'options',
    default: 'report',
    description: 'What to do where a contact got another address',
    options: [
      {
        name: 'Move Subscription',
        value: 'move',
        description: 'Ask the new address to confirm, and unsubscribe the old one once it has',
      },
      { name: 'Review', value: 'report', description: 'The old subscription stays' },
    ],
  },
  {
    displayName: 'Address Changed in Newsletter',
    name: 'addressChangedInNewsletter',
    type: 'options',
    default: 'write',
    description: 'What to do where a subscription got another address',
    options: [
      { name: 'Review', value: 'report', description: 'The contact keeps its address' },
      { name: 'Update Contact', value: 'write', description: 'Write the new address to the contact' },
    ],
  },
  {
    displayName: 'Ambiguous Contacts',
    name: 'ambiguous',
    type: 'options',
    default: 'wait',
    description: 'What to do where several contacts belong to one subscription. An opt-out counts for all of them.',
    options: [
      {
        name: 'Use Linked Contact',
        value: 'use_linked',
        description: 'Go on with the contact whose sync token names the subscription',
      },
      { name: 'Wait', value: 'wait', description: 'Write no values until a person has merged the contacts' },
    ],
  },
  {
    displayName: 'Contact Missing',
    name: 'contactMissing',
    type: 'options',
    default: 'leave',
    description: 'What to do with a known subscription whose contact was missing in two complete runs',
    options: [
      { name: 'Create Contact', value: 'create_contact' },
      { name: 'Leave', value: 'leave' },
      { name: 'Unsubscribe', value: 'unsubscribe', description: 'This cannot be undone' },
    ],
  },
  {
    displayName: 'New Subscription',
    name: 'newSubscription',
    type: 'options',
    default: 'create_contact',
    description: 'What to do with a new subscription that has no contact',
    options: [
      { name: 'Create Contact', value: 'create_contact' },
      { name: 'Leave', value: 'leave' },
    ],
  },
  {
    displayName: 'Subscription Missing',
    name: 'subscriptionMissing',
    type: 'options',
    default: 'mark_removed',
    description: 'What to do with a contact whose subscription was missing in two complete runs',
    options: [
      { name: 'Leave', value: 'leave' },
      {
        name: 'Mark as Removed',
        value: 'mark_removed',
        description: 'Write "removed" to the field that Status is mapped to',
      },
    ],
  },
];

/** Everything that has a safe default. */
export const options: readonly INodeProperties[] = [
  accept,
  emptyValue,
  heldShare,
  heldCount,
  missingIsEmpty,
  setOnUnsubscribe,
  ...situations,
].toSorted((a, b) => a.displayName.localeCompare(b.displayName, 'en'));

/** In the order of the form; authentication comes before them. */
export const beforePublication: readonly INodeProperties[] = [mode, previewNotice, applyNotice];
export const afterPublication: readonly INodeProperties[] = [
  scope,
  idField,
  addressField,
  tokenField,
  optOutField,
  fields,
  subscribe,
  consentField,
  ...collection('options', 'Options', 'Add option', options),
];
