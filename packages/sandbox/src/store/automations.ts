/** Store of automations, their e-mails, and the journeys of subscribers. */
import { type Database, inserter, selection, type PagedRows } from './database.ts';

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
  const insert = inserter<AutomationRow>(database, 'automations', [
    'seq',
    'id',
    'publication_id',
    'name',
    'description',
    'status',
    'trigger_events',
    'created',
  ]);
  const insertEmail = inserter<AutomationEmailRow>(database, 'automation_emails', [
    'seq',
    'id',
    'automation',
    'step_id',
    'subject_line',
    'preview_text',
    'status',
    'wait',
    'created',
    'first_sent_at',
    'last_sent_at',
    'recipients',
    'delivered',
    'opens',
    'unique_opens',
    'clicks',
    'unique_clicks',
    'unsubscribes',
    'spam_reports',
    'links',
  ]);
  const insertJourney = inserter<JourneyRow>(database, 'journeys', [
    'seq',
    'id',
    'automation',
    'subscription',
    'status',
    'step',
    'waited',
    'created',
    'completed',
  ]);
  const byId = database.prepare<AutomationRow>('SELECT * FROM automations WHERE id = ? AND publication_id = ?');
  const emails = database.prepare<AutomationEmailRow>(
    'SELECT * FROM automation_emails WHERE automation = ? ORDER BY created, seq',
  );
  const engagement = database.prepare<Engagement>(
    `SELECT coalesce(sum(recipients), 0) AS recipients, coalesce(sum(delivered), 0) AS delivered, coalesce(sum(opens), 0) AS opens,
       coalesce(sum(unique_opens), 0) AS unique_opens, coalesce(sum(clicks), 0) AS clicks, coalesce(sum(unique_clicks), 0) AS unique_clicks,
       coalesce(sum(unsubscribes), 0) AS unsubscribes, coalesce(sum(spam_reports), 0) AS spam_reports
     FROM automation_emails WHERE automation = ?`,
  );
  const journeyCounts = database.prepare<{ total: number; running: number; completed: number }>(
    `SELECT count(*) AS total, count(*) FILTER (WHERE status = 'in_progress') AS running,
       count(*) FILTER (WHERE status = 'completed') AS completed FROM journeys WHERE automation = ?`,
  );
  const sent = database.prepare(
    `UPDATE automation_emails SET recipients = recipients + 1, delivered = delivered + 1,
       first_sent_at = coalesce(first_sent_at, ?1), last_sent_at = ?1 WHERE seq = ?2`,
  );
  const journey = database.prepare<JourneyRow>('SELECT * FROM journeys WHERE seq = ?');
  const journeyById = database.prepare<NamedJourneyRow>(
    `SELECT ${journeyColumns} FROM journeys WHERE id = ? AND automation = ?`,
  );
  const running = database.prepare<JourneyRow>(
    "SELECT * FROM journeys WHERE subscription = ? AND automation = ? AND status = 'in_progress'",
  );
  const runningOf = database.prepare<JourneyRow>(
    "SELECT * FROM journeys WHERE subscription = ? AND status = 'in_progress'",
  );
  const moved = database.prepare('UPDATE journeys SET step = ?, waited = ? WHERE seq = ?');
  const ended = database.prepare('UPDATE journeys SET status = ?, completed = ? WHERE seq = ?');

  return {
    insert,
    insertEmail,
    insertJourney,
    byId: (publicationId: string, id: string) => byId.get(id, publicationId),
    list: (publicationId: string): PagedRows<AutomationRow> =>
      selection(database, { table: 'automations', where: 'publication_id = ?', values: [publicationId] }),
    /** In the order they are sent. */
    emails: (automation: number) => emails.all(automation),
    emailList: (automation: number): PagedRows<AutomationEmailRow> =>
      selection(database, { table: 'automation_emails', where: 'automation = ?', values: [automation] }),
    /** What its e-mails add up to. */
    engagement: (automation: number): Engagement | undefined => engagement.get(automation),
    journeyCounts: (automation: number) => journeyCounts.get(automation) ?? { total: 0, running: 0, completed: 0 },
    /** The e-mail went out once more. */
    sent: (email: number, now: number): void => sent.run(now, email),

    journey: (seq: number) => journey.get(seq),
    journeyById: (automation: number, id: string) => journeyById.get(id, automation),
    /** The journey this subscription is on in this automation. */
    running: (subscription: number, automation: number) => running.get(subscription, automation),
    /** The journeys this subscription is on. */
    runningOf: (subscription: number) => runningOf.all(subscription),
    journeyList: (automation: number, status?: string): PagedRows<NamedJourneyRow> =>
      selection(database, {
        table: 'journeys',
        columns: journeyColumns,
        where: `automation = ?${status === undefined ? '' : ' AND status = ?'}`,
        values: status === undefined ? [automation] : [automation, status],
      }),
    moved: (journeySeq: number, step: number, waited: number): void => moved.run(step, waited, journeySeq),
    ended: (journeySeq: number, status: string, completed: number | null): void =>
      ended.run(status, completed, journeySeq),
  };
}
