/** Every setting: its name, its check, its default, and what it is for. */
import { subscriptionRequest } from '@newsletter-kit/core/schema';
import { isAddress } from '@newsletter-kit/core/signup';
import * as z from 'zod';
import { isNetwork } from './admission/client-address.ts';
import type { LimitRule } from './admission/rate-limiters.ts';
import { turnstileUrl } from './admission/turnstile.ts';
import type { Sender } from './confirmation/mail.ts';
import { readSmtpUrl, smtpUrlFormat, type SmtpServer } from './confirmation/smtp.ts';
import type { StoreAddress } from './store/open-store.ts';

const request = subscriptionRequest.shape;

/** A list with commas between its items, or, in a file, a list. */
const list = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z
    .union([
      z.string().transform((text) =>
        text
          .split(',')
          .map((each) => each.trim())
          .filter(Boolean),
      ),
      z.array(z.string()),
    ])
    .pipe(z.array(item));

const flag = z.enum(['true', 'false'], 'must be true or false').transform((word) => word === 'true');

const origin = z.string().superRefine((text, context) => {
  const exact = URL.canParse(text) && /^https?:/.test(text) ? new URL(text).origin : null;
  if (exact === text) return;
  const message =
    text === '*'
      ? 'must name each site: * would let any page on the web sign people up'
      : exact
        ? `has ${quote(text)}, which must be written ${exact}`
        : `has ${quote(text)}, which must be an origin such as https://example.com`;
  context.addIssue({ code: 'custom', message });
});

const store = z.string().transform((text, context): StoreAddress => {
  const path = /^sqlite:(.+)$/.exec(text)?.[1];
  if (path && path !== ':memory:') return { kind: 'sqlite', path };
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text) && new URL(text).pathname.length > 1)
    return { kind: 'postgres', url: text };
  // The value is not repeated: it may hold a password.
  const message =
    'must be sqlite: and the path of a file, for example sqlite:./relay.db, or postgres://user:password@host:5432/database';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const apiUrl = z
  .string('is missing: set it to the root address of the API, which ends with /v2')
  .transform((text) => text.replace(/\/+$/, ''))
  .refine(
    (text) => URL.canParse(text) && /^https?:\/\/[^?#]+\/v2$/.test(text),
    'must be an http(s) address that ends with /v2, for example http://127.0.0.1:4010/v2',
  );

const webAddress = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http(s) address');

const smtpServer = z.string().transform((text, context): SmtpServer => {
  const server = readSmtpUrl(text);
  if (server !== null) return server;
  context.addIssue({ code: 'custom', message: smtpUrlFormat });
  return z.NEVER;
});

const sender = z.string().transform((text, context): Sender => {
  const [, name = '', inBrackets, bare] = /^(?:"?([^"<>\r\n]*?)"? *<([^<>\s]+)>|([^<>\s]+))$/.exec(text) ?? [];
  const address = inBrackets ?? bare ?? '';
  if (isAddress(address)) return { name, address };
  context.addIssue({
    code: 'custom',
    message: 'must be an address: news@example.com, or Example News <news@example.com>',
  });
  return z.NEVER;
});

/** A text in which {link} and {form} are replaced. */
const template = z.string().superRefine((text, context) => {
  const unknown = /\{(?!(?:link|form)\})\w{1,20}\}/.exec(text)?.[0];
  if (unknown !== undefined)
    context.addIssue({ code: 'custom', message: `has ${unknown}, but only {link} and {form} are replaced` });
});

const oneLine = (longest: number) =>
  z
    .string()
    .regex(
      new RegExp(`^[^\\p{Cc}\\p{Zl}\\p{Zp}]{1,${longest}}$`, 'u'),
      `must be one line of ${longest} characters at most`,
    );

const language = z
  .string()
  .refine((text) => /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(text), 'must be a language tag such as en, de or pt-BR');

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

const limitText = /^([1-9]\d{0,8})\/([1-9]\d{0,3})([smhd])$/;

