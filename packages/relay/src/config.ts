/** The configuration: environment in, checked settings out, every mistake named at once. No value of a secret is ever said. */
import { subscriptionRequest } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import type { Form, PinnedFields } from './admission/form.ts';
import { StartupError } from './startup-error.ts';
import type { StoreAddress } from './store/open-store.ts';

/** What the relay runs on. */
export interface RelayConfig {
  readonly store: StoreAddress;
  readonly api: { readonly url: string; readonly key: string };
  readonly listen: { readonly host: string; readonly port: number };
  readonly log: { readonly level: string; readonly format: 'json' | 'plain' | 'auto' };
  /** Who is told when delivery needs a person. */
  readonly alerts: { readonly webhook: string | undefined; readonly command: string | undefined };
  readonly operator: {
    /** The token of the operator's page and API; undefined: one is made and kept beside the store. */
    readonly token: string | undefined;
    /** Days after which a delivered signup's content is erased; null: never. */
    readonly eraseAfterDays: number | null;
  };
  /** The forms, by name. */
  readonly forms: Readonly<Record<'default', Form>> & Readonly<Record<string, Form>>;
}

const request = subscriptionRequest.shape;

/** A list with commas between its items. */
const list = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z
    .string()
    .transform((text) => text.split(',').map((each) => each.trim()).filter(Boolean))
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
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text) && new URL(text).pathname.length > 1) return { kind: 'postgres', url: text };
  // The value is not repeated: it may hold a password.
  const message = 'must be sqlite: and the path of a file, for example sqlite:./relay.db, or postgres://user:password@host:5432/database';
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

const webAddress = z.string().refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http(s) address');

/** Every variable: its check, its default, and what it is for. The README's table is compared with it. */
const environment = z.object({
  NEWSLETTER_API_URL: apiUrl.describe('Root address of the newsletter API; ends with `/v2`'),
  NEWSLETTER_API_KEY: z
    .string('is missing: set it to an API key that may create subscriptions')
    .regex(/^[\x21-\x7e]+$/, 'must be the bare key: no spaces, no line breaks, no quotes around it')
    .describe('API key that may create subscriptions. It stays in this process'),
  NEWSLETTER_PUBLICATION_ID: z
    .string('is missing: set it to the id of the publication, pub_ and a UUID')
    .regex(/^pub_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be pub_ and a UUID, as the API gives it')
    .describe('Publication that people sign up to'),
  RELAY_ALLOWED_ORIGINS: list(origin)
    .refine((origins) => origins.length > 0, 'must name at least one site, for example https://example.com')
    .prefault('')
    .describe('Sites whose pages may sign people up, with commas between them: `https://example.com,https://www.example.com`'),
  RELAY_STORE: store.prefault('sqlite:./relay.db').describe('Where signups are kept: `sqlite:` and the path of a file on a local disk, or `postgres://user:password@host:5432/database`'),
  RELAY_HOST: z.string().prefault('127.0.0.1').describe('Address to listen on; `0.0.0.0` for every network'),
  RELAY_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a number from 0 to 65535')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be a number from 0 to 65535')
    .prefault('4020')
    .describe('Port to listen on; `0` picks a free one'),
  RELAY_ALLOWED_FIELDS: list(z.string()).optional().describe('Names of the custom fields a page may set, with commas between them. Unset: all'),
  RELAY_THANKS_URL: webAddress.optional().describe('Page for visitors without JavaScript after they signed up. Unset: a page of the relay'),
  RELAY_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'must be fatal, error, warn, info, debug or silent')
    .prefault('info')
    .describe('How much is logged'),
  RELAY_LOG_FORMAT: z
    .enum(['auto', 'json', 'plain'], 'must be auto, json or plain')
    .prefault('auto')
    .describe('`json` for machines, `plain` for people; `auto` is plain at a terminal'),
  RELAY_ERASE_AFTER_DAYS: z
    .string()
    .regex(/^(\d{1,4}|never)$/, 'must be a number of days, or never')
    .transform((text) => (text === 'never' ? null : Number(text)))
    .prefault('30')
    .describe('Days after delivery until address and fields are erased here; `0` at once, `never` keeps them'),
  RELAY_OPERATOR_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'must be 16 characters or more, without spaces')
    .optional()
    .describe('Token for `/operator`. Unset: one is made and kept in the file `-operator` beside the store; with PostgreSQL there is no `/operator` then'),
  RELAY_ALERT_WEBHOOK: webAddress.optional().describe('Address that is told, by POST with JSON, when delivery needs a person'),
  RELAY_ALERT_COMMAND: z.string().optional().describe('Shell command that is run then, with the same JSON on its standard input'),
  RELAY_DOUBLE_OPT_OVERRIDE: z
    .string()
    .pipe(request.double_opt_override.unwrap())
    .optional()
    .describe('Pins `double_opt_override`: `on`, `off` or `not_set`. `on` is recommended'),
  RELAY_SEND_WELCOME_EMAIL: flag.optional().describe('Pins `send_welcome_email`: `true` or `false`'),
  RELAY_REACTIVATE_EXISTING: flag
    .optional()
    .describe('Pins `reactivate_existing`: `true` or `false`. Only where the form says that people resubscribe'),
  RELAY_TIER: z.string().pipe(request.tier.unwrap()).optional().describe('Pins `tier`: `free` or `premium`'),
  RELAY_PREMIUM_TIERS: list(z.string()).optional().describe('Pins `premium_tiers`, names with commas between them'),
  RELAY_PREMIUM_TIER_IDS: list(request.premium_tier_ids.unwrap().element).optional().describe('Pins `premium_tier_ids`'),
  RELAY_AUTOMATION_IDS: list(request.automation_ids.unwrap().element).optional().describe('Pins `automation_ids`'),
  RELAY_NEWSLETTER_LIST_IDS: list(request.newsletter_list_ids.unwrap().element).optional().describe('Pins `newsletter_list_ids`'),
  RELAY_SKIP_NEWSLETTER_LIST_AUTO_SUBSCRIBE: flag.optional().describe('Pins `skip_newsletter_list_auto_subscribe`: `true` or `false`'),
  RELAY_COMPLIMENTARY_GIFT_ID: request.complimentary_gift_id.unwrap().optional().describe('Pins `complimentary_gift_id`'),
});

