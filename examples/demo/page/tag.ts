/** The tag of a setup: only the attributes that differ from their defaults. */
import { exampleEndpoint, isPlain, withForm } from './fallback.ts';
import { isStyleValue, type Tag } from './markup.ts';
import type { Options } from './options.ts';
import type { Field, Setup } from './setup.ts';

/** The tag without a form. */
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
  return {
    name: 'newsletter-signup',
    attributes,
    styles,
    properties,
    children: [...slotted, ...fields.map((field) => fieldTag(field, fieldOptions))],
  };
}

/** The tag of a setup with the form in it, as it is copied. */
export function tagWithForm(setup: Setup, options: Options): Tag {
  const tag = tagOf(setup, options);
  return withForm(tag, options.texts[setup.language] ?? {}, setup.mode === 'enhance' || isPlain(tag, setup.theme));
}

/** The element in each slot; any other slot gets a paragraph. */
const slotTags: Readonly<Partial<Record<string, string>>> = { head: 'h2', trigger: 'button' };

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
