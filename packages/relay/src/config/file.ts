/**
 * Reads the settings of a configuration file: the value of each with its location, unknown names with a suggestion.
 * Does not check values.
 */
import { nearMiss } from '@newsletter-kit/core/engine';
import type * as Yaml from 'yaml';
import { goneSettings } from './gone.ts';
import { keyIn, type Section, type SettingValue, type SettingValues } from './setting.ts';
import { type ListedSetting, settings } from './settings.ts';

/** The settings of a file. */
export interface ConfigFile {
  /** Settings at the top: of the relay, and defaults of all forms. */
  readonly top: SettingValues;
  /** Settings of each form, by its name; null if the file contains no forms. */
  readonly forms: ReadonlyMap<string, SettingValues> | null;
  /** Settings of each destination of webhooks, by its name; null if the file contains none. */
  readonly webhooks: ReadonlyMap<string, SettingValues> | null;
}

/** Sections of a file with settings by name: what a part of it is called, and what its name is for. */
const sections = {
  forms: { part: 'form', nameIs: 'the name of a form is part of its URL' },
  webhooks: { part: 'destination', nameIs: 'the name of a destination is shown to operators' },
} as const satisfies Readonly<Record<Section, object>>;

const nameFormat = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** The setting with this key: of the section, otherwise any. */
function settingOf(section: Section | null, key: string): ListedSetting | undefined {
  const known = settings.filter((each) => keyIn(section, each.key) === key && each.name !== 'RELAY_CONFIG');
  return known.find((each) => section === null || each.section === section) ?? known[0];
}

/** A parsed configuration file. */
export interface ParsedFile {
  /** Maps are objects or instances of `Map`. */
  readonly content: unknown;
  /** Errors of its syntax; without its values. */
  readonly errors: readonly string[];
  /** Location of a name, given with those of the maps around it, as the beginning of an error message. */
  where(path: readonly string[]): string;
}

/**
 * Parses YAML, which JSON is too.
 *
 * @param path - for error messages
 * @param yaml - the parser, which the caller loads only if there is a file
 */
export function parseYaml(path: string, text: string, yaml: typeof Yaml): ParsedFile {
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): string => `${path}, line ${lines.linePos(offset).line}`;
  const errors = document.errors.map(({ pos: [at], code }) => `${lineAt(at)}: this is not valid YAML (${code}).`);
  return {
    content: errors.length > 0 ? null : document.toJS({ mapAsMap: true }),
    errors,
    where(names) {
      let node: unknown = document.contents;
      let offset = document.contents?.range?.[0] ?? 0;
      for (const name of names) {
        const pair = yaml.isMap(node)
          ? node.items.find(({ key }) => yaml.isScalar(key) && String(key.value) === name)
          : undefined;
        if (yaml.isScalar(pair?.key)) offset = pair.key.range?.[0] ?? offset;
        node = pair?.value;
      }
      return lineAt(offset);
    },
  };
}

/** @param problems - gets the errors of the file, without its values */
export function readConfigFile({ content, errors, where }: ParsedFile, problems: string[]): ConfigFile {
  problems.push(...errors);
  const say = (path: readonly string[], text: string): void => void problems.push(`${where(path)}: ${text}`);

  function readLayer(entries: Entries, within: readonly [] | readonly [Section, string]): SettingValues {
    const [section = null] = within;
    const values = new Map<string, SettingValue>();
    for (const [name, value] of entries) {
      if (section === null && Object.hasOwn(sections, name)) continue;
      const path = [...within, name];
      const fullName = path.join('.');
      const setting = settingOf(section, name);
      const text = setting && readValue(value);
      const gone = goneSettings[`RELAY_${name.toUpperCase()}`];
      if (!setting && gone) say(path, `"${fullName}" ${gone}: remove it.`);
      else if (!setting) say(path, `there is no setting "${fullName.slice(0, 140)}"${suggestion(section, name)}.`);
      else if (section !== null && setting.section !== section)
        say(
          path,
          setting.section === null
            ? `"${name}" is a setting of the whole relay: put it at the top of the file.`
            : `"${name}" is not a setting of a ${sections[section].part}.`,
        );
      else if (text === null || text === undefined)
        say(path, `"${fullName}" must be a text, a number, true, false, or a list of texts.`);
      else if (text !== '') values.set(setting.name, { value: text, where: `${where(path)}: "${fullName}"` });
    }
    return values;
  }

  function readSection(entries: Entries, section: Section): ReadonlyMap<string, SettingValues> | null {
    const entry = entries.find(([name]) => name === section);
    if (!entry) return null;
    const layers = new Map<string, SettingValues>();
    const listed = entriesOf(entry[1]) ?? [];
    const { part, nameIs } = sections[section];
    if (listed.length === 0) say([section], `"${section}" must contain at least one ${part}, by its name.`);
    for (const [name, value] of listed) {
      const path = [section, name] as const;
      if (!nameFormat.test(name)) {
        say(path, `${nameIs}: at most 64 lower-case letters, digits and hyphens.`);
        continue;
      }
      const own = entriesOf(value ?? {});
      if (!own) say(path, `the ${part} "${name}" must contain settings.`);
      layers.set(name, readLayer(own ?? [], path));
    }
    return layers;
  }

  const read = entriesOf(content ?? {});
  if (!read) say([], 'the file must contain settings, one "name: value" a line.');
  const entries = read ?? [];
  const top = readLayer(entries, []);
  return { top, forms: readSection(entries, 'forms'), webhooks: readSection(entries, 'webhooks') };
}

type Entries = readonly (readonly [string, unknown])[];

/** The names and values of a map; null for anything else. */
function entriesOf(content: unknown): Entries | null {
  if (content instanceof Map) return [...content].map(([name, value]: [unknown, unknown]) => [String(name), value]);
  return typeof content === 'object' && content !== null && !Array.isArray(content) ? Object.entries(content) : null;
}

/** A scalar as text, a list of scalars as texts; null for anything else. An empty value counts as absent. */
function readValue(value: unknown): string | readonly string[] | null {
  if (Array.isArray(value)) {
    const items = value.map(readValue);
    return items.every((item) => typeof item === 'string') ? items : null;
  }
  if (value === null) return '';
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).trim()
    : null;
}

function suggestion(section: Section | null, name: string): string {
  const known = settings.map(({ key }) => keyIn(section, key));
  const meant = nearestName(name, known);
  return meant === undefined ? '' : ` (is "${meant}" meant?)`;
}

/** A name without what does not tell one setting from another, such as its prefix. */
const bare = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^(relay|newsletter)_/, '')
    .replaceAll('-', '_');

/**
 * The name that is probably meant; otherwise one that contains the given name or is contained in it. Undefined where
 * none is close.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = bare(name);
  if (wanted.length < 3) return undefined;
  const meant = nearMiss(wanted, known.map(bare));
  return known.find((each) =>
    meant === undefined ? bare(each).includes(wanted) || wanted.includes(bare(each)) : bare(each) === meant,
  );
}
