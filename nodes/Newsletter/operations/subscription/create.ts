/**
 * Subscription: Create. The service takes a known address too, so leaving an existing subscription alone costs a look
 * first.
 */
import type { INodeProperties } from 'n8n-workflow';
import { collection } from '../../parameters/propertyBuilders.ts';
import { ParameterMismatch, readParameter } from '../../parameters/read.ts';
import { email } from '../../parameters/subscription.ts';
import { subscription, upsertedSubscription } from '../../records/shapes.ts';
import type { ItemOperation, OperationContext } from '../definition.ts';
import { findByAddress } from './findSubscription.ts';
import { additionalFields, readRequest, requestFields, sendRequest } from './requestFields.ts';
import { createNew, toItem, upsert } from './upsert.ts';

const ifSubscribed: INodeProperties = {
  displayName: 'If Already Subscribed',
  name: 'ifSubscribed',
  type: 'options',
  default: 'refuse',
  description: 'What to do where a subscription has the address already; it is left as it is either way',
  options: [
    { name: 'Pass Over', value: 'passOver', description: 'Give the existing subscription, with "created": false' },
    { name: 'Refuse', value: 'refuse', description: 'Let the item fail' },
  ],
};

const ifSubscribedVersion1: INodeProperties = {
  ...ifSubscribed,
  default: 'update',
  description: 'What to do where a subscription has the address already',
  options: [
    {
      name: 'Refuse',
      value: 'refuse',
      description: 'Look first, one request more, and leave the existing subscription as it is',
    },
    { name: 'Update It', value: 'update', description: 'Apply the fields to the existing subscription' },
  ],
};

const [address = email, customFields = email] = requestFields;
/** An existing subscription is left as it is, so that there is nothing to reactivate. */
const ofNew = additionalFields.filter(({ name }) => name !== 'reactivate_existing');
const properties = [
  address,
  ifSubscribed,
  customFields,
  ...collection('additionalFields', 'Additional Fields', 'Add Field', ofNew),
];

const refused = (): ParameterMismatch =>
  new ParameterMismatch(
    '"Email" is subscribed already; nothing was changed. Use Create or Update to change the existing subscription',
  );

export const create: ItemOperation = {
  name: 'Create',
  description: 'Create a subscription, and leave one that exists already as it is',
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
    throw refused();
  },
  version1: {
    record: subscription,
    recordParameter: email,
    properties: [address, ifSubscribedVersion1, ...requestFields.slice(1)],
    async execute(context) {
      const request = await readRequest(context);
      if (readParameter(context, ifSubscribedVersion1) === 'refuse' && (await isSubscribed(context, request.email)))
        throw refused();
      return [await sendRequest(context, request)];
    },
  },
};

async function isSubscribed(context: OperationContext, address: string): Promise<boolean> {
  return (await findByAddress(context, address)) !== undefined;
}

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
  // The answer of the service, which applies to an existing subscription its custom fields alone.
  version1: {
    record: subscription,
    recordParameter: email,
    properties: requestFields,
    async execute(context) {
      return [await sendRequest(context, await readRequest(context))];
    },
  },
};
