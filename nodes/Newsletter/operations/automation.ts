/**
 * Resources Automation and Journey, which is one subscriber's enrollment in an automation. Enroll takes existing
 * subscribers; new ones are enrolled by creating their subscription.
 */
import { ApiError, type Arguments } from '@newsletter-kit/core/engine';
import { automation as automationLocator } from '../parameters/locators.ts';
import { collection, select } from '../parameters/properties.ts';
import { ParameterMismatch, readFields, readParameter } from '../parameters/read.ts';
import { doubleOptIn, readSubscriber, subscriber } from '../parameters/subscription.ts';
import { type RecordShape, recordIn, shapeOf } from '../records.ts';
import type { ItemOperation, OperationContext, ResourceDefinition } from './definition.ts';
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

const ifEnrolled = select({
  displayName: 'If Already Enrolled',
  name: 'ifEnrolled',
  default: 'refuse',
  description: 'What to do where the subscriber is enrolled in the automation already; nothing changes in either case',
  options: [
    { name: 'Pass Over', value: 'passOver', description: 'Return the item, with "enrolled": false' },
    { name: 'Refuse', value: 'refuse', description: 'Let the item fail' },
  ],
});

/** A journey after Enroll: `enrolled` tells whether it begins with it. */
const enrollment: RecordShape = { ...shapeOf('journeys.enroll'), outcome: ['enrolled'] };

const enroll: ItemOperation = {
  name: 'Enroll',
  description: 'Enroll an existing subscriber into an automation that has an active Add by API trigger',
  action: 'Enroll a subscriber into an automation',
  record: enrollment,
  recordParameter: subscriber,
  properties: [automationLocator, subscriber, ifEnrolled, ...collection('options', 'Options', 'Add option', options)],
  async execute(context) {
    const chosen = readSubscriber(context);
    const named = 'email' in chosen ? { email: chosen.email } : { subscription_id: chosen.id };
    const automationId = String(readParameter(context, automationLocator));
    const args = { automationId, ...named, ...readFields(context, 'options', options) };
    const journey = await enrollOne(context, args);
    if (journey !== null) return [{ ...recordIn(journey), enrolled: true }];
    if (readParameter(context, ifEnrolled) === 'passOver')
      return [{ automation_id: automationId, ...named, enrolled: false }];
    throw new ParameterMismatch(
      '"Subscription" is enrolled in this automation already; nothing was changed. To let such items go on, set "If Already Enrolled" to Pass Over',
    );
  },
};

/** Enrolls a subscriber. @returns the answer; null where the subscriber is enrolled already */
export async function enrollOne(
  { engine, call }: OperationContext,
  args: Arguments<'journeys.enroll'>,
): Promise<object | null> {
  return engine
    .call('journeys.enroll', args, call)
    .catch((error: unknown) => (isEnrolledAlready(error) ? null : Promise.reject(error)));
}

function isEnrolledAlready(error: unknown): boolean {
  return error instanceof ApiError && error.errors.some(({ message }) => /already/i.test(message));
}

export const journey: ResourceDefinition = {
  contract: 'journeys',
  name: 'Journey',
  operations: { enroll, get: getOne('journeys.get'), getMany: getMany('journeys.list') },
};
