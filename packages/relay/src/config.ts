/**
 * Reads the configuration: checks environment and file, and reports every error at once. Never repeats the value of a
 * secret.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import type * as z from 'zod';
import { isSigning, type Form, type PinnedFields } from './admission/form.ts';
import type { Defence } from './admission/abuse-protection.ts';
import { defaultText, type Confirmation } from './confirmation/mail.ts';
import type { SmtpServer } from './confirmation/smtp.ts';
import { parseYaml, readConfigFile, type ConfigFile, type Layer, type SettingValue, keyIn } from './config-file.ts';
import { type ConfigPlatform, readEnvironment } from './environment.ts';
import type { RetentionDays } from './ops/retention.ts';
import { formSettings, relaySettings, settings, webhookSettings } from './settings.ts';
import { StartupError } from './startup-error.ts';
import type { StoreAddress } from './store/address.ts';
import type { WebhookDestination } from './webhooks/message.ts';

/** The checked configuration of a relay. */
export interface RelayConfig {
  readonly store: StoreAddress;
  readonly api: { readonly url: string };
  readonly listen: { readonly host: string; readonly port: number };
  readonly log: { readonly level: string; readonly format: 'json' | 'plain' | 'auto' };
  /** Receivers of alerts. */
  readonly alerts: { readonly webhook: string | undefined; readonly command: string | undefined };
  readonly operator: {
    /** The token of the operator's page and API; undefined: one is made and kept beside the store. */
    readonly token: string | undefined;
  };
  readonly retention: RetentionDays;
  readonly delivery: {
    /** Signups due from which on they go in bulk; null: never. */
    readonly bulkAbove: number | null;
  };
  /** Settings of confirmation mails; required if a form asks for confirmation. */
  readonly mail: { readonly server: SmtpServer | undefined; readonly publicUrl: string | undefined };
  /** Networks in CIDR notation whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Signs form tokens, proofs and links in mails; undefined: one is made and kept beside the store. */
  readonly secret: string | undefined;
  readonly defence: Defence;
  /** The forms, by name; the one named `default` is served at `/signup`. */
  readonly forms: Readonly<Record<string, Form>>;
  /** The destinations of signed webhooks. */
  readonly webhooks: readonly WebhookDestination[];
}

const onMachine: ConfigPlatform = {
  refuses: () => undefined,
  readValue: (path) => readFileSync(path, 'utf8'),
  // Loads the YAML parser on demand: a relay without a configuration file saves its 3 MB of memory.
  readFile: (path) =>
    readConfigFile(parseYaml(path, readFile(path), createRequire(import.meta.url)('yaml') as typeof Yaml)),
};

/**
 * Reads the configuration: the environment, and the file that RELAY_CONFIG names. A variable set to nothing counts as
 * not set. Settings of a form override the environment, which overrides the top of the file. With
 * `_FILE` behind its name, a variable holds the path of a file with the value, as Docker and Kubernetes mount secrets.
 * An unknown variable that begins with RELAY_ is an error.
 *
 * @throws StartupError that names every error
 */
