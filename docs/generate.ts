/**
 * Writes the pages of the reference and of each operation from the code, those about places from their table,
 * `llms.txt` from all pages and the script of the search, and copies the built files of the widget and the zips for
 * websites. Git ignores them.
 */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { currentOptions } from '../examples/demo/playground.ts';
import { zips } from '../scripts/script-zip.ts';
import { elementPage, examplePages } from './reference/element.ts';
import { assumptionsPage, clientPage, operationPages, operationsPage } from './reference/operations.ts';
import { metricsPage, settingsPage } from './reference/relay.ts';
import { sandboxPages } from './reference/sandbox.ts';
import { placePages } from './reference/places.ts';
import { writePage } from './reference/page.ts';
import { llmsText } from './llms.ts';
import { content, root, site } from './site.ts';

const options = await currentOptions();
const folders = {
  reference: [
    operationsPage(),
    clientPage(),
    await elementPage(),
    ...examplePages(options),
    settingsPage(),
    metricsPage(),
    ...(await sandboxPages()),
    assumptionsPage(),
  ],
  operations: await operationPages(),
  places: placePages(options),
};

for (const [name, pages] of Object.entries(folders)) {
  const folder = join(content, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [index, page] of pages.entries())
    writeFileSync(join(folder, `${page.name}.${page.format ?? 'md'}`), writePage(page, index + 1));
}

writeFileSync(join(import.meta.dirname, 'public', 'llms.txt'), llmsText(site));
writeFileSync(join(import.meta.dirname, 'src', 'playground-options.json'), JSON.stringify(options));

const search = readFileSync(join(import.meta.dirname, 'src', 'search.ts'), 'utf8');
writeFileSync(join(import.meta.dirname, 'public', 'search.js'), stripTypeScriptTypes(search));

const downloads = join(import.meta.dirname, 'public', 'download');
mkdirSync(downloads, { recursive: true });
for (const [name, zip] of Object.entries(zips)) writeFileSync(join(downloads, name), await zip());

const widget = join(root, 'widget');
const copied = join(import.meta.dirname, 'public', 'signup');
rmSync(copied, { recursive: true, force: true });
for (const [from, pattern] of [
  ['dist', '{*.{js,css},languages/*.js}'],
  ['.', 'themes/*.css'],
] as const)
  for (const file of globSync(pattern, { cwd: join(widget, from) })) {
    mkdirSync(dirname(join(copied, file)), { recursive: true });
    cpSync(join(widget, from, file), join(copied, file));
  }
