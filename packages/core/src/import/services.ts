/**
 * What exports of newsletter services say of consent: by their headings, by the words in their cells and by the names
 * of their files. Data alone; a new row is how the next export gets in.
 */

/** In order: of two that disagree about a person, the later one counts. */
export const standings = [
  'subscribed',
  'unconfirmed',
  'unclear',
  'never',
  'left',
  'bounced',
  'complained',
  'blocked',
] as const;

/**
 * What a file says of a person:
 *
 * - `subscribed` – gets mails there, whether they are read or not
 * - `unconfirmed` – signed up and never confirmed
 * - `unclear` – a blank or a word that is not understood, where each row should say something
 * - `never` – is known there, but was never asked for mails
 * - `left` – unsubscribed, or opted out
 * - `bounced` – mails can't be delivered
 * - `complained` – reported a mail as spam
 * - `blocked` – stands on a list of people who get no mails
 */
export type Standing = (typeof standings)[number];

/**
 * How the cells of a column speak of consent:
 *
 * - `status` – by words such as `active` and `unsubscribed`
 * - `granted` – true or yes: subscribed; false or no: left
 * - `refused` – filled with anything but false, no or 0: left. So a flag, or a time at which somebody left
 * - `confirmed` – filled: subscribed; blank: never
 */
export interface ConsentColumn {
  readonly kind: 'status' | 'granted' | 'refused' | 'confirmed';
  /** Of those who refused. Default `left`. */
  readonly refusal?: Standing;
}

/** An export of a service. */
export interface ServiceExport {
  readonly name: string;
  /** The headings by which it is known: it has all of them. */
  readonly by: readonly string[];
  /** What words mean there, where they differ from {@link statusWords}. */
  readonly words?: Readonly<Record<string, Standing>>;
  /** Columns that speak of consent, beside {@link consentColumns}. */
  readonly consent?: Readonly<Record<string, ConsentColumn>>;
  /** Columns that fill nothing, whatever they are named like; a `*` at the end stands for any rest. */
  readonly unused: readonly string[];
}

/** The same for headings and words that differ in case, spaces and punctuation alone. */
export function headingKey(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}*]+/gu, '');
}

/** Names in texts with commas between them. */
const names = (...lists: readonly string[]): readonly string[] => lists.flatMap((list) => list.split(', '));

const status: ConsentColumn = { kind: 'status' };
const granted: ConsentColumn = { kind: 'granted' };
const refused: ConsentColumn = { kind: 'refused' };
const bounced: ConsentColumn = { kind: 'refused', refusal: 'bounced' };
const complained: ConsentColumn = { kind: 'refused', refusal: 'complained' };
const blocked: ConsentColumn = { kind: 'refused', refusal: 'blocked' };

function keyed<Value>(values: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(values).map(([name, value]) => [headingKey(name), value]));
}

/** Headings that speak of consent in every file. */
export const consentColumns = keyed<ConsentColumn>({
  status,
  'email status': status,
  'subscriber status': status,
  'subscription status': status,
  'email subscriber status': status,
  'subscriber type': status,
  'list status': status,
  'global status': status,
  'email permission status': status,
  'email marketing consent': status,
  'subscribed to emails': granted,
  'accepts marketing': granted,
  'accepts email marketing': granted,
  'email disabled': refused,
  'email blacklisted': refused,
  unsubscribed: refused,
  'is unsubscribed': refused,
  'unsubscribed from all email': refused,
  'opted out of email*': refused,
  'unsubscribed at': refused,
  'unsubscribe date': refused,
  'unsubscribed date': refused,
  'date unsubscribed': refused,
  'unsubscription date': refused,
  'unsub time': refused,
  'unsubscribe time': refused,
  'confirmed opt-out date': refused,
  'inactive date': refused,
  'portal unsubscribe': refused,
  'portal spam report': complained,
  'is spam complaining': complained,
  'is excluded from campaigns': blocked,
  'email suppressions': blocked,
  'clean time': bounced,
  'portal bounce': bounced,
  'global bounce': bounced,
  'email hard bounce reason': bounced,
});

/**
 * Headings that speak of consent in some files and of something else in others: they count where words of
 * {@link statusWords} stand below them.
 */
export const perhapsStatus: ReadonlySet<string> = new Set(['state', 'type', 'estado', 'statut', 'stato', 'zustand']);

/** Words of {@link statusWords} that by themselves do not make a column of these speak of consent. */
export const ambiguousWords: ReadonlySet<string> = new Set(['regular', 'premium']);

