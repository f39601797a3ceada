/** Automations, their e-mails and journeys on the wire. */
import * as z from 'zod/mini';
import * as values from '../contract/values.ts';
import { words } from '../contract/words/index.ts';
import * as shape from './shapes.ts';
import { address } from './subscriptions.ts';
import { field, lenient } from './tolerant.ts';

const count = (description: string) => lenient(z.int().check(z.minimum(0)), description);
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

const automationStats = shape.record('AutomationStats', 'Statistics of an automation.', {
  journeys: lenient(
    shape.record('JourneyCounts', 'Numbers of journeys through an automation.', {
      running: count('Number of journeys in progress.'),
      completed: count('Number of completed journeys.'),
      total: count('Number of all journeys.'),
    }),
    'Numbers of journeys.',
  ),
  email: lenient(emailStats, 'Engagement with all e-mails of the automation.'),
});

export const automation = shape.record('Automation', 'A series of e-mails that a trigger starts.', {
  id: field(shape.prefixedId('aut'), 'Prefixed ID of the automation, `aut_<uuid>`.'),
  status: field(
    z.enum(values.automationStatuses),
    'State of the automation. The specification does not describe the values.',
  ),
  name: field(z.string(), 'Name of the automation.'),
  trigger_events: field(
    z.array(z.enum(values.automationTriggers)),
    'Events that enroll a subscriber; `api` is the Add by API trigger.',
  ),
  description: field(z.optional(z.nullable(z.string())), 'Description of the automation.'),
  stats: field(z.optional(automationStats), "Journey and e-mail statistics. Present with `expand: ['stats']`."),
});

const linkStats = shape.record('LinkStats', 'Clicks on one link of an e-mail.', {
  url: field(z.string(), 'Address of the link.'),
  total_clicks: count('Number of clicks, repeated ones included.'),
  total_unique_clicks: count('Number of recipients who clicked.'),
  total_click_through_rate: rate('Percentage of the opened e-mails in which the link was clicked'),
});

export const automationEmail = shape.record('AutomationEmail', 'An e-mail that an automation sends.', {
  id: field(z.string(), 'ID of the e-mail, without a prefix.'),
  automation_step_id: field(z.string(), 'ID of the step that sends it, without a prefix.'),
  subject_line: lenient(z.string(), 'Subject line.'),
  preview_text: lenient(z.string(), 'Preview text.'),
  status: field(z.enum(values.automationEmailStatuses), 'Whether the e-mail is sent.'),
  created_at: field(shape.unixSeconds, 'When the e-mail was created, in Unix seconds.'),
  first_sent_at: field(
    z.optional(z.nullable(shape.unixSeconds)),
    'When the e-mail was first sent, in Unix seconds; null before that.',
  ),
  last_sent_at: field(
    z.optional(z.nullable(shape.unixSeconds)),
    'When the e-mail was last sent, in Unix seconds; null before that.',
  ),
  stats: lenient(
    shape.record('AutomationEmailStats', 'Engagement with one e-mail of an automation.', {
      email: lenient(emailStats, 'Engagement with the e-mail.'),
      clicks: lenient(z.array(linkStats), 'Clicks, link by link.'),
    }),
    'Engagement statistics.',
  ),
});

export const journey = shape.record('Journey', "A subscriber's way through an automation.", {
  id: field(shape.prefixedId('aj'), 'Prefixed ID of the journey, `aj_<uuid>`.'),
  automation_id: field(shape.prefixedId('aut'), 'Prefixed ID of the automation, `aut_<uuid>`.'),
  subscription_id: lenient(shape.prefixedId('sub'), 'Prefixed ID of the subscription, `sub_<uuid>`.'),
  email: lenient(z.string(), 'Address of the subscriber.'),
  status: field(z.enum(values.journeyStatuses), 'State of the journey.'),
  started_at: lenient(shape.unixSeconds, 'When the journey began, in Unix seconds.'),
  completed_at: lenient(z.nullable(shape.unixSeconds), 'When the journey ended, in Unix seconds; null until then.'),
});

/** Body of an enrollment; one of `email` and `subscription_id` names the subscriber. */
export const enrollment = shape.request(words['journeys.enroll'].parameters, {
  email: z.optional(address),
  subscription_id: z.optional(shape.prefixedId('sub')),
  double_opt_override: z.optional(z.enum(values.doubleOptOverrides)),
});

const expand = shape.repeated(z.enum(['stats']));
export const automationListQuery = shape.request(words['automations.list'].parameters, {
  expand,
  limit: shape.limit,
  page: shape.page,
});
export const automationQuery = shape.request(words['automations.get'].parameters, { expand });
export const automationEmailsQuery = shape.request(words['automations.listEmails'].parameters, {
  limit: shape.limit,
  cursor: shape.cursor,
  page: shape.page,
});
export const journeysQuery = shape.request(words['journeys.list'].parameters, {
  status: z.optional(z.enum(values.journeyStatusFilters)),
  limit: shape.limit,
  page: shape.page,
});
