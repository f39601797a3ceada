/** Queries of the web interface: across publications, newest first, with a text search. */
import { type Bound, type Conditions, type Database, statementsOf, whereOf } from './database.ts';
import type { JobRow } from './jobs.ts';
import { subscriptionColumns, type SubscriptionRow } from './subscriptions.ts';
import type { ApiKeyRow, OauthClientRow } from './workspace.ts';

/** What is looked for; a name left out does not narrow. */
export interface SubscriptionSearch {
  readonly status?: string | undefined;
  /** A part of the address, source or campaign in any case of its letters, or a whole id. */
  readonly text?: string | undefined;
}

/** A journey of a subscription, with the name of its automation. */
export interface JourneyOverview {
  readonly id: string;
  readonly automation_name: string;
  readonly status: string;
  readonly created: number;
  readonly completed: number | null;
}

/** The queries of the web interface. */
export function overviewStore(database: Database) {
  const { number, one, all } = statementsOf(database);
  return {
    subscription: one<SubscriptionRow, [id: string]>(
      `SELECT ${subscriptionColumns} FROM subscriptions WHERE substr(id, 5, 8) = substr(?1, 5, 8) AND id = ?1`,
    ),
    journeysOf: all<JourneyOverview, [subscription: number]>(
      `SELECT journeys.id, automations.name AS automation_name, journeys.status, journeys.created, journeys.completed
       FROM journeys JOIN automations ON automations.seq = journeys.automation WHERE subscription = ? ORDER BY journeys.seq DESC LIMIT 50`,
    ),
    /** Jobs of any kind, imports included. */
    jobs: all<JobRow, [limit: number]>('SELECT * FROM jobs ORDER BY seq DESC LIMIT ?'),
    keys: all<ApiKeyRow>('SELECT key, publications FROM api_keys ORDER BY publications IS NOT NULL, key LIMIT 20'),
    clients: all<OauthClientRow>('SELECT * FROM oauth_clients ORDER BY secret IS NULL, uid LIMIT 20'),

    /** Newest first; `before` is the `seq` of the last row of the page before. */
    subscriptions(search: SubscriptionSearch, limit: number, before?: number) {
      const { where, values } = whereOf({ 'seq < ?': before, ...matching(search) });
      const sql = `SELECT ${subscriptionColumns} FROM subscriptions WHERE ${where} ORDER BY seq DESC LIMIT ?`;
      return all<SubscriptionRow, Bound[]>(sql)(...values, limit);
    },

    /** Counts the matches, at most `max`. */
    countSubscriptions(search: SubscriptionSearch, max: number): number {
      const { where, values } = whereOf(matching(search));
      return number<Bound[]>(`SELECT count(*) AS n FROM (SELECT 1 FROM subscriptions WHERE ${where} LIMIT ?)`)(
        ...values,
        max,
      );
    },
  };
}

/** A whole id is looked up; anything else has to be compared with every row until a page is full. */
function matching({ status, text }: SubscriptionSearch): Conditions {
  const part = text?.normalize('NFC').trim().toLowerCase() ?? '';
  const isId = /^sub_[0-9a-f-]{36}$/.test(part);
  return {
    'status = ?': status,
    'substr(id, 5, 8) = substr(?, 5, 8) AND id = ?': isId ? part : undefined,
    'instr(email_key, ?) > 0 OR instr(lower(email), ?) > 0 OR instr(lower(utm_source), ?) > 0 OR instr(lower(utm_campaign), ?) > 0':
      isId || part === '' ? undefined : part,
  };
}
