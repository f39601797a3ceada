/** Journey: Enroll. Existing subscribers only; new ones are enrolled by creating their subscription. */
import { doubleOptIn } from '../../parameters/doubleOptIn.ts';
import { collection } from '../../parameters/collection.ts';
import { automation } from '../../parameters/locators.ts';
import { readFields } from '../../parameters/read.ts';
import { readSubscriber, subscriber } from '../../parameters/subscriber.ts';
import { recordIn } from '../../records/record.ts';
import * as records from '../../records/records.ts';
import type { ItemOperation } from '../definition.ts';
import { readPath } from '../path.ts';

const path = { automationId: automation } as const;
const options = [doubleOptIn];

export const enroll: ItemOperation = {
  name: 'Enroll',
  description: 'Enroll an existing subscriber into an automation that has an active Add by API trigger',
  action: 'Enroll a subscriber into an automation',
  record: records.journey,
  about: subscriber,
  properties: [automation, subscriber, ...collection('options', 'Options', 'Add option', options)],
  async execute(context) {
    const chosen = readSubscriber(context);
    const args = {
      automationId: readPath(context, path)['automationId'] ?? '',
      ...('email' in chosen ? { email: chosen.email } : { subscription_id: chosen.id }),
      ...readFields(context, 'options', options),
    };
    return [recordIn(await context.engine.call('journeys.enroll', args, context.call))];
  },
};
