/**
 * What is set, as layers with the location of each value: environment variables, the files that variables with `_FILE`
 * behind their name hold, and the configuration file.
 */
import { nearestName, type ParsedFile, readConfigFile } from './file.ts';
import { goneSettings } from './gone.ts';
import type { Layer, Section, SettingValue, SettingValues } from './setting.ts';
import { settings } from './settings.ts';
import type { StoreAddress } from './store-address.ts';

/** The environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The parts of a configuration that depend on where the relay runs. */
export interface ConfigPlatform {
  /** Where signups are kept, if RELAY_STORE cannot choose that. */
  readonly store?: StoreAddress | undefined;
  /** Why a variable must not be set, as the rest of a sentence after its name; undefined where it may be. */
  refuses(name: string): string | undefined;
  /** Reads the file that a variable with `_FILE` behind its name holds. @throws if it cannot be read */
  readValue(path: string): string;
  /** Parses the file that RELAY_CONFIG names. @throws StartupError if it cannot be read */
  readFile(value: string): ParsedFile;
}

/** The layers of a configuration. */
export interface Sources {
  /** The environment over the top of the file. */
  readonly shared: Layer;
  /** Each form and each destination over what they share; without the section in a file, there is one. */
  readonly parts: Readonly<Record<Section, readonly Layer[]>>;
}

/**
 * Reads what is set. A variable set to nothing counts as not set. An unknown variable that begins with RELAY_ is an
 * error.
 *
 * @param wanted - names of the settings to read from the environment
 */
export function readSources(
  variables: Variables,
  platform: ConfigPlatform,
  problems: string[],
  wanted: readonly string[] = settings.map(({ name }) => name),
): Sources {
  const environment = readEnvironment(variables, platform, problems, wanted);
  const path = environment.get('RELAY_CONFIG')?.value;
  const file = path === undefined ? null : readConfigFile(platform.readFile(String(path)), problems);
  const shared: Layer = { values: new Map([...(file?.top ?? []), ...environment]), section: null, name: 'default' };
  const layers = (section: Section): readonly Layer[] => {
    const parts = file?.[section];
    if (!parts) return [shared];
    return [...parts].map(([name, own]) => ({ values: new Map([...shared.values, ...own]), section, name }));
  };
  return { shared, parts: { forms: layers('forms'), webhooks: layers('webhooks') } };
}

function readEnvironment(
  variables: Variables,
  platform: ConfigPlatform,
  problems: string[],
  wanted: readonly string[],
): SettingValues {
  const valueOf = (name: string): string => variables[name]?.trim() ?? '';
  const values = new Map<string, SettingValue>();
  for (const name of wanted) {
    const value = valueOf(name);
    const where = `${name}_FILE`;
    const path = valueOf(where);
    const refused = [name, where].find((each) => valueOf(each) !== '' && platform.refuses(each) !== undefined);
    if (refused !== undefined) problems.push(`${refused} ${platform.refuses(refused)}.`);
    else if (value !== '' && path !== '') problems.push(`${name} and ${where} are both set: keep one of them.`);
    else if (value !== '') values.set(name, { value, where: name });
    else if (path !== '') {
      const content = readValueFile(path, where, platform, problems);
      if (content !== '') values.set(name, { value: content, where });
    }
  }
  const names = settings.flatMap(({ name }) => [name, `${name}_FILE`]);
  for (const name of Object.keys(variables)) {
    if (!name.startsWith('RELAY_') || names.includes(name) || valueOf(name) === '') continue;
    const gone = goneSettings[name.replace(/_FILE$/, '')];
    const meant = gone ? undefined : nearestName(name, names);
    const isNone = `is not a setting${meant === undefined ? '' : ` (is ${meant} meant?)`}`;
    problems.push(`${name.slice(0, 60)} ${gone ? `${gone}: remove it` : isNone}.`);
  }
  return values;
}

/** The content of the file that a variable names; empty if it cannot be read. */
function readValueFile(path: string, where: string, platform: ConfigPlatform, problems: string[]): string {
  try {
    const content = platform.readValue(path).trim();
    if (content === '') problems.push(`The file that ${where} names is empty.`);
    return content;
  } catch {
    problems.push(`The file that ${where} names cannot be read: see that it exists and that the relay may read it.`);
    return '';
  }
}