export function readConfig(
  variables: Readonly<Record<string, string | undefined>>,
  platform: ConfigPlatform = onMachine,
): RelayConfig {
  const errors: string[] = [];
  const { file, shared } = readSources(variables, platform, errors);
  const relay = check(relaySettings, shared, null, errors);
  const one: ReadonlyMap<string, Layer> = new Map([['default', new Map()]]);
  const checked = [...(file?.forms ?? one)].map(([name, own]) => {
    const place = file?.forms ? ({ section: 'forms', name } as const) : null;
    return [name, check(formSettings, new Map([...shared, ...own]), place, errors)] as const;
  });
  const webhooks = [...(file?.webhooks ?? one)].flatMap(([name, own]) => {
    const place = file?.webhooks ? ({ section: 'webhooks', name } as const) : null;
    const values = new Map([...shared, ...own]);
    const data = check(webhookSettings, values, place, errors);
    if (place && !values.has('RELAY_WEBHOOK_URL') && !values.has('RELAY_WEBHOOK_SECRET'))
      errors.push(`webhooks.${name}: url is missing.`);
    return data ? toDestination(name, data, values, errors) : [];
  });
  const forms = checked.flatMap(([name, data]) => (data ? [toForm(name, data)] : []));
  const storeAddress = platform.store ?? relay?.RELAY_STORE;
  if (storeAddress && storeAddress.kind !== 'sqlite' && relay?.RELAY_SECRET === undefined && forms.some(isSigning)) {
    errors.push(
      `RELAY_SECRET is missing: ${storeAddress.kind === 'postgres' ? 'relays that share a database' : 'a Worker'} must be given the secret with which tokens, proofs and links in mails are signed, and addresses are hashed.`,
    );
  }
  if (relay && checked.some(([, data]) => data?.RELAY_CONFIRMATION)) {
    for (const name of ['RELAY_SMTP_URL', 'RELAY_PUBLIC_URL'] as const) {
      if (relay[name] === undefined) errors.push(`RELAY_CONFIRMATION needs ${name} beside it.`);
    }
    if (relay.RELAY_LIMIT_ADDRESS.length === 0)
      errors.push('RELAY_LIMIT_ADDRESS must not be 0 with RELAY_CONFIRMATION: anybody could fill a mailbox.');
  }
  if (!relay || !storeAddress || errors.length > 0) throw configurationError(errors);
  return {
    store: storeAddress,
    api: { url: relay.NEWSLETTER_API_URL },
    listen: { host: relay.RELAY_HOST, port: relay.RELAY_PORT },
    log: { level: relay.RELAY_LOG_LEVEL, format: relay.RELAY_LOG_FORMAT },
    alerts: { webhook: relay.RELAY_ALERT_WEBHOOK, command: relay.RELAY_ALERT_COMMAND },
    operator: { token: relay.RELAY_OPERATOR_TOKEN },
    retention: {
      delivered: relay.RELAY_ERASE_AFTER_DAYS,
      review: relay.RELAY_REVIEW_DAYS,
      dead: relay.RELAY_DEAD_DAYS,
      unconfirmed: relay.RELAY_UNCONFIRMED_DAYS,
      consent: relay.RELAY_CONSENT_DAYS,
    },
    delivery: { bulkAbove: relay.RELAY_BULK_ABOVE },
    mail: { server: relay.RELAY_SMTP_URL, publicUrl: relay.RELAY_PUBLIC_URL },
    trustedProxies: relay.RELAY_TRUSTED_PROXIES,
    secret: relay.RELAY_SECRET,
    defence: {
      limits: {
        global: relay.RELAY_LIMIT_GLOBAL,
        domain: relay.RELAY_LIMIT_DOMAIN,
        ip: relay.RELAY_LIMIT_IP,
        address: relay.RELAY_LIMIT_ADDRESS,
      },
      attack: relay.RELAY_ATTACK_RATE,
      proofEffort: relay.RELAY_PROOF_EFFORT,
      turnstileUrl: relay.RELAY_TURNSTILE_URL,
    },
    forms: Object.fromEntries(forms.map((form) => [form.name, form])),
    webhooks,
  };
}

/** What a command needs that works on the store, or asks the running relay that has opened it. */
export type StoreConfig = Pick<RelayConfig, 'store' | 'listen' | 'operator'>;

const storeSettings = relaySettings.pick({
  RELAY_STORE: true,
  RELAY_HOST: true,
  RELAY_PORT: true,
  RELAY_OPERATOR_TOKEN: true,
});

/**
 * Reads those settings as {@link readConfig} does, and no other one: the commands run without the key of the API, and
 * under an account that may not read its file.
 *
 * @throws StartupError that names every error
 */
export function readStoreConfig(variables: Readonly<Record<string, string | undefined>>): StoreConfig {
  const errors: string[] = [];
  const { shared } = readSources(variables, onMachine, errors, ['RELAY_CONFIG', ...Object.keys(storeSettings.shape)]);
  const relay = check(storeSettings, shared, null, errors);
  if (!relay || errors.length > 0) throw configurationError(errors);
  return {
    store: relay.RELAY_STORE,
    listen: { host: relay.RELAY_HOST, port: relay.RELAY_PORT },
    operator: { token: relay.RELAY_OPERATOR_TOKEN },
  };
}

