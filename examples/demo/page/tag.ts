/** The tag of a setup: only the attributes that differ from their defaults. */
import { isStyleValue, type Tag } from './markup.ts';
import type { Options } from './options.ts';
import type { Field, Setup } from './setup.ts';

/** The endpoint in the snippets until one is entered. */
export const exampleEndpoint = 'https://relay.example/signup';

export function tagOf(setup: Setup, { options, fieldOptions }: Options): Tag {
  const attributes: Record<string, string | true> = {};
  const styles: Record<string, string> = {};
  const messages: Record<string, string> = {};
  const slotted: Tag[] = [];
  for (const { key, kind, name, control } of options) {
    const value = setup.values[key] ?? (name === 'endpoint' ? exampleEndpoint : undefined);
    if (value === undefined) continue;
    if (kind === 'style') {
      if (isStyleValue(value)) styles[name] = value;
    } else if (kind === 'slot') slotted.push(slottedTag(name, value));
    else if (kind === 'message') messages[name] = value;
    else attributes[name] = control.kind === 'switch' ? true : value;
  }
  if (setup.language !== 'en') attributes['lang'] = setup.language;
  if (setup.direction === 'rtl') attributes['dir'] = 'rtl';
  const properties = Object.keys(messages).length > 0 ? { messages } : {};
  const fields = setup.fields.filter(({ name, kind }) => name || kind === 'consent');
  if (setup.mode === 'own')
    return {
      name: 'newsletter-signup',
      attributes,
      styles,
      properties,
      children: [...slotted, ...fields.map((field) => fieldTag(field, fieldOptions))],
    };

  // The tag uses the `action` of the form inside it.
  const { endpoint = exampleEndpoint, ...rest } = attributes;
  return {
    name: 'newsletter-signup',
    attributes: rest,
    styles,
    properties,
    children: [...slotted, plainForm(String(endpoint), fields)],
  };
}

/** The element in each slot; any other slot gets a paragraph. */
const slotTags: Readonly<Record<string, string>> = { head: 'h2', trigger: 'button' };

function slottedTag(slot: string, value: string): Tag {
  if (slot === 'picture') return { name: 'img', attributes: { slot, src: value, alt: '' }, children: [] };
  return { name: slotTags[slot] ?? 'p', attributes: { slot }, children: [value] };
}

function fieldTag(field: Field, fieldOptions: Options['fieldOptions']): Tag {
  const attributes: Record<string, string | true> = {};
  for (const { name, initial, control } of fieldOptions) {
    const value = field[name];
    if (control.kind === 'switch') {
      if (value !== undefined) attributes[name] = true;
    } else if (value && value !== initial) attributes[name] = value;
  }
  // `string` is the default kind.
  if (attributes['kind'] === 'string') delete attributes['kind'];
  return { name: 'newsletter-field', attributes, children: [] };
}

/** A form in the page's HTML, which works without JavaScript: its controls have the names that the endpoint expects. */
function plainForm(action: string, fields: readonly Field[]): Tag {
  return {
    name: 'form',
    attributes: { action, method: 'post' },
    children: [
      labelled('Email address', control('email', 'email', { required: true, autocomplete: 'email' })),
      ...fields.flatMap(plainField),
      { name: 'button', attributes: {}, children: ['Subscribe'] },
    ],
  };
}

/** The control of each kind that has one control. `data-kind` names a kind that the control's type does not imply. */
const plainControls: Readonly<
  Record<string, { readonly type: string; readonly attributes?: Tag['attributes'] } | null>
> = {
  // The address of a setup can contain any kind, `toString` too.
  __proto__: null,
  integer: { type: 'text', attributes: { inputmode: 'numeric', 'data-kind': 'integer' } },
  double: { type: 'text', attributes: { inputmode: 'decimal', 'data-kind': 'double' } },
  boolean: { type: 'checkbox', attributes: { value: 'true' } },
  consent: { type: 'checkbox' },
  list: { type: 'text', attributes: { 'data-kind': 'list' } },
  date: { type: 'date' },
  datetime: { type: 'datetime-local', attributes: { 'data-kind': 'datetime' } },
};

function plainField({
  name = '',
  kind = 'string',
  label = name,
  options = '',
  placeholder,
  required,
  value,
  autocomplete,
  hidden,
}: Field): Tag[] {
  const posted = kind === 'consent' ? kind : `custom_fields[${name}]`;
  const { type, attributes } = plainControls[kind] ?? { type: 'text' };
  const common = {
    ...attributes,
    ...(placeholder && { placeholder }),
    ...(autocomplete && { autocomplete }),
    ...(value && { value }),
  };
  if (hidden) return [control('hidden', posted, common)];
  const choices = options
    .split(options.includes('|') ? '|' : ',')
    .map((choice) => choice.trim())
    .filter(Boolean);
  const text = label.trim() || name;
  const needed = required === undefined ? {} : { required: true as const };
  if (choices.length > 0 && (kind === 'list' || kind === 'string')) {
    const [box, as] = kind === 'list' ? (['checkbox', `${posted}[]`] as const) : (['radio', posted] as const);
    const each = choices.map((choice) =>
      labelled(choice, control(box, as, { value: choice, ...(box === 'radio' && needed) }), 'after'),
    );
    return [
      { name: 'fieldset', attributes: {}, children: [{ name: 'legend', attributes: {}, children: [text] }, ...each] },
    ];
  }
  return [labelled(text, control(type, posted, { ...common, ...needed }), type === 'checkbox' ? 'after' : 'before')];
}

function control(type: string, name: string, attributes: Tag['attributes']): Tag {
  return { name: 'input', attributes: { ...(type !== 'text' && { type }), name, ...attributes }, children: [] };
}

function labelled(text: string, input: Tag, place: 'before' | 'after' = 'before'): Tag {
  return { name: 'label', attributes: {}, children: place === 'before' ? [text, input] : [input, text] };
}
