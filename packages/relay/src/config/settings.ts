/** Every setting, and the configuration that they become. */
import { type Form, formSettings } from './form.ts';
import { configFile, relaySettings } from './relay.ts';
import type { Section, Setting, ValueOf } from './setting.ts';
import { passwordOf } from './store-address.ts';
import { type WebhookDestination, webhookSettings } from './webhook.ts';

/** A setting, and the section of a file whose parts each have their own; null for a setting of the whole relay. */
export interface ListedSetting extends Setting {
  readonly section: Section | null;
}

/** Every setting, those of the relay first. */
export const settings: readonly ListedSetting[] = (
  [
    [null, configFile],
    [null, relaySettings],
    ['webhooks', webhookSettings],
    ['forms', formSettings],
  ] as const
).flatMap(([section, declared]) => declared.settings.map((each) => ({ ...each, section })));

/** The checked configuration of a relay. */
export interface RelayConfig extends ValueOf<typeof relaySettings> {
  /** The forms, by name; the one named `default` is served at `/signup`. */
  readonly forms: Readonly<Record<string, Form>>;
  /** The destinations of signed webhooks. */
  readonly webhooks: readonly WebhookDestination[];
}

/** Every secret of a configuration, with the setting that has it. */
export function namedSecrets(
  config: Pick<RelayConfig, 'store' | 'operator' | 'secret' | 'mail' | 'forms' | 'webhooks'>,
): readonly (readonly [setting: string, secret: string])[] {
  const { store, operator, secret, mail, forms, webhooks } = config;
  const all = Object.values(forms);
  const named: Readonly<Record<string, readonly (string | undefined)[]>> = {
    RELAY_STORE: [passwordOf(store)],
    RELAY_OPERATOR_TOKEN: [operator.token],
    RELAY_SECRET: [secret],
    RELAY_SMTP_URL: [mail.server?.auth?.pass],
    NEWSLETTER_API_KEY: all.map(({ apiKey }) => apiKey),
    RELAY_TURNSTILE_SECRET: all.map(({ protection }) => protection.turnstile?.secret),
    RELAY_WEBHOOK_SECRET: webhooks.flatMap(({ secrets }) => secrets),
    RELAY_BOUNCE_SECRET: mail.bounceSecrets ?? [],
  };
  return Object.entries(named).flatMap(([setting, values]) =>
    values.flatMap((value) => (value ? [[setting, value] as const] : [])),
  );
}

/** Every secret of a configuration, for removal from logs. */
export function secretsOf(config: Parameters<typeof namedSecrets>[0]): readonly string[] {
  return namedSecrets(config).map(([, secret]) => secret);
}
