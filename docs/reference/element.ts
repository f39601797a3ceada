/** The page about the elements, with live examples: the setups of the playground. */
import { exampleSetups, type ExampleSetup } from '../../examples/demo/page/examples.ts';
import { withEndpoint } from '../../examples/demo/page/fallback.ts';
import { vue, write } from '../../examples/demo/page/markup.ts';
import type { Options } from '../../examples/demo/page/options.ts';
import { writeSetup } from '../../examples/demo/page/setup.ts';
import { markupOf } from '../../examples/demo/page/snippets.ts';
import { tagWithForm } from '../../examples/demo/page/tag.ts';
import {
  readElements,
  readEventClasses,
  type CustomElement,
  type EventClass,
  type Named,
} from '../../widget/scripts/manifest.ts';
import { base } from '../site.ts';
import { code, table, type Page } from './page.ts';

/** The pages with live examples: the setups of the playground, those before the first theme on one page. */
export function examplePages(options: Options): readonly Page[] {
  const firstTheme = exampleSetups.findIndex(({ setup }) => setup.theme !== '');
  const pages = [
    ['element-layouts', 'Layouts, fields and colours, live', exampleSetups.slice(0, firstTheme)],
    ['element-states', 'Themes, texts and states, live', exampleSetups.slice(firstTheme)],
  ] as const;
  return pages.map(([name, title, setups]) => ({
    name,
    format: 'mdx',
    title,
    description: `Live examples of the signup form, each with its markup: ${setups.map((each) => each.title).join(', ')}.`,
    source: 'examples/demo/page/examples.ts',
    body: `
import Example from '../../../components/Example.astro';

The examples run the built script of this version. No server takes what they send: a stand-in on this page answers, and shows below the form
what a relay would have received. The [playground](../../../pages/playground/index.astro) has a control for every option,
[the reference](element.mdx) every attribute.

${setups.map((example) => describeExample(example, options)).join('\n\n')}
`,
  }));
}

export async function elementPage(): Promise<Page> {
  const elements = (await readElements()).toReversed();
  const events = await readEventClasses();
  const signup = elements.find(({ tagName }) => tagName === 'newsletter-signup');
  if (!signup) throw new Error('custom-elements.json does not contain <newsletter-signup>. Build the widget again.');
  return {
    name: 'element',
    format: 'mdx',
    title: 'The element <newsletter-signup>',
    description: 'Every attribute, property, method, event, slot, part and state of the signup element.',
    source: 'widget/src/signup.ts',
    body: `
See it live, in its [layouts](element-layouts.mdx) and in its [themes, texts and states](element-states.mdx). The property \`messages\` takes any
subset of the [texts](../website/texts.md#all-texts).

${elements.map((element) => describeElement(element, element === signup)).join('\n\n')}

## Events

${safe(table(['Event', 'When'], rowsOf(signup.events)))}

${events.map(describeEvent).join('\n\n')}
`,
  };
}

function describeExample({ title, about, setup }: ExampleSetup, options: Options): string {
  const tag = withEndpoint(
    tagWithForm(setup, options),
    `${base}/answers/${setup.state === 'idle' ? 'success' : setup.state}`,
  );
  // A template of Vue writes the custom properties into the tag, so that they apply to this example alone.
  const live = write(tag, vue);
  const query = writeSetup(setup);
  const properties = Object.entries({
    live,
    shown: markupOf(setup, options),
    theme: setup.theme,
    language: setup.language,
    playground: `${base}/playground/${query && `?${query}`}`,
  });
  return `## ${title}

${about}

<Example ${properties.map(([name, value]) => `${name}={${JSON.stringify(value)}}`).join(' ')} />`;
}

function describeElement(
  { tagName, description, attributes, members = [], slots, cssProperties, cssParts, cssStates }: CustomElement,
  isForm: boolean,
): string {
  const fields = members.filter(({ kind }) => kind === 'field');
  const methods = members.filter(({ kind }) => kind === 'method');
  const parts = [
    `## ${code(`<${tagName}>`)}`,
    safe(description.replaceAll('\n', ' ')),
    `### Attributes of ${tagName}`,
    table(
      ['Attribute', 'Takes', 'Meaning', 'Default'],
      rowsOf(
        attributes,
        ({ type }) => [code((type?.text ?? '').replaceAll("'", ''))],
        ({ default: preset = '' }) => [preset === '' || preset === "''" ? '' : code(preset.replaceAll("'", ''))],
      ),
    ),
  ];
  if (isForm)
    parts.push(
      '### Properties',
      'Each attribute that is neither a text nor about attribution is a property too, in camel case.',
      table(['Property', 'Meaning'], rowsOf(fields)),
      '### Methods',
      table(['Method', 'Meaning'], rowsOf(methods.map((method) => ({ ...method, name: `${method.name}()` })))),
      '### Slots',
      table(
        ['Slot', 'Content'],
        (slots ?? []).map(({ name, description: about = '' }) => [name === '' ? 'without a name' : code(name), about]),
      ),
      '### Custom properties of CSS',
      table(
        ['Property', 'Meaning', 'Default'],
        rowsOf(cssProperties, undefined, ({ default: preset = '' }) => [preset]),
      ),
      '### Parts',
      table(['Part', 'Meaning'], rowsOf(cssParts)),
      '### States',
      'A state matches in CSS: `newsletter-signup:state(success)`.',
      table(['State', 'Meaning'], rowsOf(cssStates)),
    );
  return parts.map((part) => (part.startsWith('|') ? safe(part) : part)).join('\n\n');
}

type Cells = (described: Named) => readonly string[];
const none: Cells = () => [];

/** A row of each: name, further cells, description, more cells. */
function rowsOf(list: readonly Named[] = [], before: Cells = none, after: Cells = none): string[][] {
  return list.map((described) => [
    code(described.name),
    ...before(described),
    described.description ?? '',
    ...after(described),
  ]);
}

function describeEvent({ name, description = '', members = [] }: EventClass): string {
  const rows = members.map((member) => [code(member.name), code(member.type?.text ?? ''), member.description ?? '']);
  return `### ${name}\n\n${safe(description)}\n\n${safe(table(['Field', 'Type', 'Meaning'], rows))}`;
}

/** Markdown that MDX reads as Markdown: outside of code, no brace begins an expression and no bracket a component. */
function safe(markdown: string): string {
  return markdown
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[{}<]/g, (sign) => `\\${sign}`)))
    .join('');
}
