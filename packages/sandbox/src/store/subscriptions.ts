/** Store of subscriptions: rows, the filtered and paginated list, tiers and list memberships. */
import { utmFields } from '@newsletter-kit/core/contract';
import { type Bound, columnsOf, type Database, type PagedRows, selection, statementsOf } from './database.ts';
import type { Row } from './tables.ts';

/** The columns of attribution that a request can set. */
export const attributionColumns = [...utmFields, 'referring_site'] as const;
type AttributionColumn = (typeof attributionColumns)[number];

/** A subscription as stored, with its publication by id and its address as it was sent. */
export interface SubscriptionRow extends Omit<Row<'subscriptions'>, 'publication' | 'email'> {
  readonly publication_id: string;
  readonly email: string;
}

/** Narrows the list; a name left out does not filter. */
export interface SubscriptionFilter {
  readonly status?: string | undefined;
  readonly tier?: string | undefined;
  readonly premiumTiers?: readonly string[] | undefined;
  readonly premiumTierIds?: readonly string[] | undefined;
  readonly emailKey?: string | undefined;
  /** First second of the day of creation. */
  readonly createdFrom?: number | undefined;
  /** First second after it. */
  readonly createdBefore?: number | undefined;
}

/** What to select for a {@link SubscriptionRow}; the last `email` counts. */
export const subscriptionColumns =
  '*, coalesce(email, email_key) AS email, (SELECT id FROM publications WHERE seq = publication) AS publication_id';
const ofPublication = 'publication = (SELECT seq FROM publications WHERE id = ?)';

/** Each filter with its condition. */
const conditions: { readonly [Name in keyof SubscriptionFilter]-?: string } = {
  status: 'status = ?',
  tier: 'tier = ?',
  premiumTiers: `seq IN (SELECT subscription FROM subscription_tiers JOIN tiers ON tiers.seq = subscription_tiers.tier
    WHERE name IN (SELECT value FROM json_each(?)))`,
  premiumTierIds:
    'seq IN (SELECT subscription FROM subscription_tiers WHERE tier IN (SELECT seq FROM tiers WHERE id IN (SELECT value FROM json_each(?))))',
  emailKey: 'email_key = ?',
  createdFrom: 'created >= ?',
  createdBefore: 'created < ?',
};

