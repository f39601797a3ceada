/**
 * The options of the tag, which the server reads from `custom-elements.json`, and what is chosen of them.
 */
import type { Texts } from './fallback.ts';

/** How a value is entered. */
export type Control =
  | { readonly kind: 'text' | 'switch' | 'number' | 'colour' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] };

export interface Option {
  /** The name of its control: `attribute.layout`, `style.--newsletter-gap`, `slot.head`, `message.busy`. */
  readonly key: string;
  /** What it is in the markup. */
  readonly kind: 'attribute' | 'style' | 'slot' | 'message';
  /** Its name in the markup. */
  readonly name: string;
  readonly description: string;
  /** The default; empty if there is none. */
  readonly initial: string;
  readonly control: Control;
}

/** Options under one heading of the panel. */
export interface OptionGroup {
  readonly title: string;
  readonly about: string;
  readonly options: readonly Option[];
}

export interface Options {
  readonly groups: readonly OptionGroup[];
  /** The attributes of `<newsletter-field>`. */
  readonly fieldOptions: readonly Option[];
  /** Names of the tag's events. */
  readonly events: readonly string[];
  /** Language tags: English, and those that have a file. */
  readonly languages: readonly string[];
  /** Names of the package's style sheets. */
  readonly themes: readonly string[];
  /** The texts of a form that works without the script, by language. */
  readonly texts: Readonly<Record<string, Texts>>;
}

/** A custom field: the attributes of its `<newsletter-field>` by name, none of them empty. */
export type Field = Readonly<Record<string, string>>;

export const directions = ['ltr', 'rtl'] as const;

/** What is chosen for a tag. */
export interface TagSetup {
  /** Values that differ from the option's default, by its key. */
  readonly values: Readonly<Record<string, string>>;
  readonly fields: readonly Field[];
  /** `enhance`: the script enhances the page's own form. */
  readonly mode: 'own' | 'enhance';
  readonly language: string;
  /** Name of a theme; empty for none. */
  readonly theme: string;
  readonly direction: (typeof directions)[number];
}

/** The key of the endpoint. */
export const endpointKey = 'attribute.endpoint';

/** All options of `<newsletter-signup>`. */
export const optionsIn = ({ groups }: Options): readonly Option[] => groups.flatMap(({ options }) => options);
