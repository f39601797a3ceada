/** Reads the settings of a Worker from its variables and secrets. */
import { readConfig } from '../config/read.ts';
import type { RelayConfig } from '../config/settings.ts';
import type { ParsedFile } from '../config/file.ts';
import type { ConfigPlatform } from '../config/sources.ts';
import { StartupError } from '../errors.ts';

/** The bindings of a Worker: texts, values in JSON, and bindings that are no settings. */
export type WorkerVariables = Readonly<Record<string, unknown>>;

const ofMachine = 'is a setting of a machine: remove it from the Worker';

/** Settings that a Worker cannot have. */
const refusals: Readonly<Partial<Record<string, string>>> = {
  RELAY_STORE: 'does not exist on a Worker, which keeps signups in a Durable Object per publication: remove it',
  RELAY_TAG_FOLDER: ofMachine,
  RELAY_HOST: ofMachine,
  RELAY_PORT: ofMachine,
  RELAY_OPERATOR_LISTEN: 'is a setting of a machine: remove it from the Worker, and set RELAY_OPERATOR_TOKEN',
  RELAY_LOG_FORMAT: ofMachine,
  RELAY_TRUSTED_PROXIES: 'is not needed on a Worker, where Cloudflare names the visitor: remove it',
  RELAY_BLOCKED_DOMAINS: ofMachine,
  RELAY_ALERT_WEBHOOK: 'is not available on a Worker: remove it, and watch /metrics or the log',
};

const onWorker: ConfigPlatform = {
  store: { kind: 'durable-object' },
  refuses: (name) =>
    name.endsWith('_FILE')
      ? `names a file, which a Worker has not: set ${name.slice(0, -5)} as a secret`
      : refusals[name],
  readValue: (path) => path,
  // The content itself: a secret with the settings in JSON, or an object in wrangler.jsonc.
  readFile: parseJson,
};

/** Without a parser for YAML, which would be a seventh of the Worker. */
function parseJson(text: string): ParsedFile {
  const where = (): string => 'RELAY_CONFIG';
  try {
    return { content: JSON.parse(text), errors: [], where };
  } catch {
    // The error's own text may quote a secret.
    return { content: null, errors: ['RELAY_CONFIG is not valid JSON, which it must be on a Worker.'], where };
  }
}

/**
 * Reads the configuration. RELAY_CONFIG contains the settings themselves, in JSON or as an object.
 *
 * @throws StartupError that names every error, without the value of a secret
 */
export function readWorkerConfig(variables: WorkerVariables): RelayConfig {
  const config = readConfig(
    Object.fromEntries(Object.entries(variables).flatMap(([name, value]) => textOf(name, value))),
    onWorker,
  );
  if (Object.keys(config.forms).length === 0) throw new StartupError('RELAY_CONFIG contains no form.');
  return config;
}

function textOf(name: string, value: unknown): [string, string][] {
  if (typeof value === 'string') return [[name, value]];
  if (typeof value === 'number' || typeof value === 'boolean') return [[name, String(value)]];
  return name === 'RELAY_CONFIG' && typeof value === 'object' ? [[name, JSON.stringify(value)]] : [];
}
