/** The database schema. Every change raises `schemaVersion`; older files are refused. */

/** Stored in the file (`user_version`). */
export const schemaVersion = 2;

/** Marks a file as ours (`application_id`): "nlsb". */
export const applicationId = 0x6e6c7362;

/**
 * Every table, parents first. `seq` is the order of arrival: it breaks ties between rows of the same second, so that a
 * page boundary can fall between them.
 */
export const tables = {
  publications: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, double_opt_in INTEGER NOT NULL, created INTEGER NOT NULL`,
  // publications: a JSON list of ids, or null where the key reaches the whole workspace.
  api_keys: `key TEXT PRIMARY KEY, publications TEXT`,
  // secret: null for a public client. redirect_uris, grant_types: JSON lists.
  oauth_clients: `uid TEXT PRIMARY KEY, name TEXT NOT NULL, secret TEXT, redirect_uris TEXT NOT NULL, grant_types TEXT NOT NULL`,
  // One consent and the code given for it. Times of OAuth are in seconds.
  oauth_grants: `seq INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, client TEXT NOT NULL, redirect_uri TEXT NOT NULL, scope TEXT NOT NULL,
    code_challenge TEXT, code_challenge_method TEXT, expires INTEGER NOT NULL, used INTEGER NOT NULL`,
  // consent: the grant that a token descends from, over every rotation.
  oauth_tokens: `seq INTEGER PRIMARY KEY, consent INTEGER NOT NULL, scope TEXT NOT NULL, access_token TEXT NOT NULL UNIQUE,
    refresh_token TEXT UNIQUE, created INTEGER NOT NULL, expires INTEGER NOT NULL, revoked INTEGER NOT NULL`,
  tiers: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, publication_id TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL,
    status TEXT NOT NULL, UNIQUE (publication_id, name)`,
  newsletter_lists: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, publication_id TEXT NOT NULL, name TEXT NOT NULL,
    auto_subscribe INTEGER NOT NULL`,
  custom_fields: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, publication_id TEXT NOT NULL, kind TEXT NOT NULL,
    display TEXT NOT NULL, options TEXT NOT NULL, created INTEGER NOT NULL, UNIQUE (publication_id, display)`,
  // There may be a million: publications, tiers and lists are numbers here, and email is null where it equals
  // email_key.
  subscriptions: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL, publication INTEGER NOT NULL, email TEXT,
    email_key TEXT NOT NULL, status TEXT NOT NULL, created INTEGER NOT NULL, tier TEXT NOT NULL,
    utm_source TEXT NOT NULL, utm_medium TEXT NOT NULL, utm_channel TEXT NOT NULL, utm_campaign TEXT NOT NULL,
    utm_term TEXT NOT NULL, utm_content TEXT NOT NULL, referring_site TEXT NOT NULL, referral_code TEXT NOT NULL,
    referred_by INTEGER, payments_customer_id TEXT NOT NULL, double_opt_in INTEGER NOT NULL, tags TEXT NOT NULL,
    emails_received INTEGER NOT NULL, open_rate REAL NOT NULL, click_through_rate REAL NOT NULL,
    UNIQUE (publication, email_key)`,
  // value: JSON, as it was sent.
  custom_field_values: `subscription INTEGER NOT NULL, field INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (subscription, field)`,
  subscription_tiers: `subscription INTEGER NOT NULL, tier INTEGER NOT NULL, PRIMARY KEY (subscription, tier)`,
  list_memberships: `subscription INTEGER NOT NULL, list INTEGER NOT NULL, PRIMARY KEY (subscription, list)`,
  // params and error_log: JSON. type: also `import`, which the list of bulk updates does not show.
  jobs: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, publication_id TEXT NOT NULL, type TEXT NOT NULL, params TEXT NOT NULL,
    status TEXT NOT NULL, failure_reason TEXT, error_log TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, completed INTEGER`,
  // trigger_events: a JSON list.
  automations: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, publication_id TEXT NOT NULL, name TEXT NOT NULL,
    description TEXT NOT NULL, status TEXT NOT NULL, trigger_events TEXT NOT NULL, created INTEGER NOT NULL`,
  // wait: seconds between the step before and this one. links: a JSON list of { url, clicks, unique_clicks }.
  automation_emails: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, automation INTEGER NOT NULL, step_id TEXT NOT NULL,
    subject_line TEXT NOT NULL, preview_text TEXT NOT NULL, status TEXT NOT NULL, wait INTEGER NOT NULL, created INTEGER NOT NULL,
    first_sent_at INTEGER, last_sent_at INTEGER, recipients INTEGER NOT NULL, delivered INTEGER NOT NULL, opens INTEGER NOT NULL,
    unique_opens INTEGER NOT NULL, clicks INTEGER NOT NULL, unique_clicks INTEGER NOT NULL, unsubscribes INTEGER NOT NULL,
    spam_reports INTEGER NOT NULL, links TEXT NOT NULL`,
  // step: how many e-mails were sent. waited: days spent waiting for the subscriber to become active.
  journeys: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, automation INTEGER NOT NULL, subscription INTEGER NOT NULL,
    status TEXT NOT NULL, step INTEGER NOT NULL, waited INTEGER NOT NULL, created INTEGER NOT NULL, completed INTEGER`,
  authors: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, publication_id TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL,
    bio TEXT NOT NULL, bio_image_url TEXT NOT NULL, social_media_links TEXT NOT NULL, created INTEGER NOT NULL`,
  advertisement_opportunities: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, publication_id TEXT NOT NULL, advertiser_name TEXT NOT NULL,
    payout_rate TEXT NOT NULL, advertisement_kind TEXT NOT NULL, send_by_window_start_at INTEGER NOT NULL,
    send_by_window_end_at INTEGER NOT NULL, created INTEGER NOT NULL`,
  complimentary_access: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, publication_id TEXT NOT NULL, tier INTEGER NOT NULL,
    duration INTEGER, time_unit TEXT NOT NULL, description TEXT NOT NULL, created INTEGER NOT NULL`,
  // ended: 0 while it runs. brought_tier: 1 where the subscription did not have the tier before.
  gifts: `seq INTEGER PRIMARY KEY, access INTEGER NOT NULL, subscription INTEGER NOT NULL, created INTEGER NOT NULL,
    ended INTEGER NOT NULL, brought_tier INTEGER NOT NULL`,
  // conditions: JSON, see world/conditions.ts.
  condition_sets: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, publication_id TEXT NOT NULL, name TEXT NOT NULL,
    status TEXT NOT NULL, purpose TEXT NOT NULL, conditions TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL`,
  // Times in milliseconds of the sandbox's clock.
  deletion_requests: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, email TEXT NOT NULL, email_key TEXT NOT NULL, status TEXT NOT NULL,
    source TEXT NOT NULL, requested_at INTEGER NOT NULL, scheduled_at INTEGER NOT NULL, completed_at INTEGER`,
  publication_fields: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE, display TEXT NOT NULL, kind TEXT NOT NULL,
    value_source TEXT NOT NULL, response_keys TEXT NOT NULL, status TEXT NOT NULL, default_value TEXT, endpoint_url TEXT,
    created INTEGER NOT NULL, updated INTEGER NOT NULL`,
  // E-mails that the service would have sent; sent: milliseconds of the sandbox's clock.
  inbox: `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, subscription INTEGER NOT NULL, publication_id TEXT NOT NULL,
    recipient TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, sent INTEGER NOT NULL`,
  // asked: 1 since the confirmation was sent. welcome: 1 until the welcome is.
  awaited_mail: `subscription INTEGER PRIMARY KEY, asked INTEGER NOT NULL, welcome INTEGER NOT NULL`,
  // at: milliseconds of the sandbox's clock.
  due: `seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, subject INTEGER NOT NULL`,
  // One row at most: milliseconds ahead of real time, and where the clock stands while it is stopped.
  clock: `id INTEGER PRIMARY KEY CHECK (id = 1), ahead INTEGER NOT NULL, frozen INTEGER`,
  counters: `kind TEXT PRIMARY KEY, n INTEGER NOT NULL`,
} as const;

export type TableName = keyof typeof tables;
export const tableNames = Object.keys(tables) as TableName[];

/** A row of a table, as its column definitions have it. */
export type Row<Name extends TableName> = {
  readonly [
    Definition in ColumnOf<(typeof tables)[Name]> as Definition extends `${infer Column} ${string}` ? Column : never
  ]: ValueOf<Definition>;
};

type ColumnOf<Definitions extends string> = Extract<
  Split<Definitions>,
  `${string} ${'INTEGER' | 'REAL' | 'TEXT'} ${string}` | `${string} ${'INTEGER' | 'REAL' | 'TEXT'}`
>;
/** Constraints of a table are split where they list columns, and no part of them is a column definition. */
type Split<List extends string> = List extends `${infer First},${infer Rest}` ? Trim<First> | Split<Rest> : Trim<List>;
type Trim<Text extends string> = Text extends ` ${infer Rest}` | `\n${infer Rest}` ? Trim<Rest> : Text;
type ValueOf<Definition extends string> =
  | (Definition extends `${string} TEXT${string}` ? string : number)
  | (Definition extends `${string} ${'NOT NULL' | 'PRIMARY KEY'}${string}` ? never : null);

/** Tables read by their whole key only: WITHOUT ROWID halves their size. */
export const keyedTables: readonly string[] = ['custom_field_values', 'subscription_tiers', 'list_memberships'];

/**
 * `seq` is the rowid, which SQLite appends to every index: `(publication, created)` also orders by arrival. An id is
 * found by its first eight digits, which differ for the first four billion records of a kind, and then compared whole.
 */
export const indexes = [
  'CREATE INDEX subscriptions_id ON subscriptions (substr(id, 5, 8))',
  'CREATE INDEX subscriptions_created ON subscriptions (publication, created)',
  'CREATE INDEX subscriptions_status ON subscriptions (publication, status, created)',
  "CREATE INDEX subscriptions_premium ON subscriptions (publication, created) WHERE tier = 'premium'",
  "CREATE INDEX subscriptions_premium_status ON subscriptions (publication, status, created) WHERE tier = 'premium'",
  'CREATE INDEX subscriptions_referral ON subscriptions (publication, referral_code)',
  'CREATE INDEX subscriptions_referred ON subscriptions (referred_by) WHERE referred_by IS NOT NULL',
  'CREATE INDEX subscription_tiers_tier ON subscription_tiers (tier)',
  'CREATE INDEX custom_field_values_field ON custom_field_values (field)',
  'CREATE INDEX jobs_created ON jobs (publication_id, created)',
  'CREATE INDEX automation_emails_automation ON automation_emails (automation, created)',
  'CREATE INDEX journeys_created ON journeys (automation, created)',
  'CREATE INDEX journeys_status ON journeys (automation, status, created)',
  'CREATE INDEX journeys_subscription ON journeys (subscription)',
  'CREATE INDEX gifts_subscription ON gifts (subscription)',
  'CREATE INDEX gifts_access ON gifts (access)',
  'CREATE INDEX deletion_requests_address ON deletion_requests (email_key)',
  'CREATE INDEX oauth_tokens_consent ON oauth_tokens (consent)',
  'CREATE INDEX inbox_subscription ON inbox (subscription)',
  'CREATE INDEX due_at ON due (at, seq)',
] as const;