/** Words in a column of kind `status`. */
export const statusWords = keyed<Standing>({
  active: 'subscribed',
  subscribed: 'subscribed',
  confirmed: 'subscribed',
  regular: 'subscribed',
  premium: 'subscribed',
  pending: 'unconfirmed',
  unconfirmed: 'unconfirmed',
  unactivated: 'unconfirmed',
  'not confirmed': 'unconfirmed',
  'awaiting confirmation': 'unconfirmed',
  'needs approval': 'unconfirmed',
  'needs attention': 'unconfirmed',
  validating: 'unconfirmed',
  'opt-in pending': 'unconfirmed',
  'never subscribed': 'never',
  'non-subscribed': 'never',
  'not subscribed': 'never',
  'no permissions set': 'never',
  unsubscribed: 'left',
  unsubscribe: 'left',
  inactive: 'left',
  cancelled: 'left',
  canceled: 'left',
  'opted out': 'left',
  'opt-out': 'left',
  optout: 'left',
  removed: 'left',
  deleted: 'left',
  disabled: 'left',
  cleaned: 'bounced',
  bounced: 'bounced',
  bounce: 'bounced',
  undeliverable: 'bounced',
  invalid: 'bounced',
  complained: 'complained',
  complaint: 'complained',
  spam: 'complained',
  spammy: 'complained',
  junk: 'complained',
  blocked: 'blocked',
  blocklisted: 'blocked',
  blacklisted: 'blocked',
  suppressed: 'blocked',
});

/** What the name of a file, in lower case with blanks for all but letters, says of everybody; the first that fits. */
export const fileNames: readonly (readonly [RegExp, Standing])[] = [
  [/\b(?:non ?subscribed|never subscribed)\b/, 'never'],
  [/\b(?:unsub|unsubs|unsubscribes?|unsubscribed|unsubscribers?|opt ?outs?|opted out|leavers)\b/, 'left'],
  [/\b(?:cleaned|bounced?|bounces|undeliverable)\b/, 'bounced'],
  [/\b(?:complaints?|complained|spam)\b/, 'complained'],
  [/\b(?:blocked|blocklist|blacklist|suppressed|suppressions?)\b/, 'blocked'],
  [/\bunconfirmed\b/, 'unconfirmed'],
  [/\binactive\b/, 'left'],
];

