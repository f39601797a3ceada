/**
 * What somebody has chosen in the playground, and its form as an address: shareable, and the Back button goes through
 * it.
 */
import type { Options } from './options.ts';
import { isPlatform, type Platform } from './platforms.ts';
import { isState, type StateName } from './states.ts';

export const modes = ['own', 'enhance'] as const;
export const schemes = ['light', 'dark'] as const;
export const directions = ['ltr', 'rtl'] as const;
export const widths = ['320', '480', '768', 'all'] as const;

/** A custom field: the attributes of its `<newsletter-field>` by name, none of them empty. */
export type Field = Readonly<Record<string, string>>;

export interface Setup {
  /** Values that differ from what holds without them, by key of the option. */
  readonly values: Readonly<Record<string, string>>;
  readonly fields: readonly Field[];
  readonly mode: (typeof modes)[number];
  readonly language: string;
  /** Name of a theme, or nothing. */
  readonly theme: string;
  readonly direction: (typeof directions)[number];
  readonly scheme: (typeof schemes)[number];
  readonly width: (typeof widths)[number];
  readonly state: StateName;
  readonly platform: Platform;
}

/** Fields one form may have in the playground. */
const fieldLimit = 20;
/** Characters of one value; an address much longer is cut by what passes it on. */
const valueLimit = 500;

export const initialSetup: Setup = {
  values: {},
  fields: [],
  mode: 'own',
  language: 'en',
  theme: '',
  direction: 'ltr',
  scheme: 'light',
  width: '480',
  state: 'idle',
  platform: 'html',
};

/** The query of the address; empty where everything is as at the start. */
export function writeSetup(setup: Setup): string {
  const query = new URLSearchParams();
  for (const name of ['mode', 'language', 'theme', 'direction', 'scheme', 'width', 'state', 'platform'] as const) {
    if (setup[name] !== initialSetup[name]) query.set(name, setup[name]);
  }
  for (const [key, value] of Object.entries(setup.values)) query.set(key, value);
  for (const field of setup.fields) query.append('field', new URLSearchParams(field).toString());
  return query.toString();
}

/** Reads an address that anybody may have written: what is unknown or out of bounds falls back to the start. */
export function readSetup(search: string, { options, fieldOptions, languages, themes }: Options): Setup {
  const query = new URLSearchParams(search);
  const among = <Value extends string>(name: string, known: readonly Value[], usual: Value): Value =>
    known.find((value) => value === query.get(name)) ?? usual;
  const state = query.get('state') ?? '';
  const platform = query.get('platform') ?? '';
  const values: Record<string, string> = {};
  for (const option of options) {
    const value = query.get(option.key);
    if (value !== null && isChosen(value, option.initial)) values[option.key] = value.slice(0, valueLimit);
  }
  return {
    values,
    fields: query
      .getAll('field')
      .slice(0, fieldLimit)
      .map((text) => {
        const given = new URLSearchParams(text);
        return Object.fromEntries(
          fieldOptions.flatMap(({ name }) =>
            given.get(name) ? [[name, (given.get(name) ?? '').slice(0, valueLimit)]] : [],
          ),
        );
      }),
    mode: among('mode', modes, initialSetup.mode),
    language: among('language', languages, initialSetup.language),
    theme: among('theme', themes, initialSetup.theme),
    direction: among('direction', directions, initialSetup.direction),
    scheme: among('scheme', schemes, initialSetup.scheme),
    width: among('width', widths, initialSetup.width),
    state: isState(state) ? state : initialSetup.state,
    platform: isPlatform(platform) ? platform : initialSetup.platform,
  };
}

/** True where a value says something else than what holds without it. */
export function isChosen(value: string, initial: string): boolean {
  return value !== '' && value !== initial;
}

/** Another value for one option. */
export function withValue(setup: Setup, key: string, value: string, initial: string): Setup {
  const { [key]: _, ...rest } = setup.values;
  return { ...setup, values: isChosen(value, initial) ? { ...rest, [key]: value } : rest };
}

export function canAddField({ fields }: Setup): boolean {
  return fields.length < fieldLimit;
}

/** The fields with the one at `from` moved to the place `to`; unchanged where there is no such place. */
export function moveField(fields: readonly Field[], from: number, to: number): readonly Field[] {
  const field = fields[from];
  if (!field || to < 0 || to >= fields.length) return fields;
  return fields.toSpliced(from, 1).toSpliced(to, 0, field);
}