/** One environment variable the relay reads. */
export interface Setting {
  readonly name: string;
  readonly about: string;
  readonly default: string | null;
}

/** Every environment variable the relay reads, required ones first. */
export const settings: readonly Setting[] = Object.entries(environment.shape).map(([name, schema]) => ({
  name,
  about: schema.description ?? '',
  default: schema instanceof z.ZodPrefault ? schema.def.defaultValue || null : null,
}));

/**
 * Reads the configuration. A variable set to nothing counts as not set.
 *
 * @throws StartupError that names every mistake
 */
export function readConfig(variables: Readonly<Record<string, string | undefined>>): RelayConfig {
  const given = settings.map(({ name }) => [name, variables[name]?.trim()] as const).filter(([, value]) => value);
  const result = environment.safeParse(Object.fromEntries(given));
  if (!result.success) {
    const mistakes = result.error.issues.map(({ path: [name], message }) => `${String(name)} ${message}.`);
    throw new StartupError(['The configuration has mistakes:', ...new Set(mistakes)].join('\n  - '));
  }
  const { data } = result;
  return {
    store: data.RELAY_STORE,
    api: { url: data.NEWSLETTER_API_URL, key: data.NEWSLETTER_API_KEY },
    listen: { host: data.RELAY_HOST, port: data.RELAY_PORT },
    log: { level: data.RELAY_LOG_LEVEL, format: data.RELAY_LOG_FORMAT },
    alerts: { webhook: data.RELAY_ALERT_WEBHOOK, command: data.RELAY_ALERT_COMMAND },
    operator: { token: data.RELAY_OPERATOR_TOKEN, eraseAfterDays: data.RELAY_ERASE_AFTER_DAYS },
    forms: {
      default: {
        name: 'default',
        publicationId: data.NEWSLETTER_PUBLICATION_ID,
        origins: new Set(data.RELAY_ALLOWED_ORIGINS),
        allowedFields: data.RELAY_ALLOWED_FIELDS ? new Set(data.RELAY_ALLOWED_FIELDS) : null,
        pinned: pinnedFields(data),
        thanksUrl: data.RELAY_THANKS_URL ?? null,
      },
    },
  };
}

function pinnedFields(data: z.output<typeof environment>): PinnedFields {
  const all = {
    double_opt_override: data.RELAY_DOUBLE_OPT_OVERRIDE,
    send_welcome_email: data.RELAY_SEND_WELCOME_EMAIL,
    reactivate_existing: data.RELAY_REACTIVATE_EXISTING,
    tier: data.RELAY_TIER,
    premium_tiers: data.RELAY_PREMIUM_TIERS,
    premium_tier_ids: data.RELAY_PREMIUM_TIER_IDS,
    automation_ids: data.RELAY_AUTOMATION_IDS,
    newsletter_list_ids: data.RELAY_NEWSLETTER_LIST_IDS,
    skip_newsletter_list_auto_subscribe: data.RELAY_SKIP_NEWSLETTER_LIST_AUTO_SUBSCRIBE,
    complimentary_gift_id: data.RELAY_COMPLIMENTARY_GIFT_ID,
  } satisfies PinnedFields;
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** A value in quotes, cut: the mistake may be a secret pasted into the wrong place, or a page of text. */
function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
