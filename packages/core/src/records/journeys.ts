import * as z from 'zod/mini';
import * as values from '../contract/values.ts';
import { field, lenient, open } from '../schema/marks.ts';
import type { ResourceRecord } from './operation.ts';
import * as shape from './shapes.ts';
import { doubleOptOverride } from './subscription-bodies.ts';

const journey = shape.record('Journey', "A subscriber's way through an automation.", {
  id: field(shape.prefixedId('aj'), 'Prefixed ID of the journey, `aj_<uuid>`.'),
  automation_id: field(shape.prefixedId('aut'), shape.automationId),
  subscription_id: lenient(shape.prefixedId('sub'), 'Prefixed ID of the subscription, `sub_<uuid>`.'),
  email: lenient(z.string(), 'Address of the subscriber.'),
  status: field(z.enum(values.journeyStatuses), 'State of the journey.'),
  started_at: lenient(shape.unixSeconds, 'When the journey began, in Unix seconds.'),
  completed_at: lenient(z.nullable(shape.unixSeconds), 'When the journey ended, in Unix seconds; null until then.'),
});

const path = { automationId: shape.automationId };
const answer = shape.enveloped(journey, 'The journey.');

export const journeys = {
  title: 'Journeys',
  description: "A subscriber's way through an automation.",
  section: 'Endpoints, Automations',
  scope: 'automations',
  operations: {
    enroll: {
      request: 'POST /publications/{publicationId}/automations/{automationId}/journeys',
      retry: 'once',
      lookUp: {
        by: ['subscription_id', 'email'],
        created: ['started_at', 'created'],
        advice: 'List the journeys of the automation (journeys.list) to see whether the subscriber is on one.',
      },
      remedies: {
        400: 'Check the subscriber, and that the automation has an active Add by API trigger.',
        404: 'Check the automation id and the subscriber, and that the automation has an active Add by API trigger.',
      },
      doc: 'Enroll an existing subscriber into an automation',
      description:
        'Enrolls an existing subscriber into an automation, immediately. The automation needs an active Add by API trigger. Name the subscriber by `email` or by `subscription_id`; one of the two is required. New subscribers are enrolled with `automation_ids` of `subscriptions.create`.',
      returns: 'The journey that has begun.',
      errorTexts: {
        400: 'The request is invalid, or the automation has no active Add by API trigger.',
        404: 'The publication, the automation or the subscriber does not exist.',
      },
      example: "{ automationId: 'aut_00000000-0000-4000-8000-000000000001', email: 'ada@example.com' }",
      open: [
        'The record is not shown: id, automation_id, subscription_id, email, status, started_at, completed_at.',
        'Without email and subscription_id: 400. Unknown subscriber: 404. No active Add by API trigger: 400.',
      ],
      path,
      body: z.strictObject({
        email: shape.optional(
          shape.address,
          'Address of the existing subscriber. Required unless `subscription_id` is given.',
        ),
        subscription_id: shape.optional(
          shape.prefixedId('sub'),
          'Prefixed ID of the existing subscription, `sub_<uuid>`. Required unless `email` is given.',
        ),
        double_opt_override: doubleOptOverride,
      }),
      anyOf: ['email', 'subscription_id'],
      answer,
    },
    list: {
      request: 'GET /publications/{publicationId}/automations/{automationId}/journeys',
      doc: 'List the journeys of an automation',
      description: 'Lists the journeys of an automation: one for each time a subscriber entered it.',
      example: "{ automationId: 'aut_00000000-0000-4000-8000-000000000001', status: 'in_progress' }",
      open: [
        'The record is not shown; as in journeys.enroll.',
        'Values of the status filter are not shown: in_progress, completed, exited_early, all.',
      ],
      path,
      query: z.strictObject({
        status: shape.optional(open(values.journeyStatusFilters), 'Only journeys of this status.', 'all'),
        limit: shape.limit,
        page: shape.page,
      }),
      answer: shape.offsetList(journey),
    },
    get: {
      request: 'GET /publications/{publicationId}/automations/{automationId}/journeys/{automationJourneyId}',
      doc: 'Read one journey',
      description: 'Reads one journey of an automation.',
      example:
        "{ automationId: 'aut_00000000-0000-4000-8000-000000000001', automationJourneyId: 'aj_00000000-0000-4000-8000-000000000001' }",
      open: ['The record is not shown; as in journeys.enroll.'],
      path: { ...path, automationJourneyId: 'Prefixed ID of the journey, `aj_<uuid>`.' },
      answer,
    },
  },
} satisfies ResourceRecord;
