/**
 * Resources Automation and Journey, which is one subscriber's enrollment in an automation. Enroll takes existing
 * subscribers; new ones are enrolled by creating their subscription.
 */
import { automation as automationLocator } from '../parameters/locators.ts';
import { collection } from '../parameters/properties.ts';
import { readFields, readParameter } from '../parameters/read.ts';
import { doubleOptIn, readSubscriber, subscriber } from '../parameters/subscription.ts';
import { recordIn, shapeOf } from '../records.ts';
import type { ItemOperation, ResourceDefinition } from './definition.ts';
import { getMany, getOne } from './readOperations.ts';

const record = { first: ['id', 'name'] };

export const automation: ResourceDefinition = {
  contract: 'automations',
  name: 'Automation',
  operations: {
    get: getOne('automations.get', { record }),
    getEmails: getMany('automations.listEmails', {
      name: 'Get Emails',
      description: 'Get the emails of an automation with their statistics',
      action: 'Get emails of an automation',
    }),
    getMany: getMany('automations.list', { record }),
  },
};

const options = [doubleOptIn];

const enroll: ItemOperation = {
  name: 'Enroll',
  description: 'Enroll an existing subscriber into an automation that has an active Add by API trigger',
  action: 'Enroll a subscriber into an automation',
  record: shapeOf('journeys.enroll'),
  recordParameter: subscriber,
  properties: [automationLocator, subscriber, ...collection('options', 'Options', 'Add option', options)],
  async execute(context) {
    const chosen = readSubscriber(context);
    const args = {
      automationId: String(readParameter(context, automationLocator)),
      ...('email' in chosen ? { email: chosen.email } : { subscription_id: chosen.id }),
      ...readFields(context, 'options', options),
    };
    return [recordIn(await context.engine.call('journeys.enroll', args, context.call))];
  },
};

export const journey: ResourceDefinition = {
  contract: 'journeys',
  name: 'Journey',
  operations: { enroll, get: getOne('journeys.get'), getMany: getMany('journeys.list') },
};
