/** The setup of the playground: everything that is chosen, and its form as the query of an address. */
import type { Options } from './options.ts';
import { isState, type StateName } from './states.ts';

/** The kinds of websites. */
export const platforms = {
  html: 'HTML',
  wordpress: 'WordPress',
  webflow: 'Webflow',
  squarespace: 'Squarespace',
  wix: 'Wix',
  shopify: 'Shopify',
  framer: 'Framer',
  ghost: 'Ghost',
  carrd: 'Carrd',
  hugo: 'Hugo',
  jekyll: 'Jekyll',
  eleventy: 'Eleventy',
  astro: 'Astro',
  next: 'Next.js',
  nuxt: 'Nuxt',
  sveltekit: 'SvelteKit',
  docusaurus: 'Docusaurus',
  gtm: 'Google Tag Manager',
  react: 'React',
  vue: 'Vue',
  svelte: 'Svelte',
} as const;

export type Platform = keyof typeof platforms;

export function isPlatform(name: string): name is Platform {
  return Object.hasOwn(platforms, name);
}

export const modes = ['own', 'enhance'] as const;
export const schemes = ['light', 'dark'] as const;
export const directions = ['ltr', 'rtl'] as const;
export const widths = ['320', '480', '768', 'all'] as const;

/** A custom field: the attributes of its `<newsletter-field>` by name, none of them empty. */
export type Field = Readonly<Record<string, string>>;

export interface Setup {
  /** Values that differ from the option's default, by its key. */
  readonly values: Readonly<Record<string, string>>;
  readonly fields: readonly Field[];
  readonly mode: (typeof modes)[number];
  readonly language: string;
  /** Name of a theme; empty for none. */
  readonly theme: string;
  readonly direction: (typeof directions)[number];
  readonly scheme: (typeof schemes)[number];
  readonly width: (typeof widths)[number];
  readonly state: StateName;
  readonly platform: Platform;
}

/** The most fields of a form. */
const fieldLimit = 20;
/** The most characters of a value: mail programs and chats cut very long addresses. */
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

/** The query of the address; empty for the initial setup. */
export function writeSetup(setup: Setup): string {
  const query = new URLSearchParams();
  for (const name of ['mode', 'language', 'theme', 'direction', 'scheme', 'width', 'state', 'platform'] as const) {
    if (setup[name] !== initialSetup[name]) query.set(name, setup[name]);
  }
  for (const [key, value] of Object.entries(setup.values)) query.set(key, value);
  for (const field of setup.fields) query.append('field', new URLSearchParams(field).toString());
  return query.toString();
}

/** Reads the query of any address: unknown and invalid parts get their initial value. */
export function readSetup(search: string, { options, fieldOptions, languages, themes }: Options): Setup {
  const query = new URLSearchParams(search);
  const oneOf = <Value extends string>(name: string, known: readonly Value[], initial: Value): Value =>
    known.find((value) => value === query.get(name)) ?? initial;
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
        const parameters = new URLSearchParams(text);
        return Object.fromEntries(
          fieldOptions.flatMap(({ name }) =>
            parameters.get(name) ? [[name, (parameters.get(name) ?? '').slice(0, valueLimit)]] : [],
          ),
        );
      }),
    mode: oneOf('mode', modes, initialSetup.mode),
    language: oneOf('language', languages, initialSetup.language),
    theme: oneOf('theme', themes, initialSetup.theme),
    direction: oneOf('direction', directions, initialSetup.direction),
    scheme: oneOf('scheme', schemes, initialSetup.scheme),
    width: oneOf('width', widths, initialSetup.width),
    state: isState(state) ? state : initialSetup.state,
    platform: isPlatform(platform) ? platform : initialSetup.platform,
  };
}

/** Whether a value is set and differs from the default. */
export function isChosen(value: string, initial: string): boolean {
  return value !== '' && value !== initial;
}

/** The setup with another value of one option. */
export function withValue(setup: Setup, key: string, value: string, initial: string): Setup {
  const { [key]: _, ...rest } = setup.values;
  return { ...setup, values: isChosen(value, initial) ? { ...rest, [key]: value } : rest };
}

export function canAddField({ fields }: Setup): boolean {
  return fields.length < fieldLimit;
}

/** The fields with the one at index `from` moved to index `to`; unchanged if there is no such index. */
export function moveField(fields: readonly Field[], from: number, to: number): readonly Field[] {
  const field = fields[from];
  if (!field || to < 0 || to >= fields.length) return fields;
  return fields.toSpliced(from, 1).toSpliced(to, 0, field);
}
