/** Finds subscriptions the way a person looks for them: by a part of the address or of where they came from. */
import type { Bound, Database } from './database.ts';
import { subscriptionColumns, type SubscriptionRow } from './subscriptions.ts';

/** What is looked for, in every publication; a name left out does not narrow. */
export interface SubscriptionSearch {
  readonly status?: string | undefined;
  /** A part of the address, source or campaign in any case of its letters, or a whole id. */
  readonly text?: string | undefined;
}

/** The queries of the search. */
export type SubscriptionFinder = ReturnType<typeof subscriptionFinder>;

export function subscriptionFinder(database: Database) {
  const byId = database.prepare<SubscriptionRow>(`SELECT ${subscriptionColumns} FROM subscriptions WHERE substr(id, 5, 8) = substr(?1, 5, 8) AND id = ?1`);
  return {
    byId: (id: string) => byId.get(id),

    /** The last to arrive first; `before` is the `seq` of the last row of the page before. */
    find(search: SubscriptionSearch, limit: number, before?: number): SubscriptionRow[] {
      const { where, values } = whereClause(search);
      return database
        .prepare<SubscriptionRow>(`SELECT ${subscriptionColumns} FROM subscriptions WHERE seq < ?${where} ORDER BY seq DESC LIMIT ?`)
        .all(before ?? Number.MAX_SAFE_INTEGER, ...values, limit);
    },

    /** How many there are, counted up to `most`. */
    count(search: SubscriptionSearch, most: number): number {
      const { where, values } = whereClause(search);
      const counted = `SELECT 1 FROM subscriptions WHERE true${where} LIMIT ?`;
      return database.prepare<{ n: number }>(`SELECT count(*) AS n FROM (${counted})`).get(...values, most)?.n ?? 0;
    },
  };
}

function whereClause({ status, text }: SubscriptionSearch): { readonly where: string; readonly values: Bound[] } {
  const parts: string[] = [];
  const values: Bound[] = [];
  if (status !== undefined) {
    parts.push(' AND status = ?');
    values.push(status);
  }
  if (text !== undefined) {
    const part = text.normalize('NFC').trim().toLowerCase();
    parts.push(' AND (instr(email_key, ?) > 0 OR id = ? OR instr(lower(utm_source), ?) > 0 OR instr(lower(utm_campaign), ?) > 0)');
    values.push(part, part, part, part);
  }
  return { where: parts.join(''), values };
}
