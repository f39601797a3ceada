/** Every setting: its name, its check, its default and its description. */
import { subscriptionRequest } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import { turnstileUrl } from './admission/turnstile.ts';
import {
  apiUrl,
  flag,
  language,
  limit,
  limitRule,
  list,
  network,
  oneLine,
  origin,
  retentionDays,
  sender,
  smtpServer,
  store,
  template,
  webAddress,
  webhookSecrets,
  webhookUrl,
} from './setting-values.ts';
import { webhookTypes } from './store/webhook-queue.ts';

const request = subscriptionRequest.shape;

/** Minimum of RELAY_BULK_ABOVE: a smaller bulk creation saves nothing, because its list has to be read afterwards. */
const minBulkAbove = 100;

/** Maximum of RELAY_BULK_ABOVE: delivery counts up to so many signups again and again. */
const maxBulkAbove = 100_000;

/** Every variable: its check, its default, and what it is for. The tables of the documentation are compared with it. */
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
      'Trusted proxies, as IP addresses and networks, whose `X-Forwarded-For` is used: `127.0.0.1,10.0.0.0/8`. Unset: none',
    ),
  RELAY_LIMIT_IP: limit
    .prefault('60/1m,600/1h')
    .describe(
      'Rate limit per visitor: signups from one IPv4 address or IPv6 /64 network, ten times as many from a /48; all rules apply, `0` is no limit',
    ),
  RELAY_LIMIT_ADDRESS: limit
    .prefault('3/1d')
    .describe(
      'Rate limit per mailbox: signups of one mailbox that are delivered; the part of an address after a `+` is ignored. Above the limit the answer stays the same, and one more signup is kept for review',
    ),
  RELAY_LIMIT_DOMAIN: limit.prefault('0').describe('Rate limit per mail domain, `gmail.com` included'),
  RELAY_LIMIT_GLOBAL: limit.prefault('0').describe('Rate limit of all signups together'),
  RELAY_ATTACK_RATE: limitRule
    .prefault('300/1m')
    .describe('Rate of posts from which they count as an attack, for forms with `RELAY_PROOF=attack`'),
  RELAY_PROOF_EFFORT: z
    .string()
    .regex(/^[1-9]\d{1,5}$/, 'must be a number from 10 to 999999')
    .transform(Number)
    .prefault('1000')
    .describe(
      'Maximum number of tries for a proof of work; 1000 take a laptop a tenth to a third of a second, a phone about one second',
    ),
  RELAY_SECRET: z
    .string()
    .regex(/^[\x21-\x7e]{24,}$/, 'must be 24 characters or more, without spaces')
    .optional()
    .describe(
      'Signs form tokens, proofs and links in mails, and hashes visitors’ addresses. Unset: one is generated and stored in the file `-secret` beside the store; with PostgreSQL it is required where something is signed or hashed',
    ),
  RELAY_TURNSTILE_URL: webAddress.prefault(turnstileUrl).describe('URL of Turnstile’s verification'),
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
    .describe(
      'Number of due signups from which they are sent to the API in bulk: 100 to 100000; `never` sends each alone',
    ),
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
      'Token for `/operator`. Unset: one is generated and stored in the file `-operator` beside the store; with PostgreSQL `/operator` is then switched off',
    ),
  RELAY_ALERT_WEBHOOK: webAddress.optional().describe('URL that receives alerts, as a POST with JSON'),
  RELAY_ALERT_COMMAND: z
    .string()
    .optional()
    .describe('Shell command that is run for each alert, with the same JSON on its standard input'),
  RELAY_WEBHOOK_URL: webhookUrl.optional().describe('URL that receives signed webhooks about signups'),
  RELAY_WEBHOOK_SECRET: webhookSecrets
    .optional()
    .describe(
      'Secret that signs them, of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64; `newsletter-relay webhooks secret` makes one. Two with a comma between them both sign, so that a receiver can change from one to the other',
    ),
  RELAY_WEBHOOK_EVENTS: list(z.enum(webhookTypes, `must be of ${webhookTypes.join(', ')}`))
    .refine((types) => types.length > 0, `must be of ${webhookTypes.join(', ')}`)
    .prefault(webhookTypes.join(','))
    .describe('What is reported, with commas between the names'),
  RELAY_WEBHOOK_PRIVATE_NETWORK: flag
    .prefault('false')
    .describe('`true`: the URL may lead into a private network, to this machine included, and may be without https'),
  RELAY_FORM_TOKEN: flag
    .prefault('false')
    .describe('`true`: a signup needs a signed token that is at least two seconds old; the relay issues it on request'),
  RELAY_PROOF: z
    .enum(['off', 'always', 'attack'], 'must be off, always or attack')
    .prefault('off')
    .describe(
      'When a signup needs a proof of work, or a Turnstile response: `off`, `always`, or only during an `attack`',
    ),
  RELAY_TURNSTILE_SITE_KEY: z
    .string()
    .optional()
    .describe('Site key of Turnstile; with it and the secret, Turnstile replaces the proof of work'),
  RELAY_TURNSTILE_SECRET: z.string().optional().describe('Secret of Turnstile. It stays in this process'),
  RELAY_MX_CHECK: z
    .enum(['off', 'review', 'refuse'], 'must be off, review or refuse')
    .prefault('off')
    .describe(
      'Check of the address’s mail domain in DNS: where it receives no mail, the signup is kept for `review`, or `refuse`d',
    ),
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
    .describe('`true`: a signup is delivered only after the person has clicked a link in a mail that the relay sends'),
  RELAY_MAIL_FROM: sender
    .optional()
    .describe('Sender of that mail: `news@example.com`, or `Example News <news@example.com>`'),
  RELAY_CONFIRMATION_SUBJECT: oneLine(200)
    .pipe(template)
    .refine((text) => !text.includes('{link}'), 'must be a subject without {link}')
    .prefault('Please confirm your subscription')
    .describe('Subject of that mail, and heading of the page that its link opens'),
  RELAY_CONFIRMATION_TEXT: template
    .refine((text) => text.includes('{link}'), 'must contain {link}, which is replaced by the link')
    .optional()
    .describe('Plain text of that mail; `{link}` is replaced by the link. Unset: an English text'),
  RELAY_CONFIRMATION_BUTTON: oneLine(60).prefault('Confirm').describe('Label of the button on that page'),
  RELAY_CONFIRMATION_LANG: language.prefault('en').describe('Language of these texts, as a BCP 47 tag: `de`, `pt-BR`'),
  RELAY_CONFIRMED_URL: webAddress.optional().describe('Page shown after a confirmation. Unset: a page of the relay'),
  RELAY_DOUBLE_OPT_OVERRIDE: z
    .string()
    .pipe(request.double_opt_override.def.innerType)
    .optional()
    .describe(
      'Pins `double_opt_override`: `on`, `off` or `not_set`. `on` is recommended; with `RELAY_CONFIRMATION` leave it unset',
    ),
  RELAY_SEND_WELCOME_EMAIL: flag.optional().describe('Pins `send_welcome_email`: `true` or `false`'),
  RELAY_REACTIVATE_EXISTING: flag
    .optional()
    .describe(
      'Pins `reactivate_existing`, `true` or `false`: whether to reactivate a subscription that has unsubscribed. Use it only when the subscriber knowingly subscribes again, so for a form that says so',
    ),
  RELAY_TIER: z.string().pipe(request.tier.def.innerType).optional().describe('Pins `tier`: `free` or `premium`'),
  RELAY_PREMIUM_TIERS: list(z.string()).optional().describe('Pins `premium_tiers`, names with commas between them'),
  RELAY_PREMIUM_TIER_IDS: list(request.premium_tier_ids.def.innerType.def.element)
    .optional()
    .describe('Pins `premium_tier_ids`'),
  RELAY_AUTOMATION_IDS: list(request.automation_ids.def.innerType.def.element)
    .optional()
    .describe('Pins `automation_ids`'),
  RELAY_NEWSLETTER_LIST_IDS: list(request.newsletter_list_ids.def.innerType.def.element)
    .optional()
    .describe('Pins `newsletter_list_ids`'),
  RELAY_SKIP_NEWSLETTER_LIST_AUTO_SUBSCRIBE: flag
    .optional()
    .describe('Pins `skip_newsletter_list_auto_subscribe`: `true` or `false`'),
  RELAY_COMPLIMENTARY_GIFT_ID: z
    .optional(request.complimentary_gift_id.def.innerType)
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

/** The settings that each destination of webhooks has of its own. */
const ofWebhook = {
  RELAY_WEBHOOK_URL: true,
  RELAY_WEBHOOK_SECRET: true,
  RELAY_WEBHOOK_EVENTS: true,
  RELAY_WEBHOOK_PRIVATE_NETWORK: true,
} as const;

/** The settings of the relay as a whole. */
export const relaySettings = environment.omit({ ...ofForm, ...ofWebhook });

/** The settings of a destination of webhooks. */
export const webhookSettings = environment.pick(ofWebhook);

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
  /** Whether each destination of webhooks has its own: below `webhooks` in a file, with a key without `webhook_`. */
  readonly ofWebhook: boolean;
}

/** Every setting, those of the relay first. */
export const settings: readonly Setting[] = [relaySettings, webhookSettings, formSettings].flatMap((group) =>
  Object.entries<z.ZodType>(group.shape).map(([name, schema]) => ({
    name,
    key: name.replace(/^(RELAY|NEWSLETTER)_/, '').toLowerCase(),
    about: schema.description ?? '',
    default: schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) || null : null,
    ofForm: group === formSettings,
    ofWebhook: group === webhookSettings,
  })),
);
