/** Declares settings, alone and in groups, and reads their values from the environment and a file. */
import * as z from 'zod';

/** A section of the configuration file: each part of it has a name and settings of its own. */
export type Section = 'forms' | 'webhooks';

/** The value of a setting and its location. */
export interface SettingValue {
  readonly value: string | readonly string[];
  /** Location of the value, as the beginning of an error message. */
  readonly where: string;
}

/** Settings by the name of their environment variable. */
export type SettingValues = ReadonlyMap<string, SettingValue>;

/** All that is set for the relay, for a form or for a destination of webhooks. */
export interface Layer {
  readonly values: SettingValues;
  /** The section that contains this part; null for the environment and the top of a file. */
  readonly section: Section | null;
  /** Name of the part. */
  readonly name: string;
}

/** One setting of the relay. */
export interface Setting {
  /** The environment variable. */
  readonly name: string;
  /** The same in a file. */
  readonly key: string;
  readonly about: string;
  readonly default: string | null;
  readonly isRequired: boolean;
}

/** A setting, or a group of them. */
export interface Declared<Value> {
  readonly settings: readonly Setting[];
  /** Adds what is wrong to the problems, without the value of a secret. @returns null where a value is wrong */
  read(layer: Layer, problems: string[]): { readonly value: Value } | null;
}

/** What is read for a setting or a group. */
export type ValueOf<Item> = Item extends Declared<infer Value> ? Value : never;

type Members = Readonly<Record<string, Declared<unknown>>>;

type IsOptional<Item> = undefined extends ValueOf<Item> ? true : false;

/** The values of a group; a member that may be undefined is left out where it is not set. */
type ValuesOf<Group extends Members> = {
  readonly [Name in keyof Group as IsOptional<Group[Name]> extends false ? Name : never]: ValueOf<Group[Name]>;
} & {
  readonly [Name in keyof Group as IsOptional<Group[Name]> extends true ? Name : never]?: ValueOf<Group[Name]>;
};

/**
 * Declares a setting.
 *
 * @param schema - its check, with its default as the last step (`prefault`); without a default and not `optional`, the
 *   setting is required
 * @param about - what it is for, for the reference; without a full stop
 */
export function setting<Value>(name: string, schema: z.ZodType<Value>, about: string): Declared<Value> {
  const self: Setting = {
    name,
    key: name.replace(/^(RELAY|NEWSLETTER)_/, '').toLowerCase(),
    about,
    default: schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) || null : null,
    isRequired: !schema.safeParse(undefined).success,
  };
  return {
    settings: [self],
    read(layer, problems) {
      const value = layer.values.get(name)?.value;
      const { success, data, error } = schema.safeParse(value);
      if (success) return { value: data };
      for (const { message, code } of error.issues) {
        const isList = code === 'invalid_type' && Array.isArray(value);
        problems.push(`${whereIn(layer, self)} ${isList ? 'must be one value, not a list' : message}.`);
      }
      return null;
    },
  };
}

/** Declares settings that become one object. */
export function group<Group extends Members>(members: Group): Declared<ValuesOf<Group>> & { readonly members: Group } {
  return {
    members,
    settings: Object.values(members).flatMap(({ settings }) => settings),
    read(layer, problems) {
      const read = Object.entries(members).map(([name, member]) => [name, member.read(layer, problems)] as const);
      if (read.some(([, result]) => result === null)) return null;
      const set = read.flatMap(([name, result]) => (result?.value === undefined ? [] : [[name, result.value]]));
      return { value: Object.fromEntries(set) as ValuesOf<Group> };
    },
  };
}

/**
 * Declares settings that become one object, or null: those that are required need each other.
 *
 * @param isOn - the setting that asks for the group; default: any setting of the group does
 */
export function optionalGroup<Group extends Members>(
  members: Group,
  isOn?: Declared<boolean>,
): Declared<ValuesOf<Group> | null> {
  const { settings } = group(members);
  return {
    settings: [...(isOn?.settings ?? []), ...settings.map((each) => ({ ...each, isRequired: false }))],
    read(layer, problems) {
      const isSet = ({ name }: Setting): boolean => layer.values.has(name);
      const isMissing = (each: Setting): boolean => each.isRequired && !isSet(each);
      const switched = isOn?.read(layer, problems);
      const [asking] = isOn ? (switched?.value ? isOn.settings : []) : settings.filter(isSet);
      const missing = settings.filter(isMissing);
      if (asking)
        for (const each of missing) problems.push(`${whereIn(layer, asking)} needs ${nameIn(layer, each)} beside it.`);
      const readable = Object.entries(members).filter(([, member]) => !member.settings.some(isMissing));
      const read = group(Object.fromEntries(readable)).read(layer, problems);
      if (read === null || switched === null) return null;
      return { value: asking && missing.length === 0 ? (read.value as ValuesOf<Group>) : null };
    },
  };
}

/** The name of a setting as its user writes it: in the file, or in the environment. */
function nameIn({ section, name }: Layer, setting: Setting): string {
  return section === null ? setting.name : `${section}.${name}: ${keyIn(section, setting.key)}`;
}

/** The location of a setting; of one that is not set, its name. */
function whereIn(layer: Layer, setting: Setting): string {
  return layer.values.get(setting.name)?.where ?? nameIn(layer, setting);
}

/** The key of a setting in a section, where the prefix of the section is left out. */
export function keyIn(section: Section | null, key: string): string {
  return section === 'webhooks' ? key.replace(/^webhook_/, '') : key;
}
