/** The tables of the sandbox. A change here raises `schemaVersion`; an older file is refused rather than guessed at. */

/** Stored in the file (`user_version`). */
export const schemaVersion = 2;

/** Marks a file as ours (`application_id`): "nlsb". */
export const applicationId = 0x6e6c7362;

/**
 * Every table, parents first. `seq` is the order of arrival: it breaks ties between rows of the same second, so that a
 * page boundary can fall between them.
 */
export const tables = {
  publications: `id TEXT PRIMARY KEY, name TEXT NOT NULL, double_opt_in INTEGER NOT NULL, created INTEGER NOT NULL`,
  // publications: a JSON list of ids, or null where the key reaches the whole workspace.
  api_keys: `key TEXT PRIMARY KEY, publications TEXT`,
  // secret: null for a public client.
  oauth_clients: `uid TEXT PRIMARY KEY, name TEXT NOT NULL, secret TEXT, redirect_uris TEXT NOT NULL`,
  tiers: `id TEXT PRIMARY KEY, publication_id TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL, UNIQUE (publication_id, name)`,
  newsletter_lists: `id TEXT PRIMARY KEY, publication_id TEXT NOT NULL, name TEXT NOT NULL, auto_subscribe INTEGER NOT NULL`,
  custom_fields: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, publication_id TEXT NOT NULL, kind TEXT NOT NULL,
    display TEXT NOT NULL, options TEXT NOT NULL, created INTEGER NOT NULL, UNIQUE (publication_id, display)`,
  subscriptions: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, publication_id TEXT NOT NULL, email TEXT NOT NULL,
    email_key TEXT NOT NULL, status TEXT NOT NULL, created INTEGER NOT NULL, tier TEXT NOT NULL,
    utm_source TEXT NOT NULL, utm_medium TEXT NOT NULL, utm_channel TEXT NOT NULL, utm_campaign TEXT NOT NULL,
    utm_term TEXT NOT NULL, utm_content TEXT NOT NULL, referring_site TEXT NOT NULL, referral_code TEXT NOT NULL,
    referred_by INTEGER, payments_customer_id TEXT NOT NULL, double_opt_in INTEGER NOT NULL, tags TEXT NOT NULL,
    emails_received INTEGER NOT NULL, open_rate REAL NOT NULL, click_through_rate REAL NOT NULL,
    UNIQUE (publication_id, email_key)`,
  // value: JSON, as it was sent.
  custom_field_values: `subscription INTEGER NOT NULL, field INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (subscription, field)`,
  subscription_tiers: `subscription INTEGER NOT NULL, tier_id TEXT NOT NULL, PRIMARY KEY (subscription, tier_id)`,
  list_memberships: `subscription INTEGER NOT NULL, list_id TEXT NOT NULL, PRIMARY KEY (subscription, list_id)`,
  // at: milliseconds of the sandbox's clock.
  due: `seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, subject INTEGER NOT NULL`,
  // One row at most: milliseconds ahead of real time, and where the clock stands while it is stopped.
  clock: `id INTEGER PRIMARY KEY CHECK (id = 1), ahead INTEGER NOT NULL, frozen INTEGER`,
  counters: `kind TEXT PRIMARY KEY, n INTEGER NOT NULL`,
} as const;

/** `seq` is the rowid, which SQLite appends to every index: `(publication_id, created)` also orders by arrival. */
export const indexes = [
  'CREATE INDEX subscriptions_created ON subscriptions (publication_id, created)',
  'CREATE INDEX subscriptions_status ON subscriptions (publication_id, status, created)',
  'CREATE INDEX subscriptions_referral ON subscriptions (publication_id, referral_code)',
  'CREATE INDEX subscriptions_referred ON subscriptions (referred_by) WHERE referred_by IS NOT NULL',
  'CREATE INDEX due_at ON due (at, seq)',
] as const;
