/**
 * Subscription: Create. The service takes a known address too, so leaving an existing subscription alone costs a look
 * first.
 */
import type { INodeProperties } from 'n8n-workflow';
import { email } from '../../parameters/email.ts';
import { ParameterMismatch, readParameter } from '../../parameters/read.ts';
import { subscription } from '../../records/records.ts';
import type { ItemOperation } from '../definition.ts';
import { readRequest, requestFields, sendRequest } from './requestFields.ts';

const ifSubscribed: INodeProperties = {
  displayName: 'If Already Subscribed',
  name: 'ifSubscribed',
  type: 'options',
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

const [address, ...others] = requestFields;

export const create: ItemOperation = {
  name: 'Create',
  description: 'Create a subscription',
  action: 'Create a subscription',
  record: subscription,
  about: email,
  properties: [...(address ? [address] : []), ifSubscribed, ...others],
  async execute(context) {
    const request = await readRequest(context);
    if (readParameter(context, ifSubscribed) === 'refuse') {
      const { items } = await context.engine.list(
        'subscriptions.list',
        { email: request.email, limit: 1 },
        context.call,
      );
      if (items.length > 0)
        throw new ParameterMismatch(
          '"Email" is subscribed already; nothing was changed. Use Create or Update to change the existing subscription',
        );
    }
    return [await sendRequest(context, request)];
  },
};