/**
 * Reads the destination with this URL, or, for another URL, the settings of webhooks outside of any destination.
 *
 * @throws StartupError that names every error
 */
export function readDestination(
  variables: Readonly<Record<string, string | undefined>>,
  url: string,
): WebhookDestination {
  const errors: string[] = [];
  const names = ['RELAY_CONFIG', ...Object.keys(webhookSettings.shape)];
  const { file, shared } = readSources(variables, onMachine, errors, names);
  const values = new Map([...shared, ['RELAY_WEBHOOK_URL', { value: url, where: 'The URL' }]]);
  const own = [...(file?.webhooks?.values() ?? [])].find((each) => each.get('RELAY_WEBHOOK_URL')?.value === url);
  const data = check(webhookSettings, new Map([...values, ...(own ?? [])]), null, errors);
  const [destination] = data ? toDestination('test', data, values, errors) : [];
  if (!destination || errors.length > 0) throw configurationError(errors);
  return destination;
}

function configurationError(errors: readonly string[]): StartupError {
  return new StartupError(['The configuration has errors:', ...new Set(errors)].join('\n  - '));
}

/** Every secret of a configuration, for removal from logs. */
export function secretsOf({
  store,
  operator,
  secret,
  mail,
  forms,
  webhooks,
}: Pick<RelayConfig, 'store' | 'operator' | 'secret' | 'mail' | 'forms' | 'webhooks'>): readonly string[] {
  const password = store.kind === 'postgres' ? decodeURIComponent(new URL(store.url).password) : undefined;
  const ofForms = Object.values(forms).flatMap(({ apiKey, protection }) => [apiKey, protection.turnstile?.secret]);
  const ofWebhooks = webhooks.flatMap(({ secrets }) => secrets);
  return [password, operator.token, secret, mail.server?.auth?.pass, ...ofForms, ...ofWebhooks]
    .filter((each) => each !== undefined)
    .filter(Boolean);
}

/** The file that RELAY_CONFIG names, and the settings of its top with those of the environment over them. */
function readSources(
  variables: Readonly<Record<string, string | undefined>>,
  platform: ConfigPlatform,
  errors: string[],
  names: readonly string[] = settings.map(({ name }) => name),
): { readonly file: ConfigFile | null; readonly shared: ReadonlyMap<string, SettingValue> } {
  const environment = readEnvironment(variables, platform, errors, names);
  const path = environment.get('RELAY_CONFIG')?.value;
  const file = path === undefined ? null : platform.readFile(String(path));
  errors.push(...(file?.errors ?? []));
  return { file, shared: new Map([...(file?.top ?? []), ...environment]) };
}

/** @throws StartupError if it cannot be read */
function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new StartupError(
      `The file ${path}, which RELAY_CONFIG names, cannot be read: see that it exists and that the relay may read it.`,
      { cause },
    );
  }
}

/** @param place - part of a file whose settings are checked; null for the environment */
function check<Schema extends z.ZodObject>(
  schema: Schema,
  values: ReadonlyMap<string, SettingValue>,
  place: { readonly section: 'forms' | 'webhooks'; readonly name: string } | null,
  errors: string[],
): z.output<Schema> | null {
  const known = new Map([...values].filter(([name]) => Object.hasOwn(schema.shape, name)));
  // The name as the user writes it: in the file, or in the environment.
  const missing = (name: string): string => {
    const key = settings.find((each) => each.name === name)?.key ?? name;
    return place === null ? name : `${place.section}.${place.name}: ${keyIn(place.section, key)}`;
  };
  const where = (name: string): string => known.get(name)?.where ?? missing(name);
  for (const [name, needed] of settingPairs) {
    if (known.has(name) && !known.has(needed)) errors.push(`${where(name)} needs ${missing(needed)} beside it.`);
  }
  if (known.get('RELAY_CONFIRMATION')?.value === 'true' && !known.has('RELAY_MAIL_FROM'))
    errors.push(`${where('RELAY_CONFIRMATION')} needs ${missing('RELAY_MAIL_FROM')} beside it.`);
  const result = schema.safeParse(Object.fromEntries([...known].map(([name, { value }]) => [name, value])));
  if (result.success) return result.data;
  for (const {
    path: [name],
    message,
    code,
  } of result.error.issues) {
    const isList = code === 'invalid_type' && Array.isArray(known.get(String(name))?.value);
    errors.push(`${where(String(name))} ${isList ? 'must be one value, not a list' : message}.`);
  }
  return null;
}