/** `60/1m`: sixty within a minute. */
const limitRule = z
  .string()
  .refine((text) => limitText.test(text), 'must be 0, or a number and a time such as 60/1m, with s, m, h or d')
  .transform((text): LimitRule => {
    const [, points, count, unit = ''] = limitText.exec(text) ?? [];
    return { points: Number(points), seconds: Number(count) * (unitSeconds[unit] ?? 0) };
  });

/** Rules with commas between them, or `0` for none. */
const limit = list(z.string())
  .transform((texts) => (texts.join() === '0' ? [] : texts))
  .pipe(z.array(limitRule));

/** With fewer a bulk creation saves nothing: it has to be looked up who has arrived. */
const minBulkAbove = 100;

/** So many are counted each time it is looked how many are due. */
const maxBulkAbove = 100_000;

/** Days from 1 on; null is never. Zero would be understood both as at once and as never. */
const retentionDays = z
  .string()
  .regex(/^([1-9]\d{0,4}|never)$/, 'must be a number of days from 1 to 99999, or never')
  .transform((text) => (text === 'never' ? null : Number(text)));

const network = z.string().refine(isNetwork, 'must be addresses or networks such as 10.0.0.0/8');

/** Every variable: its check, its default, and what it is for. The README's tables are compared with it. */
const environment = z.object({
  NEWSLETTER_API_URL: apiUrl.describe('Root address of the newsletter API; ends with `/v2`'),
  NEWSLETTER_API_KEY: z
    .string('is missing: set it to an API key that may create subscriptions')
    .regex(/^[\x21-\x7e]+$/, 'must be the bare key: no spaces, no line breaks, no quotes around it')
    .describe('API key that may create subscriptions. It stays in this process'),
  RELAY_CONFIG: z.string().optional().describe('Path of a file with settings, in YAML or JSON; several forms need one'),
  NEWSLETTER_PUBLICATION_ID: z
    .string('is missing: set it to the id of the publication, pub_ and a UUID')
    .regex(/^pub_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be pub_ and a UUID, as the API gives it')
    .describe('Publication that people sign up to'),
  RELAY_ALLOWED_ORIGINS: list(origin)
    .refine((origins) => origins.length > 0, 'must name at least one site, for example https://example.com')
    .prefault('')
    .describe(
      'Sites whose pages may sign people up, with commas between them: `https://example.com,https://www.example.com`',
    ),
  RELAY_STORE: store
    .prefault('sqlite:./relay.db')
    .describe(
      'Where signups are kept: `sqlite:` and the path of a file on a local disk, or `postgres://user:password@host:5432/database`',
    ),
  RELAY_HOST: z.string().prefault('127.0.0.1').describe('Address to listen on; `0.0.0.0` for every network'),
  RELAY_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a number from 0 to 65535')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be a number from 0 to 65535')
    .prefault('4020')
    .describe('Port to listen on; `0` picks a free one'),
  RELAY_ALLOWED_FIELDS: list(z.string())
    .optional()
    .describe('Names of the custom fields a page may set, with commas between them. Unset: all'),
  RELAY_THANKS_URL: webAddress
    .optional()
    .describe('Page for visitors without JavaScript after they signed up. Unset: a page of the relay'),
  RELAY_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'must be fatal, error, warn, info, debug or silent')
    .prefault('info')
    .describe('How much is logged'),
  RELAY_LOG_FORMAT: z
    .enum(['auto', 'json', 'plain'], 'must be auto, json or plain')
    .prefault('auto')
    .describe('`json` for machines, `plain` for people; `auto` is plain at a terminal'),
  RELAY_TRUSTED_PROXIES: list(network)
    .prefault('')
    .describe(
      'Addresses and networks of your proxies, whose `X-Forwarded-For` is believed: `127.0.0.1,10.0.0.0/8`. Unset: none',
    ),
  RELAY_LIMIT_IP: limit
    .prefault('60/1m,600/1h')
    .describe(
      'Signups from one visitor address (IPv4) or /64 network (IPv6), ten times as many from a /48; all rules hold, `0` is no limit',
    ),
  RELAY_LIMIT_ADDRESS: limit
    .prefault('3/1d')
    .describe(
      'Signups of one mailbox that are delivered; what follows a `+` in an address does not count. Beyond it the answer stays the same, and one more is kept for review',
    ),
  RELAY_LIMIT_DOMAIN: limit.prefault('0').describe('Signups of addresses at one domain, `gmail.com` as well'),
  RELAY_LIMIT_GLOBAL: limit.prefault('0').describe('Signups in all'),
  RELAY_ATTACK_RATE: limitRule
    .prefault('300/1m')
    .describe('Posts from which on it is an attack, for forms with `RELAY_PROOF=attack`'),
  RELAY_PROOF_EFFORT: z
    .string()
    .regex(/^[1-9]\d{1,5}$/, 'must be a number from 10 to 999999')
    .transform(Number)
    .prefault('1000')
    .describe('Most tries of a proof of work; 1000 take a laptop a tenth to a third of a second, a phone about one'),
  RELAY_SECRET: z
    .string()
    .regex(/^[\x21-\x7e]{24,}$/, 'must be 24 characters or more, without spaces')
    .optional()
    .describe(
      'Signs form tokens, proofs and links in mails, and hashes visitors’ addresses. Unset: one is made and kept in the file `-secret` beside the store; with PostgreSQL it must be given where something is signed or hashed',
    ),
  RELAY_TURNSTILE_URL: webAddress.prefault(turnstileUrl).describe('Where Turnstile is asked'),
  RELAY_PUBLIC_URL: webAddress
    .refine((text) => !/[?#]/.test(text), 'must be an address without ? and #')
    .transform((text) => text.replace(/\/+$/, ''))
    .optional()
    .describe('Address of this relay as visitors reach it, for links in mails: `https://signup.example.com`'),
  RELAY_SMTP_URL: smtpServer
    .optional()
    .describe('Mail server for confirmation mails: `smtps://user:password@host`, or `smtp://` for STARTTLS'),
  RELAY_BULK_ABOVE: z
    .string()
    .refine(
      (text) =>
        text === 'never' || (/^\d{3,6}$/.test(text) && Number(text) >= minBulkAbove && Number(text) <= maxBulkAbove),
      `must be a number from ${minBulkAbove} to ${maxBulkAbove}, or never`,
    )
    .transform((text) => (text === 'never' ? null : Number(text)))
    .prefault('1000')
    .describe('Signups due from which on they go to the API in bulk: 100 to 100000; `never` sends each alone'),
  RELAY_ERASE_AFTER_DAYS: z
    .string()
    .regex(/^(\d{1,4}|never)$/, 'must be a number of days, or never')
    .transform((text) => (text === 'never' ? null : Number(text)))
    .prefault('30')
    .describe('Days after delivery until address and fields are erased here; `0` at once, `never` keeps them'),
  RELAY_REVIEW_DAYS: retentionDays
    .prefault('90')
    .describe('Days after receipt until a signup in review is deleted; `never` keeps it'),
  RELAY_DEAD_DAYS: retentionDays
    .prefault('90')
    .describe('Days after its refusal until a dead letter is deleted; `never` keeps it'),
  RELAY_UNCONFIRMED_DAYS: retentionDays
    .prefault('7')
    .describe('Days after receipt until a signup that was never confirmed is deleted; `never` keeps it'),
  RELAY_CONSENT_DAYS: retentionDays
    .prefault('never')
    .describe('Days after consent was given until its entry in the ledger is deleted; `never` keeps it'),
  RELAY_OPERATOR_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'must be 16 characters or more, without spaces')
    .optional()
    .describe(
      'Token for `/operator`. Unset: one is made and kept in the file `-operator` beside the store; with PostgreSQL there is no `/operator` then',
    ),
  RELAY_ALERT_WEBHOOK: webAddress
    .optional()
    .describe('Address that is told, by POST with JSON, when delivery needs a person'),
  RELAY_ALERT_COMMAND: z
    .string()
    .optional()
    .describe('Shell command that is run then, with the same JSON on its standard input'),
  RELAY_FORM_TOKEN: flag
    .prefault('false')
    .describe('`true`: a signup needs a signed token, two seconds old, which the form is given when it asks'),
  RELAY_PROOF: z
    .enum(['off', 'always', 'attack'], 'must be off, always or attack')
    .prefault('off')
    .describe('When a signup needs a proof of work, or of Turnstile: `off`, `always`, or under `attack`'),
  RELAY_TURNSTILE_SITE_KEY: z
    .string()
    .optional()
    .describe('Site key of Turnstile; with it and the secret the proof is Turnstile’s'),
  RELAY_TURNSTILE_SECRET: z.string().optional().describe('Secret of Turnstile. It stays in this process'),
  RELAY_MX_CHECK: z
    .enum(['off', 'review', 'refuse'], 'must be off, review or refuse')
    .prefault('off')
    .describe('What becomes of an address whose domain takes no mail: kept for `review`, or `refuse`d'),
  RELAY_CONSENT_REQUIRED: flag
    .prefault('false')
    .describe('`true`: a signup without `consent` is refused, with 400 and the code `CONSENT_REQUIRED`'),
  RELAY_CONSENT_VERSION: z
    .string()
    .max(200, 'must be 200 characters or fewer')
    .optional()
    .describe('Your name for the version of the consent sentence or of the privacy policy; kept with each consent'),
  RELAY_CONSENT_ADDRESS: z
    .enum(['shortened', 'hashed', 'none'], 'must be shortened, hashed or none')
    .prefault('shortened')
    .describe(
      'The visitor’s address in the consent ledger: `shortened` to a /24 (IPv4) or /48 (IPv6), `hashed` with a secret of the relay, or `none`',
    ),
  RELAY_CONSENT_FIELD: z
    .string()
    .optional()
    .describe('Name of the custom field in which the API gets the sentence, or `yes` where the page sent none'),
  RELAY_CONFIRMATION: flag
    .prefault('false')
    .describe('`true`: a signup is delivered once the person clicked a link in a mail that the relay sends'),
  RELAY_MAIL_FROM: sender
    .optional()
    .describe('Sender of that mail: `news@example.com`, or `Example News <news@example.com>`'),
  RELAY_CONFIRMATION_SUBJECT: oneLine(200)
    .pipe(template)
    .refine((text) => !text.includes('{link}'), 'must be a subject without {link}')
    .prefault('Please confirm your subscription')
    .describe('Its subject, and the heading of the page that the link opens'),
  RELAY_CONFIRMATION_TEXT: template
    .refine((text) => text.includes('{link}'), 'must hold {link}, where the link is to stand')
    .optional()
    .describe('Its text, plain, with `{link}` where the link is to stand. Unset: a text in English'),
  RELAY_CONFIRMATION_BUTTON: oneLine(60).prefault('Confirm').describe('The button of that page'),
  RELAY_CONFIRMATION_LANG: language.prefault('en').describe('Language of these texts, as a tag: `de`, `pt-BR`'),
  RELAY_CONFIRMED_URL: webAddress.optional().describe('Page for people who confirmed. Unset: a page of the relay'),
  RELAY_DOUBLE_OPT_OVERRIDE: z
    .string()
    .pipe(request.double_opt_override.unwrap())
    .optional()
    .describe(
      'Pins `double_opt_override`: `on`, `off` or `not_set`. `on` is recommended; with `RELAY_CONFIRMATION` leave it unset',
    ),
  RELAY_SEND_WELCOME_EMAIL: flag.optional().describe('Pins `send_welcome_email`: `true` or `false`'),
  RELAY_REACTIVATE_EXISTING: flag
    .optional()
    .describe('Pins `reactivate_existing`: `true` or `false`. Only where the form says that people resubscribe'),
  RELAY_TIER: z.string().pipe(request.tier.unwrap()).optional().describe('Pins `tier`: `free` or `premium`'),
  RELAY_PREMIUM_TIERS: list(z.string()).optional().describe('Pins `premium_tiers`, names with commas between them'),
  RELAY_PREMIUM_TIER_IDS: list(request.premium_tier_ids.unwrap().element)
    .optional()
    .describe('Pins `premium_tier_ids`'),
  RELAY_AUTOMATION_IDS: list(request.automation_ids.unwrap().element).optional().describe('Pins `automation_ids`'),
  RELAY_NEWSLETTER_LIST_IDS: list(request.newsletter_list_ids.unwrap().element)
    .optional()
    .describe('Pins `newsletter_list_ids`'),
  RELAY_SKIP_NEWSLETTER_LIST_AUTO_SUBSCRIBE: flag
    .optional()
    .describe('Pins `skip_newsletter_list_auto_subscribe`: `true` or `false`'),
  RELAY_COMPLIMENTARY_GIFT_ID: request.complimentary_gift_id
    .unwrap()
    .optional()
    .describe('Pins `complimentary_gift_id`'),
});

