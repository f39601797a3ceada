/** Reads settings from environment variables, and from the files that variables with `_FILE` behind their name hold. */
import { type ConfigFile, nearestName, type SettingValue } from './config-file.ts';
import { settings } from './settings.ts';
import type { StoreAddress } from './store/address.ts';

/** The parts of a configuration that depend on where the relay runs. */
export interface ConfigPlatform {
  /** Where signups are kept, if RELAY_STORE cannot choose that. */
  readonly store?: StoreAddress | undefined;
  /** Why a variable must not be set, as the rest of a sentence after its name; undefined where it may be. */
  refuses(name: string): string | undefined;
  /** Reads the file that a variable with `_FILE` behind its name holds. @throws if it cannot be read */
  readValue(path: string): string;
  /** Reads the settings that RELAY_CONFIG names. @throws StartupError if they cannot be read */
  readFile(value: string): ConfigFile;
}

/** Variables with the prefix RELAY_ that are no settings: set for the command of an alert. */
const otherVariables = ['RELAY_ALERT_EVENT'];

/**
 * Reads the given settings from the environment. An unknown variable that begins with RELAY_ is an error.
 *
 * @param wanted - names of the settings
 */
export function readEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  platform: ConfigPlatform,
  errors: string[],
  wanted: readonly string[],
): Map<string, SettingValue> {
  const valueOf = (name: string): string => variables[name]?.trim() ?? '';
  const values = new Map<string, SettingValue>();
  for (const name of wanted) {
    const value = valueOf(name);
    const where = `${name}_FILE`;
    const path = valueOf(where);
    const [refused, why] =
      [name, where]
        .map((each) => [each, valueOf(each) === '' ? undefined : platform.refuses(each)] as const)
        .find(([, reason]) => reason !== undefined) ?? [];
    if (why !== undefined) errors.push(`${refused} ${why}.`);
    else if (value !== '' && path !== '') errors.push(`${name} and ${where} are both set: keep one of them.`);
    else if (value !== '') values.set(name, { value, where: name });
    else if (path !== '') {
      const content = readValueFile(path, where, platform, errors);
      if (content !== '') values.set(name, { value: content, where });
    }
  }
  const names = settings.flatMap(({ name }) => [name, `${name}_FILE`]);
  const known = new Set([...names, ...otherVariables]);
  for (const name of Object.keys(variables)) {
    if (!name.startsWith('RELAY_') || known.has(name) || valueOf(name) === '') continue;
    const meant = nearestName(name, names, (each) => each.replace(/^(RELAY|NEWSLETTER)_/, ''));
    errors.push(`${name.slice(0, 60)} is not a setting${meant === undefined ? '' : ` (is ${meant} meant?)`}.`);
  }
  return values;
}

/** The content of the file that a variable names; empty if it cannot be read. */
function readValueFile(path: string, where: string, platform: ConfigPlatform, errors: string[]): string {
  try {
    const content = platform.readValue(path).trim();
    if (content === '') errors.push(`The file that ${where} names is empty.`);
    return content;
  } catch {
    errors.push(`The file that ${where} names cannot be read: see that it exists and that the relay may read it.`);
    return '';
  }
}
