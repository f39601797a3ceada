/** Answers the operations on automations and their e-mails. */
import { schemas } from '@newsletter-kit/core/schema';
import type { AutomationEmailRow, AutomationRow, Engagement } from '../store/automations.ts';
import type { Store } from '../store/store.ts';
import { apiError } from './errors.ts';
import { handler, nothing, type Call, type Handler } from './handler.ts';
import { cursorOrOffsetList, offsetList } from './paging.ts';

type Expand = readonly 'stats'[] | undefined;

const list = handler(
  'automations.list',
  { query: schemas['automations.list'].query, body: nothing },
  ({ world, publication }, query) =>
    offsetList(query, {
      list: 'automations',
      rows: world.store.automations.list(publication.id),
      record: (row) => automationRecord(world.store, row, query.expand),
    }),
);

const get = handler('automations.get', { query: schemas['automations.get'].query, body: nothing }, (call, query) => ({
  body: { data: automationRecord(call.world.store, findAutomation(call), query.expand) },
}));

const listEmails = handler(
  'automations.listEmails',
  { query: schemas['automations.listEmails'].query, body: nothing },
  (call, query) =>
    cursorOrOffsetList(query, {
      list: 'automation_emails',
      rows: call.world.store.automations.emailList(findAutomation(call).seq),
      record: emailRecord,
    }),
);

/** The automation that the path names. @throws ApiError 404 */
export function findAutomation({ world, publication, params }: Call): AutomationRow {
  const automation = world.store.automations.byId(publication.id, params['automationId'] ?? '');
  if (!automation) throw apiError(404, 'NOT_FOUND', 'There is no automation with this id on this publication.');
  return automation;
}

function automationRecord(
  store: Store,
  { seq, id, status, name, trigger_events, description }: AutomationRow,
  expand: Expand,
) {
  const record = { id, status, name, trigger_events: JSON.parse(trigger_events) as unknown, description };
  if (!expand?.includes('stats')) return record;
  const { running, completed, total } = store.automations.travels(seq);
  return {
    ...record,
    stats: {
      journeys: { running, completed, total },
      email: engagementRecord(store.automations.engagement(seq) ?? none),
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

const none: Engagement = {
  recipients: 0,
  delivered: 0,
  opens: 0,
  unique_opens: 0,
  clicks: 0,
  unique_clicks: 0,
  unsubscribes: 0,
  spam_reports: 0,
};

/** Rates are of those delivered, as percentages. */
function engagementRecord({
  recipients,
  delivered,
  opens,
  unique_opens,
  clicks,
  unique_clicks,
  unsubscribes,
  spam_reports,
}: Engagement) {
  return {
    recipients,
    delivered,
    opens,
    unique_opens,
    open_rate: percent(unique_opens, delivered),
    clicks,
    unique_clicks,
    click_rate: percent(unique_clicks, delivered),
    unsubscribes,
    spam_reports,
  };
}

const percent = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100);

export const automationHandlers: readonly Handler[] = [list, get, listEmails];
