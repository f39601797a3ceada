/** Subscriptions in the store: rows, the filtered and paged list, and what hangs on a subscription. */
import type { Bound, Database } from './database.ts';

/** A subscription as stored. Flags are 0 or 1. */
export interface SubscriptionRow {
  readonly seq: number;
  readonly id: string;
  readonly publication_id: string;
  readonly email: string;
  readonly email_key: string;
  readonly status: string;
  readonly created: number;
  readonly tier: string;
  readonly utm_source: string;
  readonly utm_medium: string;
  readonly utm_channel: string;
  readonly utm_campaign: string;
  readonly utm_term: string;
  readonly utm_content: string;
  readonly referring_site: string;
  readonly referral_code: string;
  readonly referred_by: number | null;
  readonly payments_customer_id: string;
  readonly double_opt_in: number;
  readonly tags: string;
  readonly emails_received: number;
  readonly open_rate: number;
  readonly click_through_rate: number;
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

/** A place in the order of the list. */
export interface Position {
  readonly created: number;
  readonly seq: number;
}

/** One stretch of the list. */
export interface Stretch {
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  /** Rows strictly behind this place. */
  readonly after?: Position | undefined;
  readonly offset?: number | undefined;
}

const columns = [
  'seq', 'id', 'publication_id', 'email', 'email_key', 'status', 'created', 'tier', 'utm_source', 'utm_medium', 'utm_channel',
  'utm_campaign', 'utm_term', 'utm_content', 'referring_site', 'referral_code', 'referred_by', 'payments_customer_id',
  'double_opt_in', 'tags', 'emails_received', 'open_rate', 'click_through_rate',
] as const satisfies readonly (keyof SubscriptionRow)[];

/** Each filter with its condition; one `?` each. */
const conditions: { readonly [Name in keyof SubscriptionFilter]-?: string } = {
  status: 'status = ?',
  tier: 'tier = ?',
  premiumTiers: `seq IN (SELECT subscription FROM subscription_tiers JOIN tiers ON tiers.id = tier_id
    WHERE tiers.publication_id = subscriptions.publication_id AND name IN (SELECT value FROM json_each(?)))`,
  premiumTierIds: 'seq IN (SELECT subscription FROM subscription_tiers WHERE tier_id IN (SELECT value FROM json_each(?)))',
  emailKey: 'email_key = ?',
  createdFrom: 'created >= ?',
  createdBefore: 'created < ?',
};
const filterNames = Object.keys(conditions) as (keyof SubscriptionFilter)[];

/** The queries about subscriptions. */
export type Subscriptions = ReturnType<typeof subscriptionStore>;

export function subscriptionStore(database: Database) {
  const one = (where: string) => database.prepare<SubscriptionRow>(`SELECT * FROM subscriptions WHERE ${where}`);
  const insert = database.prepare(
    `INSERT INTO subscriptions (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  const bySeq = one('seq = ?');
  const byAddress = one('publication_id = ? AND email_key = ?');
  const byReferralCode = one("publication_id = ? AND referral_code = ? AND referral_code <> ''");
  const referred = one('referred_by = ? ORDER BY seq');
  const setStatus = database.prepare('UPDATE subscriptions SET status = ? WHERE seq = ?');
  const total = database.prepare<{ n: number }>('SELECT count(*) AS n FROM subscriptions');
  const latest = one('1 ORDER BY seq DESC LIMIT ?');
  const addTier = database.prepare('INSERT OR IGNORE INTO subscription_tiers VALUES (?, ?)');
  const tiersOf = database.prepare<{ id: string; name: string; status: string }>(
    'SELECT id, name, status FROM subscription_tiers JOIN tiers ON tiers.id = tier_id WHERE subscription = ? ORDER BY name',
  );
  const addToList = database.prepare('INSERT OR IGNORE INTO list_memberships VALUES (?, ?)');
  const listsOf = database.prepare<{ list_id: string }>(
    'SELECT list_id FROM list_memberships WHERE subscription = ? ORDER BY list_id',
  );

  return {
    insert: (row: SubscriptionRow): void => insert.run(...columns.map((column) => row[column])),
    bySeq: (seq: number) => bySeq.get(seq),
    byAddress: (publicationId: string, emailKey: string) => byAddress.get(publicationId, emailKey),
    byReferralCode: (publicationId: string, code: string) => byReferralCode.get(publicationId, code),
    referredBy: (seq: number) => referred.all(seq),
    setStatus: (seq: number, status: string): void => setStatus.run(status, seq),
    /** The last to arrive, of every publication, newest first. */
    latest: (limit: number) => latest.all(limit),
    total: (): number => total.get()?.n ?? 0,

    addTier: (seq: number, tierId: string): void => addTier.run(seq, tierId),
    tiersOf: (seq: number) => tiersOf.all(seq),
    addToList: (seq: number, listId: string): void => addToList.run(seq, listId),
    listsOf: (seq: number): string[] => listsOf.all(seq).map((row) => row.list_id),

    /** The rows of one publication that pass the filter, by time of creation, then by arrival. */
    list(publicationId: string, filter: SubscriptionFilter, stretch: Stretch): SubscriptionRow[] {
      const { where, values } = whereClause(publicationId, filter);
      const after = stretch.after ? ` AND (created, seq) ${stretch.direction === 'asc' ? '>' : '<'} (?, ?)` : '';
      if (stretch.after) values.push(stretch.after.created, stretch.after.seq);
      const order = `created ${stretch.direction}, seq ${stretch.direction}`;
      return database
        .prepare<SubscriptionRow>(`SELECT * FROM subscriptions WHERE ${where}${after} ORDER BY ${order} LIMIT ? OFFSET ?`)
        .all(...values, stretch.limit, stretch.offset ?? 0);
    },

    count(publicationId: string, filter: SubscriptionFilter): number {
      const { where, values } = whereClause(publicationId, filter);
      return database.prepare<{ n: number }>(`SELECT count(*) AS n FROM subscriptions WHERE ${where}`).get(...values)?.n ?? 0;
    },
  };
}

function whereClause(publicationId: string, filter: SubscriptionFilter): { where: string; values: Bound[] } {
  const asked = filterNames.filter((name) => filter[name] !== undefined);
  const bind = (name: keyof SubscriptionFilter): Bound => {
    const value = filter[name] ?? null;
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  };
  return {
    where: ['publication_id = ?', ...asked.map((name) => conditions[name])].join(' AND '),
    values: [publicationId, ...asked.map(bind)],
  };
}
