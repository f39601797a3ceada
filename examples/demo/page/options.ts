/** The options of the tag, read from its manifest, so that the playground has a control for each of them. */

import type { Texts } from './fallback.ts';

/** The part of `custom-elements.json` that is used. */
export interface Manifest {
  readonly modules: readonly { readonly declarations?: readonly Declaration[] }[];
}

interface Declaration {
  readonly tagName?: string;
  readonly attributes?: readonly Described[];
  readonly members?: readonly (Described & {
    readonly kind: string;
    readonly attribute?: string;
    readonly readonly?: boolean;
  })[];
  readonly cssProperties?: readonly Described[];
  readonly slots?: readonly Described[];
  readonly events?: readonly Described[];
}

interface Described {
  readonly name: string;
  readonly description?: string;
  readonly default?: string;
  readonly type?: { readonly text: string };
  /** The property that an attribute sets. */
  readonly fieldName?: string;
}

/** How a value is entered. */
export type Control =
  | { readonly kind: 'text' | 'switch' | 'number' | 'colour' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] };

/** What an option is in the markup; decides its group in the playground. */
export type OptionKind = 'look' | 'attribute' | 'attribution' | 'text' | 'message' | 'style' | 'slot';

export interface Option {
  /** Kind and name: `look.layout`, `attribute.endpoint`, `text.text-button`, `message.busy`, `slot.head`. */
  readonly key: string;
  readonly kind: OptionKind;
  /** Its name in the markup. */
  readonly name: string;
  readonly description: string;
  /** The default; empty if there is none. */
  readonly initial: string;
  readonly control: Control;
}

/** An option of a custom field. */
export type FieldOption = Omit<Option, 'kind'>;

export interface Options {
  readonly options: readonly Option[];
  readonly fieldOptions: readonly FieldOption[];
  /** Names of the tag's events. */
  readonly events: readonly string[];
  /** Language tags: English, and those that have a file. */
  readonly languages: readonly string[];
  /** Names of the package's style sheets. */
  readonly themes: readonly string[];
  /** The texts of a form that works without the script, by language. */
  readonly texts: Readonly<Record<string, Texts>>;
}

/** Its content is the form that the playground writes. */
const writtenSlot = 'fallback';

/** Attributes that set the visitor's attribution. */
const attribution = /^(utm-|referral-|referring-)/;
/** Attributes that change the appearance. */
const looks = ['layout'];

/**
 * @param english - all English texts by their names in `messages`
 * @param files - the languages and themes that have a file, and the texts of the languages
 * @throws Error if the manifest does not contain the elements
 */
export function readOptions(
  manifest: Manifest,
  english: Texts,
  files: Pick<Options, 'languages' | 'themes' | 'texts'>,
): Options {
  const form = declared(manifest, 'newsletter-signup');
  const field = declared(manifest, 'newsletter-field');
  // Attributes that are also properties are used by most pages; they come first.
  const attributes = (form.attributes ?? []).toSorted(
    (one, other) => Number(!one.fieldName) - Number(!other.fieldName),
  );
  const textNames = attributes.map(({ name }) => name).filter((name) => name.startsWith('text-'));
  return {
    options: [
      ...attributes.flatMap((attribute) =>
        textNames.includes(attribute.name) ? [] : [option(attributeKind(attribute.name), attribute)],
      ),
      ...Object.entries(english).map(([key, text]) => {
        const name = `text-${kebab(key)}`;
        return textNames.includes(name)
          ? option('text', { name, default: text })
          : option('message', { name: key, default: text });
      }),
      ...(form.cssProperties ?? []).map((property) => option('style', property)),
      ...(form.slots ?? []).filter(({ name }) => !['', writtenSlot].includes(name)).map((slot) => option('slot', slot)),
    ],
    fieldOptions: (field.attributes ?? [])
      .map((attribute) => option('attribute', attribute))
      .sort((one, other) => Number(!isEssential(one)) - Number(!isEssential(other))),
    events: (form.events ?? []).map(({ name }) => name),
    ...files,
  };
}

function attributeKind(name: string): OptionKind {
  if (looks.includes(name)) return 'look';
  return attribution.test(name) ? 'attribution' : 'attribute';
}

/** Whether nearly every field sets this attribute; the others are below “More”. */
export function isEssential({ name }: Pick<FieldOption, 'name'>): boolean {
  return /^(name|kind|label|required|options)$/.test(name);
}

/** Names of the manifest that are not among the options. `messages` counts: each of its texts is an option. */
export function missingOptions(manifest: Manifest, { options, events }: Options): readonly string[] {
  const form = declared(manifest, 'newsletter-signup');
  const there = new Set([...options.map(({ name }) => name), ...events, 'messages', writtenSlot]);
  const settable = (form.members ?? [])
    .filter((member) => member.kind === 'field' && !member.readonly)
    .map(({ attribute, name }) => attribute ?? name);
  const named = [form.attributes, form.cssProperties, form.slots, form.events].flatMap((list) =>
    (list ?? []).map(({ name }) => name),
  );
  return [...named, ...settable].filter((name) => name !== '' && !there.has(name));
}

function declared({ modules }: Manifest, tagName: string): Declaration {
  const found = modules
    .flatMap(({ declarations = [] }) => declarations)
    .find((declaration) => declaration.tagName === tagName);
  if (!found) throw new Error(`custom-elements.json does not contain <${tagName}>. Build the widget again.`);
  return found;
}

function option(kind: OptionKind, { name, description = '', default: initial = '', type }: Described): Option {
  return {
    key: `${kind}.${name}`,
    kind,
    name,
    description,
    initial: initial === '{}' || initial === 'false' ? '' : initial.replace(/^'(.*)'$/, '$1'),
    control: kind === 'style' ? styleControl(description) : controlFor(type?.text ?? ''),
  };
}

function controlFor(type: string): Control {
  const parts = type.split('|').map((part) => part.trim());
  const choices = parts.flatMap((part) => /^'(.*)'$/.exec(part)?.[1] ?? []).filter(Boolean);
  if (choices.length > 0) return { kind: 'choice', choices };
  if (parts.includes('boolean')) return { kind: 'switch' };
  return { kind: parts.includes('number') ? 'number' : 'text' };
}

/** Custom properties have no type in the manifest: their description says whether the value is a colour. */
function styleControl(description: string): Control {
  return { kind: /^(colour|background|text )/i.test(description) ? 'colour' : 'text' };
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
