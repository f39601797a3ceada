/** An automation as a seed writes it: what it sends, and who is or was on a journey through it. */
import {
  automationEmailStatuses,
  automationStatuses,
  automationTriggers,
  journeyStatuses,
} from '@newsletter-kit/core/contract';
import { address } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import { addDuration } from '../duration.ts';

const seconds = z.int().min(0);
const count = z.int().min(0).default(0);

const duration = z.string().default('PT0S').refine(isDuration, 'must be a duration such as P2D or PT6H');

const email = z.strictObject({
  subject_line: z.string(),
  preview_text: z.string().default(''),
  status: z.enum(automationEmailStatuses).default('active'),
  /** How long after the e-mail before it, or after the start: an ISO 8601 duration. */
  wait: duration,
  created: seconds.optional(),
  first_sent_at: seconds.optional(),
  last_sent_at: seconds.optional(),
  recipients: count,
  delivered: count,
  opens: count,
  unique_opens: count,
  clicks: count,
  unique_clicks: count,
  unsubscribes: count,
  spam_reports: count,
  links: z.array(z.strictObject({ url: z.string(), clicks: count, unique_clicks: count })).default([]),
});

const journey = z.strictObject({
  /** Address of a subscription of the publication. */
  email: address,
  /** A journey in progress goes on with the clock: its next e-mail is due after that one's wait. */
  status: z.enum(journeyStatuses).default('in_progress'),
  started: seconds.optional(),
  completed: seconds.optional(),
  /** How many e-mails have been sent. */
  step: count,
});

export const automation = z.strictObject({
  name: z.string().min(1),
  description: z.string().default(''),
  status: z.enum(automationStatuses).default('running'),
  /** `api` is the Add by API trigger. */
  trigger_events: z.array(z.enum(automationTriggers)).min(1),
  created: seconds.optional(),
  emails: z.array(email).default([]),
  journeys: z.array(journey).default([]),
});

/** One automation of a seed with its defaults filled in. */
export type SeedAutomation = z.output<typeof automation>;

function isDuration(text: string): boolean {
  try {
    return addDuration(0, text) >= 0;
  } catch {
    return false;
  }
}
