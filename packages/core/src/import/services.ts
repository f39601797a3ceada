/**
 * What exports of newsletter services say of consent, and the words by which a question about other files is sorted and
 * an answer to it proposed. Data alone. What is not listed here is asked for, or keeps its person out.
 */

/** In order: of two that disagree about a person, the later one counts. */
export const standings = ['subscribed', 'unconfirmed', 'unclear', 'left'] as const;

/**
 * What a file says of a person:
 *
 * - `subscribed` – gets mails there, whether they are read or not
 * - `unconfirmed` – signed up and never confirmed
 * - `unclear` – a blank or a word that is not understood, where each row should say something
 * - `left` – unsubscribed, bounced, complained, blocked, or never asked for mails: no other row brings them in
 */
export type Standing = (typeof standings)[number];

/** What the cells of a column say. */
export interface ColumnReading {
  /** By {@link valueKey}. */
  readonly words?: ReadonlyMap<string, Standing> | undefined;
  /** Of cells that say yes, and no; without them those are like any other. */
  readonly yes?: Standing;
  readonly no?: Standing;
  readonly blank: Standing;
  /** Of every other cell, unless it refuses in words. */
  readonly filled: Standing;
}

/** An export of a service. */
export interface ServiceExport {
  readonly name: string;
  /** The headings by which it is known: it has all of them. */
  readonly by: readonly string[];
  /** That any table may have these headings: what is said here is proposed, and not believed without an answer. */
  readonly proposes?: true;
  /** Columns by which people leave; a `*` at the end stands for any rest. */
  readonly leftBy: Readonly<Record<string, ColumnReading>>;
  /** Columns by which nobody leaves, though few values or times stand in them; no field is for them. */
  readonly nobodyLeftBy?: readonly string[];
  /** Columns that are named like a field of the API, and hold something else. */
  readonly otherwise?: readonly string[];
}

/** The same for words that differ in case, spaces and punctuation alone. */
export function headingKey(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}*]+/gu, '');
}

/** The same for values that differ in case and blanks alone: `+` and `-` may be yes and no. */
export const valueKey = (text: string): string => text.trim().normalize('NFC').toLowerCase();

const names = (...lists: readonly string[]): readonly string[] => lists.flatMap((list) => list.split(', '));

function keyed(values: Readonly<Partial<Record<Standing, string>>>): ReadonlyMap<string, Standing> {
  return new Map(
    standings.flatMap((standing) => (values[standing]?.split(', ') ?? []).map((word) => [headingKey(word), standing])),
  );
}

/** Words of consent, by {@link headingKey}. */
export const statusWords = keyed({
  subscribed: 'active, subscribed, confirmed, regular, premium',
  unconfirmed:
    'pending, unconfirmed, unactivated, not confirmed, awaiting confirmation, needs approval, needs attention, validating, opt-in pending',
  left: [
    'never subscribed, non-subscribed, not subscribed, no permissions set',
    'unsubscribed, unsubscribe, inactive, cancelled, canceled, opted out, opt-out, optout, removed, deleted, disabled',
    'cleaned, bounced, bounce, undeliverable, invalid',
    'complained, complaint, spam, spammy, junk, blocked, blocklisted, blacklisted, suppressed',
  ].join(', '),
});

/** Parts of words that refuse mails in a heading or a remark, in the languages in which most exports are made. */
export const refusingParts =
  /unsub|opt(?:ed)?[\s_-]?out|do[\s_-]?not[\s_-]?(?:e-?mail|mail|contact|send)|no[\s_-]e?-?mail|(?:black|block)[\s_-]?list|suppress|complain|bounce|abgemeldet|abmeldung|widerspr|austrag|d[ée]sabonn|d[ée]sinscri|dad[oa] de baja|cancelad|disiscri|cancellat|uitgeschreven|afgemeld|avregistr|descadastr/i;