/** Settings of which one requires the other. */
const settingPairs = [
  ['RELAY_TURNSTILE_SITE_KEY', 'RELAY_TURNSTILE_SECRET'],
  ['RELAY_TURNSTILE_SECRET', 'RELAY_TURNSTILE_SITE_KEY'],
  ['RELAY_WEBHOOK_URL', 'RELAY_WEBHOOK_SECRET'],
  ['RELAY_WEBHOOK_SECRET', 'RELAY_WEBHOOK_URL'],
] as const;

/** @returns one destination, or none without a URL or a secret */
function toDestination(
  name: string,
  data: z.output<typeof webhookSettings>,
  values: Layer,
  errors: string[],
): WebhookDestination[] {
  const { RELAY_WEBHOOK_URL: url, RELAY_WEBHOOK_SECRET: secrets, RELAY_WEBHOOK_PRIVATE_NETWORK: isPrivate } = data;
  if (url !== undefined && new URL(url).protocol === 'http:' && !isPrivate)
    errors.push(
      `${values.get('RELAY_WEBHOOK_URL')?.where ?? 'RELAY_WEBHOOK_URL'} must be an https address; without https anybody on the network path could read addresses. RELAY_WEBHOOK_PRIVATE_NETWORK=true permits http, for a receiver beside the relay.`,
    );
  if (url === undefined || secrets === undefined) return [];
  return [{ name, url, secrets, types: data.RELAY_WEBHOOK_EVENTS, allowsPrivateNetwork: isPrivate }];
}

function toForm(name: string, data: z.output<typeof formSettings>): Form {
  const { RELAY_TURNSTILE_SITE_KEY: siteKey, RELAY_TURNSTILE_SECRET: secret } = data;
  return {
    name,
    publicationId: data.NEWSLETTER_PUBLICATION_ID,
    apiKey: data.NEWSLETTER_API_KEY,
    origins: new Set(data.RELAY_ALLOWED_ORIGINS),
    allowedFields: data.RELAY_ALLOWED_FIELDS ? new Set(data.RELAY_ALLOWED_FIELDS) : null,
    pinned: pinnedFields(data),
    thanksUrl: data.RELAY_THANKS_URL ?? null,
    protection: {
      token: data.RELAY_FORM_TOKEN,
      proof: data.RELAY_PROOF,
      turnstile: siteKey !== undefined && secret !== undefined ? { siteKey, secret } : null,
      mx: data.RELAY_MX_CHECK,
    },
    consent: {
      version: data.RELAY_CONSENT_VERSION ?? null,
      required: data.RELAY_CONSENT_REQUIRED,
      field: data.RELAY_CONSENT_FIELD ?? null,
      address: data.RELAY_CONSENT_ADDRESS,
    },
    confirmation: confirmationOf(data),
  };
}

function confirmationOf(data: z.output<typeof formSettings>): Confirmation | null {
  const { RELAY_MAIL_FROM: from } = data;
  if (!data.RELAY_CONFIRMATION || from === undefined) return null;
  return {
    from,
    subject: data.RELAY_CONFIRMATION_SUBJECT,
    text: data.RELAY_CONFIRMATION_TEXT ?? defaultText,
    button: data.RELAY_CONFIRMATION_BUTTON,
    lang: data.RELAY_CONFIRMATION_LANG,
    confirmedUrl: data.RELAY_CONFIRMED_URL ?? null,
  };
}

function pinnedFields(data: z.output<typeof formSettings>): PinnedFields {
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
