/** The pages about the places where a tag can stand, from the table and with the snippets of the playground. */
import type { Options } from '../../examples/demo/page/options.ts';
import { checks, guides, places, snippetsFor, sourcesRead, type GuidedPlace } from '../../examples/demo/page/places.ts';
import { initialSetup } from '../../examples/demo/page/setup.ts';
import { base } from '../site.ts';
import { table, type Page } from './page.ts';

const root = '../../../../..';
const source = 'examples/demo/page/places.ts';

/** One page for each place, after the page that compares them. */
export function placePages(options: Options): readonly Page[] {
  return [
    comparison(),
    ...guides.map((place) => ({
      name: place.platform,
      format: 'mdx' as const,
      title: `Newsletter form in ${place.name}`,
      description: `A signup form on a site with ${place.name}: what to copy, where to paste it, and what was tried.`,
      label: place.name,
      source,
      body: describe(place, options),
    })),
  ];
}

const cells = ({ run }: GuidedPlace): string[] => checks.map(() => (run ? '**run**' : 'assumed'));

function comparison(): Page {
  return {
    name: 'index',
    title: 'Every place for the form',
    description:
      'WordPress, Webflow, Shopify, static sites and frameworks: where the form goes, and what was tried there.',
    label: 'All places',
    source,
    body: `
Each page has the code to copy, the place where it goes, and a picture of the result. The form needs the address of an endpoint, which whoever runs
[the relay](../relay/index.md) or [n8n](../n8n/signup-trigger.md) gives you. A relay serves the script too; with n8n, [its files](../website/files.md#on-your-own-website) are on your website.

What is marked **run** is done by a test of this repository in the place itself: the form renders, a signup arrives with the campaign of the page's
address, and the page gets the event of a success. The rest is *assumed* from the documentation of the place. “A page like it” is one of
[ours](${root}/examples/pages), made like those of the place, on which a test signs up. After you have published, sign up once yourself.

${table(
  ['Place', ...checks, 'What ran'],
  guides.map((place) => [`[${place.name}](${place.platform}.mdx)`, ...cells(place), whatRan(place)]),
)}

Anything else that takes HTML takes the [tag](../website/tag.md). Where an editor removes tags or scripts, there is a [\`<div>\`](../website/site-builders.md).
Instagram, Linktree, a mail and a QR code take a link to the [page with the form](../relay/hosted-form.md).
`,
  };
}

function whatRan({ name, run, like }: GuidedPlace): string {
  if (run) return `[${name}, ${run.version}](${root}/${run.test})`;
  return like ? `[a page like it](${root}/examples/pages/${like})` : '–';
}

function describe(place: GuidedPlace, options: Options): string {
  const { platform, name, way, needs, isBundled, notes = [], sources = [] } = place;
  const setup = { ...initialSetup, platform };
  return `
import Place from '../../../components/Place.astro';

<Place name={${JSON.stringify(name)}} way={${JSON.stringify(way)}} />

## What you need

- The address of an endpoint, such as \`https://relay.example/signup\`: whoever runs [the relay](../relay/index.md) or
  [n8n](../n8n/signup-trigger.md) gives it to you. It has to allow the origin of your site.
${isBundled ? `- ${packaged}\n` : ''}${needs === undefined ? '' : `- ${needs}\n`}
## What to copy

${snippetsFor(setup, options)
  .map(({ place: where, code, language }) => `**${where}:**\n\n${fence(language, code)}`)
  .join('\n\n')}

Replace ${isBundled ? 'the address of the endpoint' : '`https://relay.example` by the address of your relay, which serves the script too. With another endpoint, [the files](../website/files.md#on-your-own-website) are on your website'}. Fields, layouts, themes and twelve more languages: choose them in the
[playground](${base}/playground/?platform=${platform}) and copy its code.

${notes.join('\n\n')}

${isBundled ? '' : withoutScript(platform)}

## What was tried

${table([...checks, 'What ran'], [[...cells(place), whatRan(place)]])}

${tried(place)}

${pictured(place)}

${sources.length > 0 ? `Read in ${sourcesRead}: ${sources.join(', ')}.` : ''}
`;
}

const packaged =
  'The package `@newsletter-kit/signup`. It is not on npm yet: `npm run pack` in a clone writes it to `packed`, and `npm install` takes that file.';

const withoutScript = (platform: GuidedPlace['platform']): string => `
Where no script is allowed there is the relay’s own page${platform === 'wix' ? ', in *Embed a site*' : ''}: [a link, or a frame](../relay/hosted-form.md#in-a-frame).
`;

function tried({ name, run, like }: GuidedPlace): string {
  if (run) return run.what;
  return `${name} itself was not used${like ? '. A page made like those of it is opened in Chromium, and the signup arrives with its campaign' : ''}: look once, and sign up once yourself.`;
}

function pictured({ picture, like }: GuidedPlace): string {
  if (picture === undefined) return '';
  const { name } = places[picture];
  const shown = like
    ? `One of our pages, made like those of ${name}`
    : `The form on a site that ${name} built, in German`;
  return `
import Picture from '../../../components/Picture.astro';
import light from '${root}/examples/pictures/${picture}-light.webp';
import dark from '${root}/examples/pictures/${picture}-dark.webp';

<Picture light={light} dark={dark} caption="${shown}." />`;
}

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;
