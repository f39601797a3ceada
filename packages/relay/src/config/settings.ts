/** Every setting, and the configuration that they become. */
import { type Form, formSettings } from './form.ts';
import { configFile, relaySettings } from './relay.ts';
import type { Section, Setting, ValueOf } from './setting.ts';
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

/** Every secret of a configuration, for removal from logs. */
export function secretsOf(
  config: Pick<RelayConfig, 'store' | 'operator' | 'secret' | 'mail' | 'forms' | 'webhooks'>,
): readonly string[] {
  const { store, operator, secret, mail, forms, webhooks } = config;
  const password = store.kind === 'postgres' ? decodeURIComponent(new URL(store.url).password) : undefined;
  const ofForms = Object.values(forms).flatMap(({ apiKey, protection }) => [apiKey, protection.turnstile?.secret]);
  const ofWebhooks = [...webhooks.flatMap(({ secrets }) => secrets), ...(mail.bounceSecrets ?? [])];
  return [password, operator.token, secret, mail.server?.auth?.pass, ...ofForms, ...ofWebhooks]
    .filter((each) => each !== undefined)
    .filter(Boolean);
}
