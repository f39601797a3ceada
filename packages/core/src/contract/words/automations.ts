/** Reference documentation of automations and journeys. */
import type { OperationId } from '../operations.ts';
import {
  cursor,
  doubleOptOverride,
  journeyStatus,
  limit,
  page,
  publicationId,
  type OperationWords,
  type ParameterWords,
} from './shared.ts';

const automationId = { text: 'Prefixed ID of the automation, `aut_<uuid>`.' } as const satisfies ParameterWords;

const automationExpand = {
  text: 'Data to add to each automation: `stats` adds journey and e-mail statistics.',
} as const satisfies ParameterWords;

/** Documentation of every operation in this file. */
export const automationWords = {
  'automations.list': {
    description: 'Lists the automations of a publication.',
    returns: 'Automations, page by page.',
    section: 'Endpoints, Automations; Pagination',
    parameters: { publicationId, expand: automationExpand, limit, page },
  },
  'automations.get': {
    description: 'Reads one automation.',
    returns: 'The automation.',
    section: 'Endpoints, Automations',
    parameters: { publicationId, automationId, expand: automationExpand },
    example: "{ automationId: 'aut_00000000-0000-4000-8000-000000000001', expand: ['stats'] }",
  },
  'automations.listEmails': {
    description: 'Lists the e-mails that an automation sends, each with its engagement statistics.',
    returns: 'Automation e-mails, page by page.',
    section: 'Endpoints, Automations; Pagination',
    parameters: { publicationId, automationId, limit, cursor, page },
    example: "{ automationId: 'aut_00000000-0000-4000-8000-000000000001' }",
  },
  'journeys.enroll': {
    description:
      'Enrolls an existing subscriber into an automation, immediately. The automation needs an active Add by API trigger. Name the subscriber by `email` or by `subscription_id`; one of the two is required. New subscribers are enrolled with `automation_ids` of `subscriptions.create`.',
    returns: 'The journey that has begun.',
    section: 'Endpoints, Automations',
    parameters: {
      publicationId,
      automationId,
      email: { text: 'Address of the existing subscriber. Required unless `subscription_id` is given.' },
      subscription_id: {
        text: 'Prefixed ID of the existing subscription, `sub_<uuid>`. Required unless `email` is given.',
      },
      double_opt_override: { text: doubleOptOverride },
    },
    errors: {
      400: 'The request is invalid, or the automation has no active Add by API trigger.',
      404: 'The publication, the automation or the subscriber does not exist.',
    },
    example: "{ automationId: 'aut_00000000-0000-4000-8000-000000000001', email: 'ada@example.com' }",
  },
  'journeys.list': {
    description: 'Lists the journeys of an automation: one for each time a subscriber entered it.',
    returns: 'Journeys, page by page.',
    section: 'Endpoints, Automations; Pagination',
    parameters: {
      publicationId,
      automationId,
      status: journeyStatus,
      limit,
      page,
    },
    example: "{ automationId: 'aut_00000000-0000-4000-8000-000000000001', status: 'in_progress' }",
  },
  'journeys.get': {
    description: 'Reads one journey of an automation.',
    returns: 'The journey.',
    section: 'Endpoints, Automations',
    parameters: {
      publicationId,
      automationId,
      automationJourneyId: { text: 'Prefixed ID of the journey, `aj_<uuid>`.' },
    },
    example:
      "{ automationId: 'aut_00000000-0000-4000-8000-000000000001', automationJourneyId: 'aj_00000000-0000-4000-8000-000000000001' }",
  },
} as const satisfies Readonly<Partial<Record<OperationId, OperationWords>>>;

/** What the specification leaves open about these operations, and how it is filled here. */
export const automationAssumptions = {
  'automations.list': [
    'The record is not shown: id, status, name, trigger_events, description, stats when expanded.',
    'Values of expand[] are not shown: stats.',
  ],
  'automations.get': ['The record is not shown; as in automations.list.'],
  'automations.listEmails': [
    'The record is not shown: id, automation_step_id, subject_line, preview_text, status, created_at, first_sent_at, last_sent_at, stats (always present).',
  ],
  'journeys.enroll': [
    'The record is not shown: id, automation_id, subscription_id, email, status, started_at, completed_at.',
    'Without email and subscription_id: 400. Unknown subscriber: 404. No active Add by API trigger: 400.',
  ],
  'journeys.list': [
    'The record is not shown; as in journeys.enroll.',
    'Values of the status filter are not shown: in_progress, completed, exited_early, all.',
  ],
  'journeys.get': ['The record is not shown; as in journeys.enroll.'],
} as const satisfies Readonly<Partial<Record<OperationId, readonly string[]>>>;
