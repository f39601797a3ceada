/** The last step of the build: writes the data for editors, and the hashes for subresource integrity. */
import { hash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { chunks } from '../vite.config.ts';
import { readElements, wordsOf, type Named } from './manifest.ts';

const dist = new URL('../dist/', import.meta.url);
const elements = await readElements();
const documentation = 'https://github.com/newsletter-kit/newsletter-kit/tree/main/widget#readme';

/** @param write - writes the name */
const described = (list: readonly Named[] = [], write = (name: string): string => name) =>
  list.map(({ name, description }) => ({ name: write(name), description }));

/** https://github.com/microsoft/vscode-custom-data */
const htmlData = {
  version: 1.1,
  tags: elements.map((element) => ({
    name: element.tagName,
    description: element.description,
    attributes: (element.attributes ?? []).map((attribute) => ({
      name: attribute.name,
      description: attribute.description,
      ...(wordsOf(attribute).length > 0 && { values: wordsOf(attribute).map((name) => ({ name })) }),
      ...(attribute.type?.text === 'boolean' && { valueSet: 'v' }),
    })),
    references: [{ name: 'Documentation', url: documentation }],
  })),
};

const cssData = {
  version: 1.1,
  properties: elements.flatMap(({ cssProperties }) => described(cssProperties)),
  pseudoElements: elements.flatMap(({ cssParts }) => described(cssParts, (name) => `::part(${name})`)),
  pseudoClasses: elements.flatMap(({ cssStates }) => described(cssStates, (name) => `:state(${name})`)),
};

/** https://github.com/JetBrains/web-types */
const webTypes = {
  $schema: 'https://raw.githubusercontent.com/JetBrains/web-types/master/schema/web-types.json',
  name: '@newsletter-kit/signup',
  version: await version(),
  'js-types-syntax': 'typescript',
  'description-markup': 'markdown',
  contributions: {
    html: {
      elements: elements.map((element) => ({
        name: element.tagName,
        description: element.description,
        'doc-url': documentation,
        attributes: (element.attributes ?? []).map((attribute) => ({
          name: attribute.name,
          description: attribute.description,
          value: { type: attribute.type?.text ?? 'string' },
        })),
        slots: described(element.slots),
        js: {
          properties: (element.members ?? [])
            .filter(({ kind }) => kind === 'field')
            .map((member) => ({ name: member.name, description: member.description, type: member.type?.text })),
          events: described(element.events),
        },
        css: { properties: described(element.cssProperties), parts: described(element.cssParts) },
      })),
    },
  },
};

async function version(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  return String(Reflect.get(Object(manifest), 'version'));
}

/** Hashes of the script, the files that it loads, and the languages. */
async function integrity(): Promise<Readonly<Record<string, string>>> {
  const languages = (await readdir(new URL('languages/', dist))).filter((file) => file.endsWith('.js')).sort();
  const files = [
    ...['form', 'form-complete', 'landing'].map((name) => `signup-${name}.js`),
    ...chunks.map((chunk) => `${chunk}.js`),
    ...languages.map((file) => `languages/${file}`),
  ];
  const hashes = files.map(async (file): Promise<[string, string]> => [
    file,
    `sha384-${hash('sha384', await readFile(new URL(file, dist)), 'base64')}`,
  ]);
  return Object.fromEntries(await Promise.all(hashes));
}

const written = {
  'vscode.html-custom-data.json': htmlData,
  'vscode.css-custom-data.json': cssData,
  'web-types.json': webTypes,
  'integrity.json': await integrity(),
};
for (const [file, content] of Object.entries(written))
  await writeFile(new URL(file, dist), `${JSON.stringify(content, null, 2)}\n`);

// The module of the entries that have only types, such as `./react`: importing one without `type` works too.
await writeFile(new URL('types.js', dist), 'export {};\n');
