/** The tag of a setup. */
import { readEndpoint } from './endpoint.ts';
import { withForm } from './fallback.ts';
import { isStyleValue, type Tag } from './markup.ts';
import { endpointKey, optionsIn, type Option, type Options, type TagSetup } from './options.ts';

/** The tag without a form. */
export function tagOf(setup: TagSetup, options: Options): Tag {
  const { address } = readEndpoint(setup.values[endpointKey]);
  const values = { ...setup.values, [endpointKey]: address };
  const all = optionsIn(options);
  const messages = chosen(all, 'message', values);
  const fields = setup.fields.map((field) => attributesOf(options.fieldOptions, field));
  return {
    name: 'newsletter-signup',
    attributes: {
      ...attributesOf(all, values),
      ...(setup.language !== 'en' && { lang: setup.language }),
      ...(setup.direction === 'rtl' && { dir: 'rtl' }),
    },
    styles: Object.fromEntries(chosen(all, 'style', values).filter(([, value]) => isStyleValue(value))),
    properties: messages.length > 0 ? { messages: Object.fromEntries(messages) } : {},
    children: [
      ...chosen(all, 'slot', values).map(([slot, value]) => slottedTag(slot, value)),
      ...fields
        .filter(({ name, kind }) => name || kind === 'consent')
        .map((attributes) => ({ name: 'newsletter-field', attributes, children: [] })),
    ],
  };
}

/** The tag of a setup with the form in it, as it is copied. */
export function tagWithForm(setup: TagSetup, options: Options): Tag {
  return withForm(tagOf(setup, options), options.texts[setup.language] ?? {}, setup.mode === 'enhance');
}

type Values = Readonly<Record<string, string>>;

/** Names and values of the options of a kind that have a value. */
const chosen = (options: readonly Option[], kind: Option['kind'], values: Values): [name: string, value: string][] =>
  options.flatMap(({ key, kind: own, name }) => {
    const value = values[key];
    return own === kind && value ? [[name, value]] : [];
  });

/** The attributes that have a value. A switch has none in the markup. */
function attributesOf(options: readonly Option[], values: Values): Tag['attributes'] {
  const switches = new Set(options.filter(({ control }) => control.kind === 'switch').map(({ name }) => name));
  return Object.fromEntries(
    chosen(options, 'attribute', values).map(([name, value]) => [name, switches.has(name) || value]),
  );
}

/** The element in each slot; any other slot gets a paragraph. */
const slotTags: Readonly<Partial<Record<string, string>>> = { head: 'h2', trigger: 'button' };

function slottedTag(slot: string, value: string): Tag {
  if (slot === 'picture') return { name: 'img', attributes: { slot, src: value, alt: '' }, children: [] };
  return { name: slotTags[slot] ?? 'p', attributes: { slot }, children: [value] };
}
