/**
 * Writes the parts of README.md that follow from custom-elements.json, size.json and the built files; `--check` says
 * whether they stand there as they should.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { english } from '../src/messages.ts';
import { readElements, type CustomElement, type Named } from './manifest.ts';

const file = new URL('../README.md', import.meta.url);

/** A table with this head; cells are cleaned of what would end them. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], empty: string): string =>
    `| ${cells.map((cell) => cell.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|') || empty).join(' | ')} |`;
  return [line(head, ' '), `|${'---|'.repeat(head.length)}`, ...rows.map((row) => line(row, '–'))].join('\n');
}

const code = (text = ''): string => text && `\`${text}\``;
const sorted = (list: readonly Named[] = []): Named[] =>
  [...list].sort((one, other) => one.name.localeCompare(other.name));
const described = (head: string, list: readonly Named[] | undefined): string =>
  table(
    [head, ''],
    sorted(list).map(({ name, description = '' }) => [code(name), description]),
  );

function attributes({ attributes: list }: CustomElement): string {
  return table(
    ['Attribute', 'Takes', ''],
    sorted(list).map(({ name, type, description = '' }) => [
      code(name),
      code(type?.text.replaceAll("'", '')),
      description,
    ]),
  );
}

function members({ members: list = [] }: CustomElement): string {
  const own = list.filter(({ attribute, privacy, kind }) => !attribute && (kind === 'method' || privacy !== 'private'));
  return described(
    'Property or method',
    own.map((member) => ({ ...member, name: member.kind === 'method' ? `${member.name}()` : member.name })),
  );
}

function texts(): string {
  return table(
    ['`text-…`', 'In English'],
    Object.entries(english).map(([key, text]) => [
      code(key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)),
      text,
    ]),
  );
}

/** What the files are for, by the beginning of their name in size.json; of several the largest counts. */
const purposes: Readonly<Record<string, string>> = {
  script: '`newsletter-signup.js`, the one file of a script tag',
  npm: 'with a bundler, beside Lit: what shows a form',
  'signup.js': 'with a bundler: what sends it, loaded when the focus comes into a form',
  'languages/': 'a language',
  'themes/': 'a theme',
  'dialog.js': 'with a bundler: the dialog, where a form is one',
  'ask.js': 'when an endpoint asks for more',
  'proof.js': 'when that is a proof of work',
  'doctor.js': 'with `debug`, when something is wrong',
};

/** Bytes with brotli, rounded up to a hundred: what a promise needs. */
async function sizes(): Promise<string> {
  const measured = JSON.parse(await readFile(new URL('../size.json', import.meta.url), 'utf8')) as Readonly<
    Record<string, { readonly brotli: number; readonly goal: number | null }>
  >;
  for (const [name, { goal }] of Object.entries(measured)) {
    if (goal !== null && !Object.keys(purposes).some((prefix) => name.startsWith(prefix)))
      throw new Error(`size.json has a goal for ${name}: say in scripts/readme.ts what it is for.`);
  }
  const rows = Object.entries(purposes).flatMap(([prefix, purpose]) => {
    const own = Object.entries(measured).flatMap(([name, { brotli }]) =>
      (prefix.endsWith('/') ? name.startsWith(prefix) : name === prefix) ? [brotli] : [],
    );
    return own.length > 0 ? [[purpose, (Math.ceil(Math.max(...own) / 100) * 100).toLocaleString('en')]] : [];
  });
  return table(['What is loaded', 'Bytes with brotli, at most'], rows);
}

/** A script tag that takes this very file and no other, from a host that serves what npm has. */
async function integrity(): Promise<string> {
  const readJson = async (path: string): Promise<object> =>
    Object(JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8')) as unknown) as object;
  const version = String(Reflect.get(await readJson('../package.json'), 'version'));
  const hash = String(Reflect.get(await readJson('../dist/integrity.json'), 'newsletter-signup.js'));
  return `\`\`\`html
<script
  src="https://cdn.example/npm/@newsletter-kit/signup@${version}/dist/newsletter-signup.js"
  integrity="${hash}"
  crossorigin="anonymous"
  async
></script>
\`\`\``;
}

const elements = await readElements();
const named = (tagName: string): CustomElement => {
  const found = elements.find((element) => element.tagName === tagName);
  if (!found) throw new Error(`custom-elements.json does not know <${tagName}>: build the package first.`);
  return found;
};
const signup = named('newsletter-signup');

/** What stands between `<!-- name -->` and `<!-- /name -->`. */
const sections: Readonly<Record<string, string>> = {
  attributes: attributes(signup),
  'field-attributes': attributes(named('newsletter-field')),
  members: members(signup),
  events: described('Event', signup.events),
  slots: table(
    ['Slot', ''],
    sorted(signup.slots).map(({ name, description = '' }) => [name ? code(name) : 'without a name', description]),
  ),
  parts: described('Part', signup.cssParts),
  properties: table(
    ['Property', 'Default', ''],
    sorted(signup.cssProperties).map(({ name, default: initial = '', description = '' }) => [
      code(name),
      initial,
      description,
    ]),
  ),
  texts: texts(),
  sizes: await sizes(),
  integrity: await integrity(),
};

const before = await readFile(file, 'utf8');
const after = Object.entries(sections).reduce((text, [name, content]) => {
  const place = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!place.test(text)) throw new Error(`README.md has no place for ${name}: <!-- ${name} --> and <!-- /${name} -->.`);
  return text.replace(place, (_, opening: string, closing: string) => `${opening}\n${content}\n\n${closing}`);
}, before);

if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error(
      'README.md does not say what custom-elements.json, size.json and the built files say: run "node scripts/readme.ts".',
    );
    process.exitCode = 1;
  }
} else await writeFile(file, after);