/** The exports that are known, the more particular ones first. */
export const serviceExports: readonly ServiceExport[] = [
  {
    name: 'Mailchimp',
    by: ['MEMBER_RATING', 'OPTIN_TIME', 'CONFIRM_TIME', 'LEID', 'EUID'],
    // Non-subscribed contacts have the same columns, without a time at which they confirmed.
    consent: { CONFIRM_TIME: { kind: 'confirmed' } },
    unused: names(
      'MEMBER_RATING, OPTIN_TIME, OPTIN_IP, CONFIRM_IP, LATITUDE, LONGITUDE, GMTOFF, DSTOFF',
      'TIMEZONE, CC, REGION, LAST_CHANGED, LEID, EUID, NOTES, TAGS',
      'UNSUB_CAMPAIGN*, UNSUB_REASON*, CLEAN_CAMPAIGN*',
    ),
  },
  {
    name: 'Substack',
    by: ['email', 'email_disabled'],
    unused: names(
      'active_subscription, expiry, plan, prefer_digests, created_at, first_payment_at',
      'stripe_connected_customer_id, type',
    ),
  },
  {
    name: 'Ghost',
    by: ['email', 'subscribed_to_emails', 'complimentary_plan'],
    unused: names(
      'id, name, note, complimentary_plan, stripe_customer_id, created_at, deleted_at, labels',
      'tiers, products, gift_id, custom_fields*',
    ),
  },
  {
    name: 'Newsletter Kit',
    // A record of the API has these in the forms Raw and Simplified of the n8n nodes, too.
    by: ['email', 'status', 'subscription_tier'],
    words: { paused: 'unclear' },
    // A referral code is the one by which this person recommends the newsletter, in a request it is somebody else's.
    unused: names(
      'id, subscription_tier, subscription_premium_tier_names, utm_channel, referral_code, created',
      'stats.*, subscription_premium_tiers, newsletter_list_ids, tags, referrals',
      'created_at, warnings, ignored_fields, stays_inactive, subscription_update*',
    ),
  },
  {
    name: 'beehiiv',
    by: ['email', 'status', 'tier', 'created_at', 'stripe_customer_id'],
    unused: names(
      'id, tier, created_at, stripe_customer_id, open_rate, click_rate, last_opened_at',
      'total_clicked, acquisition_source',
    ),
  },
  {
    name: 'Kit',
    by: ['first_name', 'email', 'created_at', 'status'],
    words: { inactive: 'unconfirmed', cold: 'subscribed' },
    unused: ['id', 'created_at', 'tags'],
  },
  {
    name: 'Kit',
    by: ['first_name', 'email_address', 'state', 'created_at', 'tags'],
    words: { inactive: 'unconfirmed', cold: 'subscribed' },
    consent: { state: status },
    unused: ['id', 'created_at', 'tags'],
  },
  {
    name: 'MailerLite',
    by: ['Subscriber', 'Subscribed', 'Groups'],
    unused: ['Name', 'Subscribed', 'Groups', 'Sent', 'Opens', 'Clicks', 'Location', 'Signup IP', 'Confirmation*'],
  },
  {
    name: 'Buttondown',
    by: ['email', 'subscriber_type', 'subscription_date'],
    words: {
      gifted: 'subscribed',
      trialed: 'subscribed',
      unpaid: 'subscribed',
      churning: 'subscribed',
      'past due': 'subscribed',
      paused: 'subscribed',
      removed: 'blocked',
      spammy: 'blocked',
    },
    unused: names('id, secondary_id, notes, referrer_url, creation_date, subscription_date, metadata, tags'),
  },
  {
    name: 'Brevo',
    by: ['EMAIL', 'EMAIL_BLACKLISTED'],
    unused: ['CONTACT ID', 'SMS', 'SMS_BLACKLISTED', 'ADDED_TIME', 'MODIFIED_TIME'],
  },
  {
    name: 'HubSpot',
    by: ['Record ID', 'Email'],
    unused: names(
      'Record ID*, Phone Number, Mobile Phone Number, Contact owner, Lead Status, Lifecycle Stage',
      'Marketing contact status, Create Date, Last Activity Date, Associated Company*, Company Name',
    ),
  },
  {
    name: 'Klaviyo',
    by: ['Email', 'Klaviyo ID', 'Email Marketing Consent'],
    unused: names(
      'Klaviyo ID, Phone Number, SMS*, Source, IP Address, Email Marketing Consent Timestamp',
      'Date Added, Email Suppressions Timestamp',
    ),
  },
  {
    name: 'MailPoet',
    by: ['Email', 'List status', 'Global status'],
    words: { inactive: 'subscribed' },
    unused: ['Subscription IP', 'Subscription time', 'Confirmation*', 'List'],
  },
];

/** Headings beside these that might speak of consent: whole, in the languages in which most exports are made. */
export const doubtfulHeadings: ReadonlySet<string> = new Set(
  names(
    'subscribed, is subscribed, subscription, newsletter, newsletters, marketing, email marketing',
    'newsletter status, mailing status, mail status, contact status, member status, list membership',
    'opt, opt in, opted in, optin, opt in status, opt out, opted out, optout, has opted out',
    'has opted out of email, email opt out, email opt in, email ok, can email, do not email',
    'do not mail, do not contact, no email, no mail, dnc, gdpr, gdpr consent, dsgvo, rgpd',
    'allow marketing, marketing permission, marketing permissions, mailing, mailing allowed, ok to email',
    'abonniert, abgemeldet, angemeldet, abmeldung, abgemeldet am, abmeldedatum, werbung',
    'widerspruch, abonné, désabonné, désinscrit, désinscription, date de désinscription, suscrito',
    'dado de baja, baja, fecha de baja, iscritto, disiscritto, cancellato, inscrito, cancelado',
    'ingeschreven, uitgeschreven, afgemeld, prenumerant, avregistrerad',
  ).map(headingKey),
);

/** Of these, the ones that stand above the time of a signup as well. */
export const signupHeadings: ReadonlySet<string> = new Set(
  ['subscribed', 'subscription', 'opt in', 'opted in', 'angemeldet', 'abonniert', 'iscritto', 'inscrito'].map(
    headingKey,
  ),
);

/** Parts of a heading that make it doubtful wherever they stand in it. */
export const doubtfulParts =
  /unsub|optout|optedout|optin(?!time|ip|date)|consent|permission|einwilligung|zustimmung|consentement|bounce|blacklist|blocklist|suppress|complain|spam|donotmail|donotemail/;

/** Parts of a heading that make it innocent of the above: other channels, counts, and circumstances. */
export const innocentParts =
  /sms|phone|whatsapp|push|fax|postal|campaign|rate|count|number|reason|source|score|timestamp|version|text|url|ip$/;