/** The settings that each form has of its own. */
const ofForm = {
  NEWSLETTER_API_KEY: true,
  NEWSLETTER_PUBLICATION_ID: true,
  RELAY_ALLOWED_ORIGINS: true,
  RELAY_ALLOWED_FIELDS: true,
  RELAY_THANKS_URL: true,
  RELAY_FORM_TOKEN: true,
  RELAY_PROOF: true,
  RELAY_TURNSTILE_SITE_KEY: true,
  RELAY_TURNSTILE_SECRET: true,
  RELAY_MX_CHECK: true,
  RELAY_CONSENT_REQUIRED: true,
  RELAY_CONSENT_VERSION: true,
  RELAY_CONSENT_ADDRESS: true,
  RELAY_CONSENT_FIELD: true,
  RELAY_CONFIRMATION: true,
  RELAY_MAIL_FROM: true,
  RELAY_CONFIRMATION_SUBJECT: true,
  RELAY_CONFIRMATION_TEXT: true,
  RELAY_CONFIRMATION_BUTTON: true,
  RELAY_CONFIRMATION_LANG: true,
  RELAY_CONFIRMED_URL: true,
  RELAY_DOUBLE_OPT_OVERRIDE: true,
  RELAY_SEND_WELCOME_EMAIL: true,
  RELAY_REACTIVATE_EXISTING: true,
  RELAY_TIER: true,
  RELAY_PREMIUM_TIERS: true,
  RELAY_PREMIUM_TIER_IDS: true,
  RELAY_AUTOMATION_IDS: true,
  RELAY_NEWSLETTER_LIST_IDS: true,
  RELAY_SKIP_NEWSLETTER_LIST_AUTO_SUBSCRIBE: true,
  RELAY_COMPLIMENTARY_GIFT_ID: true,
} as const;

/** The settings of the relay as a whole. */
export const relaySettings = environment.omit(ofForm);

/** The settings of a form. */
export const formSettings = environment.pick(ofForm);

/** One setting of the relay. */
export interface Setting {
  /** The environment variable. */
  readonly name: string;
  /** The same in a file. */
  readonly key: string;
  readonly about: string;
  readonly default: string | null;
  /** Whether each form has its own. */
  readonly ofForm: boolean;
}

/** Every setting, those of the relay first. */
export const settings: readonly Setting[] = [relaySettings, formSettings].flatMap((group) =>
  Object.entries<z.ZodType>(group.shape).map(([name, schema]) => ({
    name,
    key: name.replace(/^(RELAY|NEWSLETTER)_/, '').toLowerCase(),
    about: schema.description ?? '',
    default: schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) || null : null,
    ofForm: group === formSettings,
  })),
);

/** A value in quotes, cut: the mistake may be a secret pasted into the wrong place, or a page of text. */
function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