/** A word that turns the refusal behind it into its opposite: what such a remark says is not clear. */
export const denyingWords = /(?:^|[^\p{L}])(?:not|never|isn't|nicht|nie|non|pas|jamais|nunca|niet|inte|ikke)\s+$/iu;

/** Parts of headings above those who want mails. */
export const grantingParts =
  /subscri|opt(?:ed)?[\s_-]?in|consent|permission|marketing|newsletter|mailing|abonn|angemeldet|einwilligung|zustimmung|suscri|iscri|inscri/i;

/** Parts of other headings under which words of consent often stand. */
export const statusParts = /status|state|estado|statut|stato|zustand|active|aktiv/i;

/** What the name of a file, in lower case with blanks for all but letters, says of everybody; the first that fits. */
export const fileNames: readonly (readonly [RegExp, 'left' | 'unconfirmed'])[] = [
  [/\b(?:non ?subscribed|never subscribed|unsub|unsubs|unsubscribes?|unsubscribed|unsubscribers?)\b/, 'left'],
  [/\b(?:opt ?outs?|opted out|leavers|cleaned|bounced?|bounces|undeliverable|complaints?|complained|spam)\b/, 'left'],
  [/\b(?:blocked|blocklist|blacklist|suppressed|suppressions?)\b/, 'left'],
  [/\bunconfirmed\b/, 'unconfirmed'],
  [/\binactive\b/, 'left'],
];

/** A column of words; `differing` are those that mean something else there, or stand nowhere else. */
const status = (differing: Readonly<Partial<Record<Standing, string>>> = {}): ColumnReading => ({
  words: new Map([...statusWords, ...keyed(differing)]),
  blank: 'unclear',
  filled: 'unclear',
});
/** Yes for those who want mails. */
const granted: ColumnReading = { ...status(), yes: 'subscribed', no: 'left' };
/** Filled, with anything but no, for those who don't: a flag, or the time at which somebody left. */
const refused: ColumnReading = { yes: 'left', no: 'subscribed', blank: 'subscribed', filled: 'left' };

/** The exports that are known, the more particular ones first. */
export const serviceExports: readonly ServiceExport[] = [
  {
    name: 'Mailchimp',
    by: ['MEMBER_RATING', 'OPTIN_TIME', 'CONFIRM_TIME', 'LEID', 'EUID'],
    leftBy: {
      // Non-subscribed contacts have the same columns, without a time at which they confirmed.
      CONFIRM_TIME: { blank: 'left', filled: 'subscribed' },
      'UNSUB_*': refused,
      'CLEAN_*': refused,
    },
    nobodyLeftBy: names(
      'MEMBER_RATING, OPTIN_TIME, OPTIN_IP, CONFIRM_IP, LATITUDE, LONGITUDE, GMTOFF, DSTOFF, TIMEZONE, CC, REGION',
      'LAST_CHANGED, LEID, EUID, NOTES, TAGS',
    ),
  },
  {
    name: 'Substack',
    by: ['email', 'active_subscription', 'expiry', 'email_disabled', 'created_at'],
    leftBy: { email_disabled: refused },
    nobodyLeftBy: names('active_subscription, expiry, plan, prefer_digests, created_at, first_payment_at, type'),
  },
  {
    name: 'Ghost',
    by: ['email', 'subscribed_to_emails', 'complimentary_plan'],
    leftBy: { subscribed_to_emails: granted },
    nobodyLeftBy: names('complimentary_plan, stripe_customer_id, note, labels, created_at, tiers, products'),
  },
  {
    name: 'Newsletter Kit',
    // A record of the API has these in the forms Raw and Simplified of the n8n nodes, too.
    by: ['email', 'status', 'subscription_tier'],
    leftBy: { status: status({ unclear: 'paused' }) },
    nobodyLeftBy: names(
      'id, subscription_tier, subscription_premium_tier_names, subscription_premium_tiers, utm_channel, stats*',
      'created, created_at, tags, referrals, warnings, ignored_fields, stays_inactive, subscription_update*',
    ),
    // By its code a person recommends the newsletter, in a request it is that of somebody else; lists are those of the
    // other publication.
    otherwise: ['referral_code', 'newsletter_list_ids'],
  },
  {
    name: 'beehiiv',
    by: ['email', 'status', 'tier', 'created_at', 'stripe_customer_id', 'unsubscribed_at'],
    leftBy: { status: status(), unsubscribed_at: refused },
    nobodyLeftBy: names('created_at, tier, stripe_customer_id, acquisition_source, last_opened_at'),
    otherwise: ['tier'],
  },
  {
    name: 'Kit',
    by: ['first_name', 'email', 'created_at', 'status'],
    proposes: true,
    leftBy: { status: status({ unconfirmed: 'inactive', subscribed: 'cold' }) },
  },
  {
    name: 'Kit',
    by: ['first_name', 'email_address', 'state', 'created_at', 'tags'],
    proposes: true,
    leftBy: { state: status({ unconfirmed: 'inactive', subscribed: 'cold' }) },
    nobodyLeftBy: ['tags'],
  },
  {
    name: 'MailerLite',
    by: ['Subscriber', 'Subscribed', 'Groups'],
    leftBy: { Status: status() },
    nobodyLeftBy: names('Subscribed, Confirmation*, Groups'),
  },
  {
    name: 'Buttondown',
    by: ['email', 'subscriber_type', 'subscription_date'],
    leftBy: {
      subscriber_type: status({
        subscribed: 'gifted, trialed, unpaid, churning, past due, paused',
      }),
      unsubscription_date: refused,
    },
    nobodyLeftBy: names('creation_date, subscription_date'),
  },
  {
    name: 'Brevo',
    by: ['EMAIL', 'EMAIL_BLACKLISTED'],
    leftBy: { EMAIL_BLACKLISTED: refused },
    nobodyLeftBy: names('SMS_BLACKLISTED, ADDED_TIME, MODIFIED_TIME'),
  },
  {
    name: 'HubSpot',
    by: ['Record ID', 'Email', 'Unsubscribed from all email'],
    leftBy: {
      'Unsubscribed from all email': refused,
      'Opted out of email*': refused,
      'Email hard bounce reason': refused,
    },
    nobodyLeftBy: names('Marketing contact status, Lifecycle Stage, Create Date'),
  },
  {
    name: 'Klaviyo',
    by: ['Email', 'Klaviyo ID', 'Email Marketing Consent'],
    leftBy: { 'Email Marketing Consent': status(), 'Email Suppressions': refused },
    nobodyLeftBy: names('SMS*, Email Marketing Consent Timestamp, Email Suppressions Timestamp, Date Added'),
  },
  {
    name: 'MailPoet',
    by: ['Email', 'List status', 'Global status'],
    leftBy: { 'List status': status(), 'Global status': status({ subscribed: 'inactive' }) },
    nobodyLeftBy: names('Subscription time, Confirmation time, List'),
  },
];
