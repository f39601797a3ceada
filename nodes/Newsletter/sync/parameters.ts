/** The parameters of the sync node: operation, mode, fields of a contact, mapped fields, situations. */
import type { INodeCredentialDescription, INodeProperties } from 'n8n-workflow';
import { authentication, credentials, publication } from '../parameters/connection.ts';
import { collection, notice, number, select, text, toggle } from '../parameters/properties.ts';
import { answerParameters } from './answers.ts';

/** A choice without expressions: a run has one for all of its items. */
const setting: typeof select = (described) => select({ noDataExpression: true, ...described });

export const operation = setting({
  displayName: 'Operation',
  name: 'operation',
  default: 'sync',
  options: [
    {
      name: 'Check CRM Answers',
      value: 'checkAnswers',
      description: 'Read what the nodes of the CRM answered, and return what was refused. It sends no request.',
      action: 'Check CRM answers',
    },
    {
      name: 'Sync Contacts',
      value: 'sync',
      description: 'Compare both sides, and return the contacts to create and to update',
      action: 'Sync contacts',
    },
  ],
});

/**
 * Hides the property for Check CRM Answers. Where n8n leaves out defaults, as in some calls of the editor, the
 * operation is missing, and the properties of the sync are there.
 */
function forSync<Property extends { readonly displayOptions?: INodeProperties['displayOptions'] }>(
  property: Property,
): Property {
  return { ...property, displayOptions: { ...property.displayOptions, hide: { operation: ['checkAnswers'] } } };
}

/** The operation Check CRM Answers sends no request, so it needs no credential. */
export const syncCredentials: INodeCredentialDescription[] = credentials.map(forSync);

export const mode = setting({
  displayName: 'Mode',
  name: 'mode',
  default: 'preview',
  description: 'Whether to only plan the changes, or to apply them',
  options: [
    {
      name: 'Apply',
      value: 'apply',
      description: 'Change subscriptions, and return the changes of contacts at the outputs',
    },
    { name: 'Preview', value: 'preview', description: 'Write nothing, and list what Apply would do' },
  ],
});

const previewNotice = notice({
  displayName:
    'Preview writes nothing, and <i>Create Contact</i> and <i>Update Contact</i> return nothing. <i>Planned</i> lists each change that Apply would make, <i>Report</i> sums it up, <i>Review</i> lists decisions for a person.',
  name: 'previewNotice',
  displayOptions: { show: { mode: ['preview'] } },
});

const applyNotice = notice({
  displayName:
    'Connect <i>Create Contact</i> and <i>Update Contact</i> to nodes of your CRM that write every field of an item, the sync token included. A plan that is held back leaves by <i>Held</i>: connect it to <i>Stop and Error</i>. n8n saves the state of this node only after production executions, not after manual ones.',
  name: 'applyNotice',
  displayOptions: { show: { mode: ['apply'] } },
});

export const scope = setting({
  displayName: 'Contacts',
  name: 'contacts',
  default: 'everything',
  description: 'Which contacts the input items of one execution are',
  options: [
    {
      name: 'Everything',
      value: 'everything',
      description:
        'All contacts of the CRM in one run, neither page by page nor in a loop. Every subscription is read, 100 per request.',
    },
    {
      name: 'Only Incoming',
      value: 'incoming',
      description:
        'Some contacts, for example from a trigger. Each is looked up by its address with one request. None counts as missing, and none is created.',
    },
  ],
});

/** A parameter for a field of the contact, without expressions: the path is the same for every item. */
function path(
  described: Pick<INodeProperties, 'displayName' | 'name' | 'description'> & Partial<INodeProperties>,
): INodeProperties {
  return text({ noDataExpression: true, requiresDataPath: 'single', ...described });
}

export const idField = path({
  displayName: 'ID Field',
  name: 'idField',
  default: 'id',
  placeholder: 'e.g. id',
  description: 'Field of the contact that holds its ID. Nested fields are named with dots.',
  required: true,
});

