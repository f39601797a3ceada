/**
 * What there is to choose on the tag, read from its manifest: an option that the manifest knows cannot be missing here.
 */

/** The part of `custom-elements.json` that is read. */
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
  /** Of an attribute: the property it sets. */
  readonly fieldName?: string;
}

/** How a value is entered. */
export type Control =
  | { readonly kind: 'text' | 'switch' | 'number' | 'colour' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] };

/** Where an option stands in the markup, and under which heading in the playground. */
export type OptionKind = 'look' | 'attribute' | 'attribution' | 'text' | 'message' | 'style' | 'slot';

export interface Option {
  /** Kind and name: `look.layout`, `attribute.endpoint`, `text.text-button`, `message.busy`, `slot.head`. */
  readonly key: string;
  readonly kind: OptionKind;
  /** As it is written in the markup. */
  readonly name: string;
  readonly description: string;
  /** What holds where nothing is written; empty where nothing does. */
  readonly initial: string;
  readonly control: Control;
}

/** One option of a field the visitor builds. */
export type FieldOption = Omit<Option, 'kind'>;

export interface Options {
  readonly options: readonly Option[];
  readonly fieldOptions: readonly FieldOption[];
  /** Names of the events the tag fires. */
  readonly events: readonly string[];
  /** Language tags there are files for, and English. */
  readonly languages: readonly string[];
  /** Names of style sheets that come with the tag. */
  readonly themes: readonly string[];
}

/** Attributes by which a page says where the visitor came from. */
const attribution = /^(utm-|referr)/;
/** Attributes that decide how the form looks. */
const looks = ['layout'];

/**
 * @param texts - the English texts by their names in `messages`
 * @param files - the languages and themes that have a file
 * @throws Error where the manifest does not know the elements
 */
export function readOptions(
  manifest: Manifest,
  texts: Readonly<Record<string, string>>,
  files: Pick<Options, 'languages' | 'themes'>,
): Options {
  const form = declared(manifest, 'newsletter-signup');
  const field = declared(manifest, 'newsletter-field');
  // Those that are properties too are what most pages set; they come first.
  const attributes = (form.attributes ?? []).toSorted(
    (one, other) => Number(!one.fieldName) - Number(!other.fieldName),
  );
  const textNames = attributes.map(({ name }) => name).filter((name) => name.startsWith('text-'));
  return {
    options: [
      ...attributes.flatMap((attribute) =>
        textNames.includes(attribute.name) ? [] : [option(attributeKind(attribute.name), attribute)],
      ),
      ...Object.entries(texts).map(([key, text]) => {
        const name = `text-${kebab(key)}`;
        return textNames.includes(name)
          ? option('text', { name, default: text })
          : option('message', { name: key, default: text });
      }),
      ...(form.cssProperties ?? []).map((property) => option('style', property)),
      ...(form.slots ?? []).filter(({ name }) => name !== '').map((slot) => option('slot', slot)),
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

/** What is asked of nearly every field; the rest is there for who looks for it. */
export function isEssential({ name }: Pick<FieldOption, 'name'>): boolean {
  return /^(name|kind|label|required|options)$/.test(name);
}

/**
 * Everything a page can set on the tag that {@link readOptions} has no control for: a test holds this empty.
 * `messages` is there as its single texts.
 */
export function missingOptions(manifest: Manifest, { options, events }: Options): readonly string[] {
  const form = declared(manifest, 'newsletter-signup');
  const there = new Set([...options.map(({ name }) => name), ...events, 'messages']);
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
  if (!found) throw new Error(`custom-elements.json does not know <${tagName}>. Build the widget again.`);
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

/** The manifest gives custom properties no type; what they are for says whether a colour picker helps. */
function styleControl(description: string): Control {
  return { kind: /^(colour|background|text )/i.test(description) ? 'colour' : 'text' };
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
