/**
 * Reads the configuration file, YAML or JSON: the value of each setting with its line, unknown names with a suggestion.
 * Does not check values.
 */
import leven from 'leven';
import type * as Yaml from 'yaml';
import { type Setting, settings } from './settings.ts';

/** The value of a setting and its location. */
export interface SettingValue {
  readonly value: string | readonly string[];
  /** Location of the value, as the beginning of an error message. */
  readonly where: string;
}

/** Settings by the name of their environment variable. */
export type Layer = ReadonlyMap<string, SettingValue>;

/** The settings of a file. */
export interface ConfigFile {
  /** Settings at the top: of the relay, and defaults of all forms. */
  readonly top: Layer;
  /** Settings of each form, by its name; null if the file contains no forms. */
  readonly forms: ReadonlyMap<string, Layer> | null;
  /** Settings of each destination of webhooks, by its name; null if the file contains none. */
  readonly webhooks: ReadonlyMap<string, Layer> | null;
  /** Errors in the file; without its values. */
  readonly errors: readonly string[];
}

/** Sections of a file with settings by name: what a part of it is called, and what its name is for. */
const sections = {
  forms: { part: 'form', nameIs: 'the name of a form is part of its URL' },
  webhooks: { part: 'destination', nameIs: 'the name of a destination is shown to operators' },
} as const;

type SectionName = keyof typeof sections;

const nameFormat = /^[a-z0-9][a-z0-9-]{0,63}$/;

function belongsTo(section: SectionName, { ofForm, ofWebhook }: Setting): boolean {
  return section === 'forms' ? ofForm : ofWebhook;
}

/** The setting with this key: of the section, otherwise any. */
function settingOf(section: SectionName | null, key: string): Setting | undefined {
  const known = settings.filter((each) => keyIn(section, each.key) === key && each.name !== 'RELAY_CONFIG');
  return known.find((each) => section === null || belongsTo(section, each)) ?? known[0];
}

/** The key of a setting in a section, where the prefix of the section is left out. */
export function keyIn(section: SectionName | null, key: string): string {
  return section === 'webhooks' ? key.replace(/^webhook_/, '') : key;
}

/**
 * @param path - for error messages
 * @param yaml - the parser, which the caller loads only if there is a file
 */
export function readConfigFile(path: string, text: string, yaml: typeof Yaml): ConfigFile {
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const errors = document.errors.map(
    ({ pos: [at], code }) => `${path}, line ${lines.linePos(at).line}: this is not valid YAML (${code}).`,
  );
  const top = new Map<string, SettingValue>();
  if (errors.length > 0) return { top, forms: null, webhooks: null, errors };

  const line = (node: unknown): string => {
    const [at] = yaml.isScalar(node) || yaml.isCollection(node) ? (node.range ?? [0]) : [0];
    return `${path}, line ${lines.linePos(at).line}`;
  };
  const say = (node: unknown, text: string): void => void errors.push(`${line(node)}: ${text}`);

  function readLayer(map: Yaml.YAMLMap, into: Map<string, SettingValue>, prefix: string, section: SectionName | null) {
    for (const { key, value } of map.items) {
      const name = keyOf(key, yaml);
      if (section === null && Object.hasOwn(sections, name)) continue;
      const setting = settingOf(section, name);
      const given = setting && readValue(value, yaml);
      if (!setting) say(key, `there is no setting "${prefix}${name.slice(0, 60)}"${suggestion(name)}.`);
      else if (section !== null && !belongsTo(section, setting))
        say(
          key,
          setting.ofForm || setting.ofWebhook
            ? `"${name}" is not a setting of a ${sections[section].part}.`
            : `"${name}" is a setting of the whole relay: put it at the top of the file.`,
        );
      else if (given === null || given === undefined)
        say(key, `"${prefix}${name}" must be a text, a number, true, false, or a list of texts.`);
      else if (given !== '') into.set(setting.name, { value: given, where: `${line(key)}: "${prefix}${name}"` });
    }
  }

  function readSection(document: Yaml.YAMLMap, section: SectionName): ReadonlyMap<string, Layer> | null {
    if (!document.has(section)) return null;
    const layers = new Map<string, Layer>();
    const listed: unknown = document.get(section, true);
    const { part, nameIs } = sections[section];
    if (!yaml.isMap(listed) || listed.items.length === 0)
      say(listed, `"${section}" must contain at least one ${part}, by its name.`);
    else {
      for (const { key, value } of listed.items) {
        const name = keyOf(key, yaml);
        const layer = new Map<string, SettingValue>();
        if (!nameFormat.test(name)) {
          say(key, `${nameIs}: at most 64 lower-case letters, digits and hyphens.`);
          continue;
        }
        if (yaml.isMap(value)) readLayer(value, layer, `${section}.${name}.`, section);
        else if (!(yaml.isScalar(value) && value.value === null))
          say(value, `the ${part} "${name}" must contain settings.`);
        layers.set(name, layer);
      }
    }
    return layers;
  }

  if (!yaml.isMap(document.contents)) {
    if (document.contents !== null) say(document.contents, 'the file must contain settings, one "name: value" a line.');
    return { top, forms: null, webhooks: null, errors };
  }
  readLayer(document.contents, top, '', null);
  const forms = readSection(document.contents, 'forms');
  return { top, forms, webhooks: readSection(document.contents, 'webhooks'), errors };
}

function keyOf(key: unknown, yaml: typeof Yaml): string {
  return yaml.isScalar(key) ? String(key.value) : '';
}

/** A scalar as text, a list of scalars as texts; null for anything else. An empty value counts as absent. */
function readValue(value: unknown, yaml: typeof Yaml): string | readonly string[] | null {
  if (yaml.isSeq(value)) {
    const items = value.items.map((item) => readValue(item, yaml));
    return items.every((item) => typeof item === 'string') ? items : null;
  }
  if (!yaml.isScalar(value)) return null;
  const scalar: unknown = value.value;
  if (scalar === null) return '';
  return typeof scalar === 'string' || typeof scalar === 'number' || typeof scalar === 'boolean'
    ? String(scalar).trim()
    : null;
}

function suggestion(name: string): string {
  const meant = nearestName(
    name,
    settings.map(({ key }) => key),
    (each) =>
      each
        .toLowerCase()
        .replace(/^(relay|newsletter)_/, '')
        .replaceAll('-', '_'),
  );
  return meant === undefined ? '' : ` (is "${meant}" meant?)`;
}

/**
 * The name that differs in the fewest letters, at most half of them; otherwise one that contains the given name or is
 * contained in it. Undefined where none is close.
 *
 * @param bare - takes away what does not tell one name from another, such as a prefix
 */
export function nearestName(
  name: string,
  known: readonly string[],
  bare: (name: string) => string,
): string | undefined {
  const given = bare(name);
  if (given.length < 3) return undefined;
  const [closest] = known
    .map((each) => ({ each, distance: leven(given, bare(each)) }))
    .toSorted((a, b) => a.distance - b.distance);
  if (closest && closest.distance <= Math.max(1, Math.floor(given.length / 2))) return closest.each;
  return known.find((each) => bare(each).includes(given) || given.includes(bare(each)));
}
