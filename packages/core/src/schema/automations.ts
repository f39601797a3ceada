/** Automations, their e-mails and journeys on the wire. */
import * as z from 'zod';
import * as values from '../contract/values.ts';
import * as shape from './shapes.ts';
import { address } from './subscriptions.ts';

const count = shape.optional(z.number());

/** Totals of e-mail engagement; rates are percentages from 0 to 100. */
export const emailStats = z.looseObject({
  recipients: count,
  delivered: count,
  opens: count,
  unique_opens: count,
  open_rate: count,
  clicks: count,
  unique_clicks: count,
  click_rate: count,
  unsubscribes: count,
  spam_reports: count,
});

export const automation = z.looseObject({
  id: z.string(),
  status: shape.openEnum(values.automationStatuses),
  name: z.string(),
  trigger_events: z.array(shape.openEnum(values.automationTriggers)),
  description: shape.optional(z.string()),
  stats: shape.optional(
    z.looseObject({
      journeys: shape.optional(z.looseObject({ running: count, completed: count, total: count })),
      email: shape.optional(emailStats),
    }),
  ),
});

export const automationEmail = z.looseObject({
  id: z.string(),
  automation_step_id: z.string(),
  subject_line: shape.optional(z.string()),
  preview_text: shape.optional(z.string()),
  status: shape.openEnum(values.automationEmailStatuses),
  created_at: shape.unixSeconds,
  first_sent_at: shape.optional(shape.unixSeconds),
  last_sent_at: shape.optional(shape.unixSeconds),
  stats: shape.optional(
    z.looseObject({
      email: shape.optional(emailStats),
      clicks: shape.optional(
        z.array(
          z.looseObject({
            url: z.string(),
            total_clicks: count,
            total_unique_clicks: count,
            total_click_through_rate: count,
          }),
        ),
      ),
    }),
  ),
});

export const journey = z.looseObject({
  id: z.string(),
  automation_id: z.string(),
  subscription_id: shape.optional(z.string()),
  email: shape.optional(z.string()),
  status: shape.openEnum(values.journeyStatuses),
  started_at: shape.optional(shape.unixSeconds),
  completed_at: shape.optional(shape.unixSeconds),
});

/** Body of an enrollment; one of `email` and `subscription_id` names the subscriber. */
export const enrollment = z.strictObject({
  email: address.optional(),
  subscription_id: shape.prefixedId('sub').optional(),
  double_opt_override: z.enum(values.doubleOptOverrides).optional(),
});

const expandStats = shape.repeated(z.enum(['stats']));
export const automationListQuery = z.strictObject({ expand: expandStats, limit: shape.limit, page: shape.page });
export const automationQuery = z.strictObject({ expand: expandStats });
export const automationEmailsQuery = z.strictObject({ limit: shape.limit, cursor: shape.cursor, page: shape.page });
export const journeysQuery = z.strictObject({
  status: z.enum(values.journeyStatusFilters).optional(),
  limit: shape.limit,
  page: shape.page,
});
