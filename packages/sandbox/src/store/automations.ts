/** Store of automations, their e-mails, and the journeys of subscribers. */
import { type Database, selection, statementsOf, type PagedRows } from './database.ts';

/** An automation as stored; `trigger_events` is a JSON list. */
export interface AutomationRow {
  readonly seq: number;
  readonly id: string;
  readonly publication_id: string;
  readonly name: string;
  readonly description: string;
  readonly status: string;
  readonly trigger_events: string;
  readonly created: number;
}

/** How the readers of an automation's e-mails behaved. */
export interface Engagement {
  readonly recipients: number;
  readonly delivered: number;
  readonly opens: number;
  readonly unique_opens: number;
  readonly clicks: number;
  readonly unique_clicks: number;
  readonly unsubscribes: number;
  readonly spam_reports: number;
}

/** An e-mail of an automation; `wait` in seconds after the step before, `links` a JSON list. */
export interface AutomationEmailRow extends Engagement {
  readonly seq: number;
  readonly id: string;
  readonly automation: number;
  readonly step_id: string;
  readonly subject_line: string;
  readonly preview_text: string;
  readonly status: string;
  readonly wait: number;
  readonly created: number;
  readonly first_sent_at: number | null;
  readonly last_sent_at: number | null;
  readonly links: string;
}

/**
 * A journey as stored; `step` counts the e-mails sent, `waited` the days it waited for the subscriber to become active.
 */
export interface JourneyRow {
  readonly seq: number;
  readonly id: string;
  readonly automation: number;
  readonly subscription: number;
  readonly status: string;
  readonly step: number;
  readonly waited: number;
  readonly created: number;
  readonly completed: number | null;
}

/** A journey with what its record shows of the automation and the subscriber. */
export interface NamedJourneyRow extends JourneyRow {
  readonly automation_id: string;
  readonly subscription_id: string;
  readonly email: string;
}

const journeyColumns = `journeys.*,
  (SELECT id FROM automations WHERE seq = automation) AS automation_id,
  (SELECT id FROM subscriptions WHERE seq = subscription) AS subscription_id,
  (SELECT coalesce(email, email_key) FROM subscriptions WHERE seq = subscription) AS email`;

/** The queries about automations. */
export type Automations = ReturnType<typeof automationStore>;

export function automationStore(database: Database) {
  const { one, all, run, insert } = statementsOf(database);
  const counts = one<{ total: number; running: number; completed: number }, [automation: number]>(
    `SELECT count(*) AS total, count(*) FILTER (WHERE status = 'in_progress') AS running,
       count(*) FILTER (WHERE status = 'completed') AS completed FROM journeys WHERE automation = ?`,
  );
  return {
    insert: insert<AutomationRow>('automations'),
    insertEmail: insert<AutomationEmailRow>('automation_emails'),
    insertJourney: insert<JourneyRow>('journeys'),
    byId: one<AutomationRow, [publicationId: string, id: string]>(
      'SELECT * FROM automations WHERE publication_id = ?1 AND id = ?2',
    ),
    list: (publicationId: string): PagedRows<AutomationRow> =>
      selection(database, { table: 'automations', where: 'publication_id = ?', values: [publicationId] }),
    /** In the order they are sent. */
    emails: all<AutomationEmailRow, [automation: number]>(
      'SELECT * FROM automation_emails WHERE automation = ? ORDER BY created, seq',
    ),
    emailList: (automation: number): PagedRows<AutomationEmailRow> =>
      selection(database, { table: 'automation_emails', where: 'automation = ?', values: [automation] }),
    /** What its e-mails add up to. */
    engagement: one<Engagement, [automation: number]>(
      `SELECT coalesce(sum(recipients), 0) AS recipients, coalesce(sum(delivered), 0) AS delivered, coalesce(sum(opens), 0) AS opens,
         coalesce(sum(unique_opens), 0) AS unique_opens, coalesce(sum(clicks), 0) AS clicks, coalesce(sum(unique_clicks), 0) AS unique_clicks,
         coalesce(sum(unsubscribes), 0) AS unsubscribes, coalesce(sum(spam_reports), 0) AS spam_reports
       FROM automation_emails WHERE automation = ?`,
    ),
    journeyCounts: (automation: number) => counts(automation) ?? { total: 0, running: 0, completed: 0 },
    /** The e-mail went out once more. */
    sent: run<[email: number, now: number]>(
      `UPDATE automation_emails SET recipients = recipients + 1, delivered = delivered + 1,
         first_sent_at = coalesce(first_sent_at, ?2), last_sent_at = ?2 WHERE seq = ?1`,
    ),

    journey: one<JourneyRow, [seq: number]>('SELECT * FROM journeys WHERE seq = ?'),
    journeyById: one<NamedJourneyRow, [automation: number, id: string]>(
      `SELECT ${journeyColumns} FROM journeys WHERE automation = ?1 AND id = ?2`,
    ),
    /** The journey this subscription is on in this automation. */
    running: one<JourneyRow, [subscription: number, automation: number]>(
      "SELECT * FROM journeys WHERE subscription = ? AND automation = ? AND status = 'in_progress'",
    ),
    /** The journeys this subscription is on. */
    runningOf: all<JourneyRow, [subscription: number]>(
      "SELECT * FROM journeys WHERE subscription = ? AND status = 'in_progress'",
    ),
    journeyList: (automation: number, status?: string): PagedRows<NamedJourneyRow> =>
      selection(database, {
        table: 'journeys',
        columns: journeyColumns,
        where: `automation = ?${status === undefined ? '' : ' AND status = ?'}`,
        values: status === undefined ? [automation] : [automation, status],
      }),
    moved: run<[journey: number, step: number, waited: number]>(
      'UPDATE journeys SET step = ?2, waited = ?3 WHERE seq = ?1',
    ),
    ended: run<[journey: number, status: string, completed: number | null]>(
      'UPDATE journeys SET status = ?2, completed = ?3 WHERE seq = ?1',
    ),
  };
}
