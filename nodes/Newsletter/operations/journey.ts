/** Resource Journey. Enroll takes existing subscribers; new ones are enrolled by creating their subscription. */
import { automation } from '../parameters/locators.ts';
import { collection } from '../parameters/propertyBuilders.ts';
import { readFields, readParameter } from '../parameters/read.ts';
import { doubleOptIn, readSubscriber, subscriber } from '../parameters/subscription.ts';
import { recordIn } from '../records/present.ts';
import { shapeOf } from '../records/shapes.ts';
import type { ItemOperation, ResourceDefinition } from './definition.ts';
import { getMany, getOne } from './readOperations.ts';

const options = [doubleOptIn];

const enroll: ItemOperation = {
  name: 'Enroll',
  description: 'Enroll an existing subscriber into an automation that has an active Add by API trigger',
  action: 'Enroll a subscriber into an automation',
  record: shapeOf('journeys.enroll'),
  recordParameter: subscriber,
  properties: [automation, subscriber, ...collection('options', 'Options', 'Add option', options)],
  async execute(context) {
    const chosen = readSubscriber(context);
    const args = {
      automationId: String(readParameter(context, automation)),
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
