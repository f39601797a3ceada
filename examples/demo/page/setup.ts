/** The setup of the playground: all that is chosen. The form of the page and the query of its address name it. */
import { directions, optionsIn, type Field, type Option, type Options, type TagSetup } from './options.ts';
import { platforms, type Platform } from './places.ts';
import { stateNames, type StateName } from './states.ts';

/** `auto` is the scheme of the page around the preview. */
export const schemes = ['auto', 'light', 'dark'] as const;
/** The value of the property `color-scheme`. */
export const colorScheme = (scheme: Setup['scheme']): string => (scheme === 'auto' ? 'light dark' : scheme);
/** Widths of the preview in pixels. */
export const widths = ['320', '480', '768'] as const;

/** The tag, and how it is shown. */
export interface Setup extends TagSetup {
  readonly scheme: (typeof schemes)[number];
  readonly width: (typeof widths)[number];
  readonly state: StateName;
  readonly platform: Platform;
}

/** The most fields of a form. */
export const fieldLimit = 20;
/** The most characters of a value: mail programs and chats cut very long addresses. */
export const valueLimit = 500;

export const initialSetup: Setup = {
  values: {},
  fields: [],
  mode: 'own',
  language: 'en',
  theme: '',
  direction: 'ltr',
  scheme: 'auto',
  width: '480',
  state: 'idle',
  platform: 'html',
};

/** Begins the names of the controls of a field. */
export const fieldPrefix = (at: number): string => `field.${at}.`;

/** The query of the address; empty for the initial setup. */
export function writeSetup({ values, fields, ...words }: Setup): string {
  const initial = new Map<string, unknown>(Object.entries(initialSetup));
  return new URLSearchParams([
    ...Object.entries(words).filter(([name, word]) => word !== initial.get(name)),
    ...Object.entries(values),
    // A field has its name even where that is empty: it says that the field is there.
    ...fields.flatMap((field, at) =>
      Object.entries({ name: '', ...field }).map(([name, value]) => [`${fieldPrefix(at)}${name}`, value]),
    ),
  ]).toString();
}

/** Reads the data of the form, or the query of any address: unknown and invalid parts get their initial value. */
export function readSetup(query: URLSearchParams, options: Options): Setup {
  const oneOf = <Word extends string>(name: string, known: readonly Word[], initial: Word): Word =>
    known.find((word) => word === query.get(name)) ?? initial;
  const fields: Field[] = [];
  while (fields.length < fieldLimit && query.has(`${fieldPrefix(fields.length)}name`))
    fields.push(readValues(query, options.fieldOptions, fieldPrefix(fields.length)));
  return {
    values: readValues(query, optionsIn(options)),
    fields,
    mode: oneOf('mode', ['enhance'], initialSetup.mode),
    language: oneOf('language', options.languages, initialSetup.language),
    theme: oneOf('theme', options.themes, initialSetup.theme),
    direction: oneOf('direction', directions, initialSetup.direction),
    scheme: oneOf('scheme', schemes, initialSetup.scheme),
    width: oneOf('width', widths, initialSetup.width),
    state: oneOf('state', stateNames, initialSetup.state),
    platform: oneOf('platform', platforms, initialSetup.platform),
  };
}

function readValues(query: URLSearchParams, options: readonly Option[], prefix = ''): Field {
  return Object.fromEntries(
    options.flatMap(({ key, initial }) => {
      const value = query.get(prefix + key)?.slice(0, valueLimit);
      return value && value !== initial ? [[key, value]] : [];
    }),
  );
}
