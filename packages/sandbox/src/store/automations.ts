/** Store of automations, their e-mails, and the journeys of subscribers. */
import { type Database, selection, statementsOf, type PagedRows } from './database.ts';
import type { Row } from './tables.ts';

export type AutomationRow = Row<'automations'>;
export type AutomationEmailRow = Row<'automation_emails'>;
export type JourneyRow = Row<'journeys'>;

/** How the readers of an automation's e-mails behaved. */
const engagement = [
  'recipients',
  'delivered',
  'opens',
  'unique_opens',
  'clicks',
  'unique_clicks',
  'unsubscribes',
  'spam_reports',
] as const satisfies readonly (keyof AutomationEmailRow)[];
export type Engagement = Pick<AutomationEmailRow, (typeof engagement)[number]>;

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
export function automationStore(database: Database) {
  const { aggregate, one, all, run } = statementsOf(database);
  return {
    byId: one<AutomationRow, [publicationId: string, id: string]>(
      'SELECT * FROM automations WHERE publication_id = ?1 AND id = ?2',
    ),
    list: (publicationId: string) =>
      selection(database, { table: 'automations', where: { 'publication_id = ?': publicationId } }),
    /** In the order they are sent. */
    emails: all<AutomationEmailRow, [automation: number]>(
      'SELECT * FROM automation_emails WHERE automation = ? ORDER BY created, seq',
    ),
    emailList: (automation: number) =>
      selection(database, { table: 'automation_emails', where: { 'automation = ?': automation } }),
    /** What its e-mails add up to. */
    engagement: aggregate<Engagement, [automation: number]>(
      `SELECT ${engagement.map((name) => `coalesce(sum(${name}), 0) AS ${name}`).join(', ')}
       FROM automation_emails WHERE automation = ?`,
    ),
    journeyCounts: aggregate<{ total: number; running: number; completed: number }, [automation: number]>(
      `SELECT count(*) AS total, count(*) FILTER (WHERE status = 'in_progress') AS running,
         count(*) FILTER (WHERE status = 'completed') AS completed FROM journeys WHERE automation = ?`,
    ),
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
        where: { 'automation = ?': automation, 'status = ?': status },
      }),
    moved: run<[journey: number, step: number, waited: number]>(
      'UPDATE journeys SET step = ?2, waited = ?3 WHERE seq = ?1',
    ),
    ended: run<[journey: number, status: string, completed: number | null]>(
      'UPDATE journeys SET status = ?2, completed = ?3 WHERE seq = ?1',
    ),
  };
}
