/** Rules of automations, their e-mails, and the journeys of subscribers through them. */
import { addressKey } from '@newsletter-kit/core/signup';
import type { AutomationEmailRow, AutomationRow, Engagement, NamedJourneyRow } from '../store/automations.ts';
import type { Store } from '../store/store.ts';
import type { SubscriptionRow } from '../store/subscriptions.ts';
import { enroll, takesApiEnrollment } from '../world/journeys.ts';
import { overrideDoubleOpt } from '../world/subscribe.ts';
import { apiError } from '../http/errors.ts';
import { type RuleCall, listOf, listRule, oneRecord, orNotFound, rule, type Rule } from './rule.ts';

type Expand = readonly 'stats'[] | undefined;

export const automationRules: readonly Rule[] = [
  listRule('automations.list', ({ world, publication }, { expand }) =>
    listOf(world.store.automations.list(publication.id), (row) => automationRecord(world.store, row, expand)),
  ),

  rule('automations.get', (call, { expand }) =>
    oneRecord(automationRecord(call.world.store, findAutomation(call), expand)),
  ),

  listRule('automations.listEmails', (call) =>
    listOf(call.world.store.automations.emailList(findAutomation(call).seq), emailRecord),
  ),

  rule('journeys.enroll', (call, _query, body) => {
    const { world } = call;
    const automation = findAutomation(call);
    if (!takesApiEnrollment(automation)) {
      throw apiError(
        400,
        'NO_API_TRIGGER',
        'This automation has no active Add by API trigger: "api" must be one of its trigger_events, and its status must be running or live.',
      );
    }
    const subscriber = findSubscriber(call, body);
    return world.write((emit) => {
      const journey = enroll(world, automation, subscriber.seq);
      if (!journey)
        throw apiError(400, 'ALREADY_ENROLLED', 'This subscriber is already on a journey in this automation.');
      overrideDoubleOpt(world, subscriber, body.double_opt_override, emit);
      return {
        body: {
          data: journeyRecord({
            ...journey,
            automation_id: automation.id,
            subscription_id: subscriber.id,
            email: subscriber.email,
          }),
        },
      };
    });
  }),

  listRule('journeys.list', (call, { status }) =>
    listOf(
      call.world.store.automations.journeyList(findAutomation(call).seq, status === 'all' ? undefined : status),
      journeyRecord,
    ),
  ),

  rule('journeys.get', (call) => {
    const id = call.params['automationJourneyId'] ?? '';
    const journey = call.world.store.automations.journeyById(findAutomation(call).seq, id);
    return oneRecord(journeyRecord(orNotFound(journey, 'journey with this id in this automation')));
  }),
];

/** The automation that the path names. @throws ApiError 404 */
function findAutomation({ world, publication, params }: RuleCall): AutomationRow {
  const automation = world.store.automations.byId(publication.id, params['automationId'] ?? '');
  return orNotFound(automation, 'automation with this id on this publication');
}

function automationRecord(
  store: Store,
  { seq, id, status, name, trigger_events, description }: AutomationRow,
  expand: Expand,
) {
  const record = { id, status, name, trigger_events: JSON.parse(trigger_events) as unknown, description };
  if (!expand?.includes('stats')) return record;
  const { running, completed, total } = store.automations.journeyCounts(seq);
  return {
    ...record,
    stats: {
      journeys: { running, completed, total },
      email: engagementRecord(store.automations.engagement(seq)),
    },
  };
}

function emailRecord(row: AutomationEmailRow) {
  const { id, step_id, subject_line, preview_text, status, created, first_sent_at, last_sent_at } = row;
  const links = JSON.parse(row.links) as readonly {
    readonly url: string;
    readonly clicks: number;
    readonly unique_clicks: number;
  }[];
  return {
    id,
    automation_step_id: step_id,
    subject_line,
    preview_text,
    status,
    created_at: created,
    first_sent_at,
    last_sent_at,
    stats: {
      email: engagementRecord(row),
      clicks: links.map(({ url, clicks, unique_clicks }) => ({
        url,
        total_clicks: clicks,
        total_unique_clicks: unique_clicks,
        total_click_through_rate: percent(unique_clicks, row.unique_opens),
      })),
    },
  };
}

/** Rates are percentages of the delivered e-mails. */
const engagementRecord = (sum: Engagement) => ({
  recipients: sum.recipients,
  delivered: sum.delivered,
  opens: sum.opens,
  unique_opens: sum.unique_opens,
  open_rate: percent(sum.unique_opens, sum.delivered),
  clicks: sum.clicks,
  unique_clicks: sum.unique_clicks,
  click_rate: percent(sum.unique_clicks, sum.delivered),
  unsubscribes: sum.unsubscribes,
  spam_reports: sum.spam_reports,
});

const percent = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100);

interface SubscriberName {
  readonly email?: string | undefined;
  readonly subscription_id?: string | undefined;
}

/** @throws ApiError 400 where no subscriber or two different ones are named, 404 where none is found */
function findSubscriber({ world, publication }: RuleCall, { email, subscription_id }: SubscriberName): SubscriptionRow {
  const { subscriptions } = world.store;
  const named = [
    ...(email === undefined ? [] : [subscriptions.byAddress(publication.id, addressKey(email))]),
    ...(subscription_id === undefined ? [] : [subscriptions.byId(publication.id, subscription_id)]),
  ];
  if (named.length === 0)
    throw apiError(400, 'NOT_EXIST_REQUIRED_KEY', 'Identify the subscriber by "email" or "subscription_id".');
  const [first, second] = named;
  if (!first || named.includes(undefined))
    throw apiError(
      404,
      'NOT_FOUND',
      'This publication has no such subscriber. Create the subscription first; its "automation_ids" can enroll it, too.',
    );
  if (second && second.seq !== first.seq)
    throw apiError(400, 'VALIDATE_ERROR', '"email" and "subscription_id" belong to two different subscribers.');
  return first;
}

function journeyRecord({ id, automation_id, subscription_id, email, status, created, completed }: NamedJourneyRow) {
  return { id, automation_id, subscription_id, email, status, started_at: created, completed_at: completed };
}
