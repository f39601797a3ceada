/** Writes the pages of the reference, which Git ignores, from the code. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assumptionsPage, clientPage, operationsPage } from './reference/operations.ts';
import { metricsPage, settingsPage } from './reference/relay.ts';
import { sandboxPage } from './reference/sandbox.ts';
import { writePage } from './reference/page.ts';
import { content } from './site.ts';

const folder = join(content, 'reference');
const pages = [
  await operationsPage(),
  clientPage(),
  settingsPage(),
  await metricsPage(),
  await sandboxPage(),
  assumptionsPage(),
];

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [index, page] of pages.entries()) writeFileSync(join(folder, `${page.name}.md`), writePage(page, index + 1));
