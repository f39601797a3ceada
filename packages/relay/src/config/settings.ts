/** Every setting, for the readers of environment and file, for their errors, and for the reference. */
import { formSettings } from './form.ts';
import { configFile, relaySettings } from './relay.ts';
import type { Section, Setting } from './setting.ts';
import { webhookSettings } from './webhook.ts';

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
