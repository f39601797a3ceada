/** The options of the playground, from the manifest of the tag and the files of its package. */
import { english } from '@newsletter-kit/signup';
import { readElements, wordsOf, type CustomElement, type Named } from '../../widget/scripts/manifest.ts';
import { languageTexts, widgetLanguages, widgetThemes } from './files.ts';
import { fallbackTexts, textAttribute, type Texts } from './page/fallback.ts';
import type { Control, Option, OptionGroup, Options } from './page/options.ts';

/** @param manifest - by default it is read now, so that a new build of the widget shows without a restart */
export async function currentOptions(manifest = readElements()): Promise<Options> {
  const elements = await manifest;
  const form = declared(elements, 'newsletter-signup');
  const languages = await widgetLanguages();
  const texts = languages.map(async (tag) => [tag, await formTexts(tag)] as const);
  return {
    groups: groupsOf(form),
    fieldOptions: optionsOf('attribute', declared(elements, 'newsletter-field').attributes).map((option) => ({
      ...option,
      key: option.name,
    })),
    events: (form.events ?? []).map(({ name }) => name),
    languages,
    themes: await widgetThemes(),
    texts: Object.fromEntries(await Promise.all(texts)),
  };
}

/** The lists of the manifest. Attributes that are also properties are the ones that most pages use. */
function groupsOf({ attributes = [], cssProperties, slots = [] }: CustomElement): readonly OptionGroup[] {
  const texts = new Map(Object.keys(english).map((key) => [textAttribute(key), key]));
  const own = attributes.filter(({ name }) => !texts.has(name));
  return [
    {
      title: 'Attributes',
      about: 'Those that most pages use. Each is a property too.',
      options: optionsOf(
        'attribute',
        own.filter(({ fieldName }) => fieldName),
      ),
    },
    {
      title: 'Custom properties',
      about: 'Colours and shape, as custom properties of CSS. Everything else is styled through parts.',
      options: optionsOf('style', cssProperties),
    },
    {
      title: 'Slots',
      about: 'Your own content around the fields. A picture is entered as its address.',
      // The fields and the form without the script are written by the playground.
      options: optionsOf(
        'slot',
        slots.filter(({ name }) => !['', 'fallback'].includes(name)),
      ),
    },
    {
      title: 'Texts',
      about: 'Attributes, or entries of the property `messages`. Empty: the text of the language.',
      options: Object.entries(english).flatMap(([key, text]) => {
        const attribute = attributes.find(({ name }) => texts.get(name) === key);
        return attribute
          ? optionsOf('attribute', [{ ...attribute, default: text }])
          : optionsOf('message', [{ name: key, default: text }]);
      }),
    },
    {
      title: 'More attributes',
      about: 'Attributes without a property.',
      options: optionsOf(
        'attribute',
        own.filter(({ fieldName }) => !fieldName),
      ),
    },
  ];
}

function declared(elements: readonly CustomElement[], wanted: string): CustomElement {
  const found = elements.find(({ tagName }) => tagName === wanted);
  if (!found) throw new Error(`custom-elements.json does not contain <${wanted}>. Build the widget again.`);
  return found;
}

function optionsOf(kind: Option['kind'], list: readonly Named[] = []): readonly Option[] {
  return list.map((described) => {
    const { name, description = '', default: initial = '' } = described;
    return {
      key: `${kind}.${name}`,
      kind,
      name,
      description,
      initial: initial.replace(/^'(.*)'$/, '$1'),
      control: controlOf(described),
    };
  });
}

function controlOf(described: Named): Control {
  const choices = wordsOf(described);
  if (choices.length > 0) return { kind: 'choice', choices };
  if (described.syntax === '<color>') return { kind: 'colour' };
  const type = described.type?.text;
  if (type === 'boolean') return { kind: 'switch' };
  return { kind: type === 'number' ? 'number' : 'text' };
}

/** The texts of a form that works without the script; where a language lacks one, the English. */
async function formTexts(language: string): Promise<Texts> {
  const texts: Texts = language === 'en' ? english : { ...english, ...(await languageTexts(language)) };
  return Object.fromEntries(fallbackTexts.map((name) => [name, texts[name] ?? '']));
}