export const addressField = path({
  displayName: 'Address Field',
  name: 'addressField',
  default: 'email',
  placeholder: 'e.g. properties.email',
  description: 'Field of the contact that holds the email address. Nested fields are named with dots.',
  required: true,
});

export const tokenField = path({
  displayName: 'Sync Token Field',
  name: 'tokenField',
  default: 'newsletter_sync_token',
  placeholder: 'e.g. properties.newsletter_sync_token',
  description:
    'Text field of the contact for 255 characters that only this node writes. It records the values on which both sides last agreed.',
  required: true,
});

export const optOutField = path({
  displayName: 'Opt-Out Field',
  name: 'optOutField',
  placeholder: 'e.g. properties.do_not_mail',
  description:
    'Field of the contact that forbids newsletters by yes, a time, a reason, or a word that few contacts have: setting it unsubscribes the person. Optional.',
});

export const newsletterField = select({
  displayName: 'Newsletter Field Name or ID',
  name: 'newsletter',
  required: true,
  typeOptions: { loadOptionsMethod: 'getSyncFields', loadOptionsDependsOn: ['publicationId.value'] },
  description:
    'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
});

export const contactField = path({
  displayName: 'Contact Field',
  name: 'contact',
  placeholder: 'e.g. properties.city',
  description: 'Field of the contact. Nested fields are named with dots.',
  required: true,
});

export const direction = setting({
  displayName: 'Direction',
  name: 'direction',
  default: 'to_contact',
  description:
    'To which side changed values are written. Properties of a subscription are only written to the contact.',
  options: [
    { name: 'Both Ways', value: 'both' },
    { name: 'To Contact', value: 'to_contact' },
    { name: 'To Newsletter', value: 'to_subscription' },
  ],
});

export const conflict = setting({
  displayName: 'On Conflict',
  name: 'conflict',
  default: 'review',
  description: 'What to do where both sides changed the field since the last run',
  options: [
    { name: 'CRM', value: 'crm', description: 'Write the value of the contact to the newsletter' },
    { name: 'Newsletter', value: 'newsletter', description: 'Write the value of the newsletter to the contact' },
    { name: 'Review', value: 'review', description: 'Keep both values, and report them at the output Review' },
  ],
  displayOptions: { show: { direction: ['both'] } },
});

const separator = text({
  displayName: 'List Separator',
  name: 'separator',
  noDataExpression: true,
  default: ';',
  placeholder: 'e.g. ;',
  description: 'Separator between the entries of a list that the CRM stores as text. Without it, a list is an array.',
});

/** The mapped fields, one row each. */
export const fields: INodeProperties = {
  displayName: 'Fields',
  name: 'fields',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true, sortable: true },
  placeholder: 'Add Field',
  default: {},
  description: 'Fields to keep in sync',
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

export const subscribe = setting({
  displayName: 'Subscribe Unknown Contacts',
  name: 'subscribe',
  default: 'never',
  description: 'Whether to subscribe contacts without a subscription. Opted-out contacts are never subscribed.',
  options: [
    { name: 'If Consent Field Is True', value: 'on_consent', description: 'Only contacts whose Consent Field is true' },
    { name: 'Never', value: 'never' },
    {
      name: 'With Confirmation',
      value: 'with_confirmation',
      description: 'Each person has to confirm by email (double opt-in)',
    },
  ],
  displayOptions: { show: { contacts: ['everything'] } },
});

export const consentField = path({
  displayName: 'Consent Field',
  name: 'consentField',
  placeholder: 'e.g. properties.newsletter_consent',
  description: 'Yes/no field of the contact: whether the person agreed to receive the newsletter',
  required: true,
  displayOptions: { show: { contacts: ['everything'], subscribe: ['on_consent'] } },
});

