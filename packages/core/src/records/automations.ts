import * as z from 'zod/mini';
import * as values from '../contract/values.ts';
import { field, lenient, open } from '../schema/marks.ts';
import type { ResourceRecord } from './operation.ts';
import * as shape from './shapes.ts';

const count = (description: string) => lenient(shape.count, description);
const rate = (description: string) => lenient(z.number(), `${description}, from 0 to 100.`);

const emailStats = shape.record('EmailStats', 'Totals of e-mail engagement.', {
  recipients: count('Number of recipients.'),
  delivered: count('Number of e-mails delivered.'),
  opens: count('Number of opens, repeated ones included.'),
  unique_opens: count('Number of recipients who opened.'),
  open_rate: rate('Percentage of the delivered e-mails that were opened'),
  clicks: count('Number of clicks, repeated ones included.'),
  unique_clicks: count('Number of recipients who clicked.'),
  click_rate: rate('Percentage of the delivered e-mails in which a link was clicked'),
  unsubscribes: count('Number of recipients who unsubscribed.'),
  spam_reports: count('Number of recipients who reported spam.'),
});

const automation = shape.record('Automation', 'A series of e-mails that a trigger starts.', {
  id: field(shape.prefixedId('aut'), shape.automationId),
  status: field(
    z.enum(values.automationStatuses),
    'State of the automation. The specification does not describe the values.',
  ),
  name: field(z.string(), 'Name of the automation.'),
  trigger_events: field(
    z.array(z.enum(values.automationTriggers)),
    'Events that enroll a subscriber; `api` is the Add by API trigger.',
  ),
  description: shape.optional(z.nullable(z.string()), 'Description of the automation.'),
  stats: shape.optional(
    shape.record('AutomationStats', 'Statistics of an automation.', {
      journeys: lenient(
        shape.record('JourneyCounts', 'Numbers of journeys through an automation.', {
          running: count('Number of journeys in progress.'),
          completed: count('Number of completed journeys.'),
          total: count('Number of all journeys.'),
        }),
        'Numbers of journeys.',
      ),
      email: lenient(emailStats, 'Engagement with all e-mails of the automation.'),
    }),
    "Journey and e-mail statistics. Present with `expand: ['stats']`.",
  ),
});

const linkStats = shape.record('LinkStats', 'Clicks on one link of an e-mail.', {
  url: field(z.string(), 'Address of the link.'),
  total_clicks: count('Number of clicks, repeated ones included.'),
  total_unique_clicks: count('Number of recipients who clicked.'),
  total_click_through_rate: rate('Percentage of the opened e-mails in which the link was clicked'),
});

const firstOrLastSent = (which: string) =>
  shape.optional(
    z.nullable(shape.unixSeconds),
    `When the e-mail was ${which} sent, in Unix seconds; null before that.`,
  );

const automationEmail = shape.record('AutomationEmail', 'An e-mail that an automation sends.', {
  id: field(z.string(), 'ID of the e-mail, without a prefix.'),
  automation_step_id: field(z.string(), 'ID of the step that sends it, without a prefix.'),
  subject_line: lenient(z.string(), 'Subject line.'),
  preview_text: lenient(z.string(), 'Preview text.'),
  status: field(z.enum(values.automationEmailStatuses), 'Whether the e-mail is sent.'),
  created_at: field(shape.unixSeconds, 'When the e-mail was created, in Unix seconds.'),
  first_sent_at: firstOrLastSent('first'),
  last_sent_at: firstOrLastSent('last'),
  stats: lenient(
    shape.record('AutomationEmailStats', 'Engagement with one e-mail of an automation.', {
      email: lenient(emailStats, 'Engagement with the e-mail.'),
      clicks: lenient(z.array(linkStats), 'Clicks, link by link.'),
    }),
    'Engagement statistics.',
  ),
});

const expand = shape.repeated(
  open(['stats']),
  'Data to add to each automation: `stats` adds journey and e-mail statistics.',
);
const path = { automationId: shape.automationId };

export const automations = {
  title: 'Automations',
  description: 'Series of e-mails started by a trigger, and the statistics of those e-mails.',
  section: 'Endpoints, Automations',
  scope: 'automations',
  operations: {
    list: {
      request: 'GET /publications/{publicationId}/automations',
      doc: 'List automations',
      description: 'Lists the automations of a publication.',
      open: [
        'The record is not shown: id, status, name, trigger_events, description, stats when expanded.',
        'Values of expand[] are not shown: stats.',
      ],
      query: z.strictObject({ expand, limit: shape.limit, page: shape.page }),
      answer: shape.offsetList(automation),
    },
    get: {
      request: 'GET /publications/{publicationId}/automations/{automationId}',
      doc: 'Read one automation',
      description: 'Reads one automation.',
      example: "{ automationId: 'aut_00000000-0000-4000-8000-000000000001', expand: ['stats'] }",
      open: ['The record is not shown; as in automations.list.'],
      path,
      query: z.strictObject({ expand }),
      answer: shape.enveloped(automation, 'The automation.'),
    },
    listEmails: {
      request: 'GET /publications/{publicationId}/automations/{automationId}/emails',
      scope: null,
      doc: 'List the e-mails of an automation with their statistics',
      description: 'Lists the e-mails that an automation sends, each with its engagement statistics.',
      returns: 'Automation e-mails, page by page.',
      example: "{ automationId: 'aut_00000000-0000-4000-8000-000000000001' }",
      open: [
        'The record is not shown: id, automation_step_id, subject_line, preview_text, status, created_at, first_sent_at, last_sent_at, stats (always present).',
      ],
      path,
      query: z.strictObject({ limit: shape.limit, cursor: shape.cursor, page: shape.page }),
      answer: shape.cursorOrOffsetList(automationEmail),
    },
  },
} satisfies ResourceRecord;