/** The queries about subscriptions. */
export function subscriptionStore(database: Database) {
  const { number, one, all, run } = statementsOf(database);
  const from = `SELECT ${subscriptionColumns} FROM subscriptions`;
  const update = 'UPDATE subscriptions SET';
  const setText = (assignments: string) => run<[seq: number, text: string]>(`${update} ${assignments} WHERE seq = ?1`);
  const columns = columnsOf(database, 'subscriptions') as readonly (keyof Row<'subscriptions'>)[];
  const plain = columns.filter((column) => column !== 'publication' && column !== 'email');
  const insert = run<Bound[]>(
    `INSERT INTO subscriptions (${plain.join(', ')}, email, publication)
     VALUES (${plain.map(() => '?').join(', ')}, ?, (SELECT seq FROM publications WHERE id = ?))`,
  );
  const listsOf = all<{ id: string }, [subscription: number]>(
    'SELECT id FROM list_memberships JOIN newsletter_lists ON newsletter_lists.seq = list WHERE subscription = ? ORDER BY id',
  );

  return {
    insert: (row: SubscriptionRow): void =>
      insert(...plain.map((column) => row[column]), row.email === row.email_key ? null : row.email, row.publication_id),
    bySeq: one<SubscriptionRow, [seq: number]>(`${from} WHERE seq = ?`),
    byId: one<SubscriptionRow, [publicationId: string, id: string]>(
      `${from} WHERE ${ofPublication} AND substr(id, 5, 8) = substr(?2, 5, 8) AND id = ?2`,
    ),
    byAddress: one<SubscriptionRow, [publicationId: string, emailKey: string]>(
      `${from} WHERE ${ofPublication} AND email_key = ?`,
    ),
    /** The subscriptions with this address in every publication. */
    everywhere: all<SubscriptionRow, [emailKey: string]>(`${from} WHERE email_key = ? ORDER BY seq`),
    byReferralCode: one<SubscriptionRow, [publicationId: string, code: string]>(
      `${from} WHERE ${ofPublication} AND referral_code = ? AND referral_code <> ''`,
    ),
    referredBy: all<SubscriptionRow, [seq: number]>(`${from} WHERE referred_by = ? ORDER BY seq`),
    total: number('SELECT count(*) AS n FROM subscriptions'),
    setStatus: setText('status = ?2'),
    setTier: setText('tier = ?2'),
    setAttribution: (seq: number, column: AttributionColumn, text: string): void =>
      setText(`${column} = ?2`)(seq, text),
    setCustomer: setText('payments_customer_id = ?2'),
    setDoubleOptIn: run<[seq: number, needed: number]>(`${update} double_opt_in = ?2 WHERE seq = ?1`),
    /** Counts one more e-mail received. Nobody opens it here, so the rates fall. */
    received: run<[seq: number]>(
      `${update} open_rate = round(open_rate * emails_received / (emails_received + 1.0), 2),
         click_through_rate = round(click_through_rate * emails_received / (emails_received + 1.0), 2),
         emails_received = emails_received + 1 WHERE seq = ?`,
    ),
    /** Deletes everything but the row, its id and its time of creation; the key replaces the address. */
    redact: setText(
      `email = NULL, email_key = ?2, status = 'inactive', tier = 'free', utm_source = '', utm_medium = '', utm_channel = '', utm_campaign = '',
       utm_term = '', utm_content = '', referring_site = '', referral_code = '', referred_by = NULL, payments_customer_id = '', double_opt_in = 0,
       tags = '[]', emails_received = 0, open_rate = 0, click_through_rate = 0`,
    ),

    addTier: run<[seq: number, tier: number]>(
      'INSERT OR IGNORE INTO subscription_tiers (subscription, tier) VALUES (?, ?)',
    ),
    removeTier: run<[seq: number, tier: number]>('DELETE FROM subscription_tiers WHERE subscription = ? AND tier = ?'),
    clearTiers: run<[seq: number]>('DELETE FROM subscription_tiers WHERE subscription = ?'),
    tiersOf: all<{ seq: number; id: string; name: string; status: string }, [seq: number]>(
      `SELECT seq, id, name, status FROM subscription_tiers JOIN tiers ON tiers.seq = subscription_tiers.tier
       WHERE subscription = ? ORDER BY name`,
    ),
    addToList: run<[seq: number, list: number]>(
      'INSERT OR IGNORE INTO list_memberships (subscription, list) VALUES (?, ?)',
    ),
    removeFromList: run<[seq: number, list: number]>(
      'DELETE FROM list_memberships WHERE subscription = ? AND list = ?',
    ),
    clearLists: run<[seq: number]>('DELETE FROM list_memberships WHERE subscription = ?'),
    listsOf: (seq: number): string[] => listsOf(seq).map((row) => row.id),

    /** The subscriptions of one publication that pass the filter, by time of creation, then by arrival. */
    list(publicationId: string, filter: SubscriptionFilter): PagedRows<SubscriptionRow> {
      const filters = Object.entries(conditions).map(([name, condition]) => {
        const value = filter[name as keyof SubscriptionFilter];
        return [condition, typeof value === 'object' ? JSON.stringify(value) : value] as const;
      });
      return selection(database, {
        table: 'subscriptions',
        columns: subscriptionColumns,
        where: {
          [ofPublication]: publicationId,
          ...Object.fromEntries(filters),
          // Repeated as a literal: SQLite uses a partial index only where the query contains its condition.
          ...(filter.tier === 'premium' && { "tier = 'premium'": 1 }),
        },
      });
    },
  };
}