/** Named as the situations of the mapping, and so are their values. */
export const situations: readonly INodeProperties[] = [
  select({
    displayName: 'Address Changed in Newsletter',
    name: 'addressChangedInNewsletter',
    default: 'write',
    description: 'What to do where the address of a subscription changed',
    options: [
      { name: 'Review', value: 'report', description: 'Keep the address of the contact' },
      { name: 'Update Contact', value: 'write', description: 'Write the new address to the contact' },
    ],
  }),
  select({
    displayName: 'New Subscription',
    name: 'newSubscription',
    default: 'create_contact',
    description: 'What to do with a new subscription that has no contact',
    options: [
      { name: 'Create Contact', value: 'create_contact' },
      { name: 'Leave', value: 'leave' },
    ],
  }),
];

/** Parameters with a safe default. */
export const options: readonly INodeProperties[] = [
  toggle({
    displayName: 'Accept Large Changes',
    name: 'accept',
    description: 'Whether to apply a plan that would be held back. Turn it on for one run, after reading the report.',
  }),
  select({
    displayName: 'Empty Value',
    name: 'emptyValue',
    default: 'null',
    description: 'How to write an empty value to a contact field',
    options: [
      { name: 'Empty Text', value: 'text' },
      { name: 'Null', value: 'null' },
    ],
  }),
  path({
    displayName: 'Further Addresses Field',
    name: 'furtherAddresses',
    placeholder: 'e.g. properties.hs_additional_emails',
    description:
      'Field of the contact with its further addresses: a list, or one text with ; or , between them. An opt-out counts for all of them.',
  }),
  number({
    displayName: 'Hold Above (%)',
    name: 'heldShare',
    typeOptions: { minValue: 0, maxValue: 100 },
    default: 5,
    description:
      'A plan that unsubscribes, clears or removes for more than this share of the pairs, or overwrites so many values of a field, is held back, if it is more than Hold Above (Count) as well',
  }),
  number({
    displayName: 'Hold Above (Count)',
    name: 'heldCount',
    typeOptions: { minValue: 0, numberPrecision: 0 },
    default: 20,
    description: 'A plan that unsubscribes, clears or removes for no more pairs than this is never held back',
  }),
  path({
    displayName: 'Merged Into Field',
    name: 'mergedInto',
    placeholder: 'e.g. MasterRecordId',
    description:
      'Field that holds the ID of the contact into which the CRM merged this one. The address of such a record is a further one of that contact.',
  }),
  number({
    displayName: 'Max Contacts per Run',
    name: 'mostWrites',
    typeOptions: { minValue: 0, numberPrecision: 0 },
    description:
      'Most contacts to create and update in one run, for CRMs with a limit of calls: the others wait for the next run. Opt-outs and unsubscribes never wait. 0 means no limit.',
  }),
  text({
    displayName: 'Not Opted Out',
    name: 'notOptedOut',
    placeholder: 'e.g. Nein; —',
    description:
      'Values of the Opt-Out Field that are no opt-out, with ; between them, beside an empty field and no. Left empty, it is what most contacts of active subscribers show.',
  }),
  toggle({
    displayName: 'Unsubscribe Sets Opt-Out',
    name: 'setOnUnsubscribe',
    default: true,
    description: 'Whether an unsubscribe sets the Opt-Out Field of the contact',
  }),
  toggle({
    displayName: 'Shorten Addresses',
    name: 'shortAddresses',
    description: 'Whether Planned shows only the first letter and the domain of an address',
  }),
  ...situations,
];

/** In the order of the form. */
export const properties: INodeProperties[] = [
  operation,
  ...[
    authentication,
    mode,
    previewNotice,
    applyNotice,
    publication,
    scope,
    idField,
    addressField,
    tokenField,
    optOutField,
    fields,
    subscribe,
    consentField,
    ...collection('options', 'Options', 'Add option', options),
  ].map(forSync),
  ...answerParameters.map((property) => ({ ...property, displayOptions: { show: { operation: ['checkAnswers'] } } })),
];
