/**
 * Reads the configuration: checks environment and file, and reports every error at once. Never repeats the value of a
 * secret.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { StartupError } from '../errors.ts';
import { parseYaml } from './file.ts';
import { type Form, formOf, formProblems, formSettings, isSigning } from './form.ts';
import { configFile, relaySettings } from './relay.ts';
import { type Declared, group, type Layer, type ValueOf } from './setting.ts';
import type { RelayConfig } from './settings.ts';
import { type ConfigPlatform, readSources, type Variables } from './sources.ts';
import { type WebhookDestination, webhookSettings } from './webhook.ts';

/** Settings that only a Worker has. */
const workerSettings = new Set(relaySettings.members.worker.settings.flatMap(({ name }) => [name, `${name}_FILE`]));

const onMachine: ConfigPlatform = {
  refuses: (name) => (workerSettings.has(name) ? 'is a setting of a Worker: remove it' : undefined),
  readValue: (path) => readFileSync(path, 'utf8'),
  // Loads the YAML parser on demand: a relay without a configuration file saves its 3 MB of memory.
  readFile: (path) => parseYaml(path, readFile(path), createRequire(import.meta.url)('yaml') as typeof Yaml),
};

/**
 * Reads the configuration: the environment, and the file that RELAY_CONFIG names. A variable set to nothing counts as
 * not set. Settings of a form override the environment, which overrides the top of the file. With
 * `_FILE` behind its name, a variable holds the path of a file with the value, as Docker and Kubernetes mount secrets.
 * An unknown variable that begins with RELAY_ is an error.
 *
 * @throws StartupError that names every error
 */
export function readConfig(variables: Variables, platform: ConfigPlatform = onMachine): RelayConfig {
  const problems: string[] = [];
  const { shared, parts } = readSources(variables, platform, problems);
  const relay = relaySettings.read(shared, problems)?.value;
  const forms = parts.forms.flatMap((layer): Form[] => {
    const read = formSettings.read(layer, problems);
    return read ? [formOf(layer.name, read.value)] : [];
  });
  problems.push(...forms.flatMap(formProblems));
  const webhooks = parts.webhooks.flatMap((layer) => readWebhook(layer, problems) ?? []);
  const store = platform.store ?? relay?.store;
  if (store && store.kind !== 'sqlite' && !shared.values.has('RELAY_SECRET') && forms.some(isSigning))
    problems.push(
      `RELAY_SECRET is missing: ${store.kind === 'postgres' ? 'relays that share a database' : 'a Worker'} must be given the secret with which tokens, proofs and links in mails are signed, and addresses are hashed.`,
    );
  if (parts.forms.some(({ values }) => values.get('RELAY_CONFIRMATION')?.value === 'true')) {
    for (const name of ['RELAY_SMTP_URL', 'RELAY_PUBLIC_URL'])
      if (!shared.values.has(name)) problems.push(`RELAY_CONFIRMATION needs ${name} beside it.`);
  }
  if (!relay || !store || problems.length > 0) throw configurationError(problems);
  return { ...relay, store, forms: Object.fromEntries(forms.map((form) => [form.name, form])), webhooks };
}

/** @returns null without a URL or a secret */
function readWebhook(layer: Layer, problems: string[]): WebhookDestination | null {
  const read = webhookSettings.read(layer, problems);
  const url = layer.values.get('RELAY_WEBHOOK_URL');
  if (layer.section !== null && !url && !layer.values.has('RELAY_WEBHOOK_SECRET'))
    problems.push(`webhooks.${layer.name}: url is missing.`);
  if (read && !read.value.allowsPrivateNetwork && URL.parse(String(url?.value))?.protocol === 'http:')
    problems.push(
      `${url?.where} must be an https address; without https anybody on the network path could read addresses. RELAY_WEBHOOK_PRIVATE_NETWORK=true permits http, for a receiver beside the relay.`,
    );
  if (!read?.value.receiver) return null;
  const { receiver, ...rest } = read.value;
  return { name: layer.name, ...receiver, ...rest };
}

const { members } = relaySettings;
const storeSettings = group({ store: members.store, listen: members.listen, operator: members.operator });

/** What a command needs that works on the store, or asks the running relay that has opened it. */
export type StoreConfig = ValueOf<typeof storeSettings>;

/**
 * Reads those settings as {@link readConfig} does, and no other one: the commands run without the key of the API, and
 * under an account that may not read its file.
 *
 * @throws StartupError that names every error
 */
export function readStoreConfig(variables: Variables): StoreConfig {
  const problems: string[] = [];
  const { shared } = readSources(variables, onMachine, problems, namesOf(storeSettings));
  const read = storeSettings.read(shared, problems);
  if (!read || problems.length > 0) throw configurationError(problems);
  return read.value;
}

/**
 * Reads the destination with this URL, or, for another URL, the settings of webhooks outside of any destination.
 *
 * @throws StartupError that names every error
 */
export function readDestination(variables: Variables, url: string): WebhookDestination {
  const problems: string[] = [];
  const { shared, parts } = readSources(variables, onMachine, problems, namesOf(webhookSettings));
  const own = parts.webhooks.find(({ values }) => values.get('RELAY_WEBHOOK_URL')?.value === url);
  const given = new Map([...shared.values, ['RELAY_WEBHOOK_URL', { value: url, where: 'The URL' }]]);
  const destination = readWebhook({ ...shared, values: own?.values ?? given }, problems);
  if (!destination || problems.length > 0) throw configurationError(problems);
  return destination;
}

/** The names of settings, and that of the file that may contain them. */
function namesOf(declared: Declared<unknown>): readonly string[] {
  return [...configFile.settings, ...declared.settings].map(({ name }) => name);
}

function configurationError(problems: readonly string[]): StartupError {
  return new StartupError(['The configuration has errors:', ...new Set(problems)].join('\n  - '));
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
