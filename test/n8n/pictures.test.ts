/**
 * Pictures of the example workflows, as n8n's editor draws them. They are written to .output/n8n, to be looked at;
 * `PICTURES=guide npm run test:n8n -- pictures.test.ts` writes those that examples/workflows/README.md shows.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { root } from '../../scripts/chain/root.ts';
import { openBrowser, type BrowserSession } from '../e2e/visitor.ts';
import { canvasPicture, openEditor, openWorkflow, pictures } from './harness/editor.ts';

const { n8nUrl } = inject('newsletter');
const folder = process.env['PICTURES'] === 'guide' ? join(root, '.github', 'guide', 'workflows') : pictures;
const files = globSync('examples/workflows/*.json', { cwd: root }).toSorted();

let session: BrowserSession;
let page: Page;
beforeAll(async () => {
  session = await openBrowser();
  page = await openEditor(session.browser, n8nUrl);
  // So large that every workflow fits without being made smaller.
  await page.setViewport({ width: 3000, height: 2000 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
});
afterAll(() => session?.close());

it.for(files)('%s', async (file) => {
  const { id } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { readonly id: string };
  await openWorkflow(page, n8nUrl, id);
  const { path, nodes, notes } = await canvasPicture(page, folder, file.replace(/^.*\/|\.json$/g, ''));
  expect(statSync(path).size).toBeLessThan(150_000);
  // A note covers no node, no other note, and shows all of its text.
  for (const note of notes) {
    expect([...nodes, ...notes].filter((other) => other !== note && overlaps(note, other))).toEqual([]);
    expect(note.hidden, `pixels of "${note.name}" that do not show`).toBe(0);
  }
  for (const node of nodes) expect(nodes.filter((other) => other !== node && overlaps(node, other))).toEqual([]);
});

type Box = Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;

const overlaps = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
