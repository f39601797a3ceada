/**
 * Screenshots of the example workflows and of the panels in the start pages, in n8n's editor. They are written to
 * .output/n8n for review; `PICTURES=guide npm run test:n8n -- pictures.test.ts guides.test.ts` writes those that
 * examples/workflows/README.md and docs/src/content/docs/start show.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { openBrowser, type BrowserSession } from '../e2e/visitor.ts';
import { canvasPicture, guide, guidePicture, openEditor, openPanel, openWorkflow, pictures } from './harness/editor.ts';
import { items, newsletterType, start, triggerType } from './harness/nodes.ts';
import { signupType } from './harness/signupForm.ts';
import { n8n } from './harness/test.ts';

const { credential, credentialId } = inject('newsletter');
const folder = guide === pictures ? pictures : join(guide, 'workflows');
const files = globSync('examples/workflows/*.json', { cwd: root }).toSorted();

let session: BrowserSession;
let page: Page;
beforeAll(async () => {
  session = await openBrowser();
  page = await openEditor(session.browser, n8n.url);
  // Large enough for every workflow at full size.
  await page.setViewport({ width: 4000, height: 3000 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
});
afterAll(() => session?.close());

it.for(files)('%s', async (file) => {
  const { id } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { readonly id: string };
  await openWorkflow(page, n8n.url, id);
  const { path, nodes, notes } = await canvasPicture(page, folder, file.replace(/^.*\/|\.json$/g, ''));
  expect(statSync(path).size).toBeLessThan(150_000);
  // No note covers a node or another note, and all of its text is visible.
  for (const note of notes) {
    expect(
      [...nodes, ...notes].filter((other) => other !== note && overlaps(note, other)),
      note.name,
    ).toEqual([]);
    expect(note.hidden, `pixels of "${note.name}" that do not show`).toBe(0);
  }
  for (const node of nodes)
    expect(
      nodes.filter((other) => other !== node && overlaps(node, other)),
      node.name,
    ).toEqual([]);
});

type Box = Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;

const overlaps = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

describe('the guide', () => {
  const credentials = { newsletterApi: { id: credentialId, name: 'Newsletter sandbox' } };

  const panel = async (workflow: string, node: string): Promise<void> => {
    await openWorkflow(page, n8n.url, workflow);
    await openPanel(page, node);
  };

  it('shows the credential after Save', async () => {
    await page.setViewport({ width: 1200, height: 800 });
    const id = await n8n.createCredential('newsletterApi', { ...credential });
    await page.goto(`${n8n.url}/home/credentials/${id}`, { waitUntil: 'domcontentloaded' });
    // n8n tests a credential when it is opened.
    await page.waitForSelector('::-p-text(Connection tested successfully)', { visible: true });
    await page.waitForSelector('[data-test-id=editCredential-modal] ::-p-text(Retry)', { visible: true });
    await guidePicture(page, 'credential', '[data-test-id=editCredential-modal]');
  });

  it('shows the triggers in the list of nodes', async () => {
    await page.setViewport({ width: 1000, height: 600 });
    await page.goto(`${n8n.url}/workflow/new`, { waitUntil: 'domcontentloaded' });
    const add = '[data-test-id=canvas-add-button] button, [data-test-id=node-creator-plus-button]';
    await (await page.waitForSelector(add, { visible: true }))?.click();
    await (await page.waitForSelector('[data-test-id=node-creator-search-bar]', { visible: true }))?.type('newsletter');
    await page.waitForFunction(
      () => document.querySelector('[data-test-id=node-creator-item-name]')?.textContent.trim() === 'Newsletter',
    );
    await page.click('[data-test-id=node-creator-item-name]');
    await page.waitForSelector('::-p-text(On new subscriber)', { visible: true });
    await guidePicture(page, 'triggers', { width: 1000, height: 600 });
  });

  const trigger = { name: 'Newsletter Trigger', type: triggerType, credentials };
  const fields = ['email', 'utm_source'].map((name) => ({
    id: name,
    name,
    type: 'string',
    value: `={{ $json.${name} }}`,
  }));
  const editFields = {
    name: 'Edit Fields',
    type: 'n8n-nodes-base.set',
    typeVersion: 3.4,
    parameters: { assignments: { assignments: fields }, options: {} },
  };

  it('shows the trigger with a subscription', async () => {
    await page.setViewport({ width: 1500, height: 640 });
    await panel(await n8n.createWorkflow([trigger]), trigger.name);
    await (await page.waitForSelector('[data-test-id=node-execute-button]', { visible: true }))?.click();
    await page.waitForSelector('[data-test-id=output-panel] ::-p-text(utm_source)', { visible: true });
    await guidePicture(page, 'trigger', { width: 1500, height: 640 });
  });

  it('shows Edit Fields with a subscription', async () => {
    await page.setViewport({ width: 1312, height: 640 });
    await panel(await n8n.createWorkflow([trigger, editFields]), editFields.name);
    await (await page.waitForSelector('[data-test-id=node-execute-button]', { visible: true }))?.click();
    await page.waitForSelector('[data-test-id=output-panel] ::-p-text(utm_source)', { visible: true });
    await guidePicture(page, 'edit-fields', { width: 1312, height: 640 });
  });

  it('shows the signup trigger', async () => {
    await page.setViewport({ width: 1312, height: 900 });
    const parameters = { path: 'signup', allowedOrigins: 'http://127.0.0.1:4001' };
    const node = { name: 'Newsletter Signup Trigger', type: signupType, parameters };
    await panel(await n8n.createWorkflow([node]), node.name);
    await guidePicture(page, 'signup-trigger', '[data-test-id=node-parameters]');
  });

  it('shows Create or Update', async () => {
    await page.setViewport({ width: 1312, height: 900 });
    const parameters = { resource: 'subscription', operation: 'createOrUpdate', email: '={{ $json.email }}' };
    const node = { name: 'Newsletter', type: newsletterType, parameters, credentials };
    await panel(await n8n.createWorkflow([start, node]), node.name);
    await page.waitForSelector('::-p-text(Add custom field to send)', { visible: true });
    await guidePicture(page, 'create', '[data-test-id=node-parameters]');
  });

  it('shows the outcome of each row', async () => {
    await page.setViewport({ width: 2000, height: 520 });
    const rows = [
      { 'E-Mail': 'ada@example.com', first_name: 'Ada' },
      { 'E-Mail': 'grace.example.com', first_name: 'Grace' },
      { 'E-Mail': 'mary@example.com', first_name: 'Mary' },
    ];
    const parameters = { resource: 'subscription', operation: 'bulkImport' };
    const node = { name: 'Import', type: newsletterType, parameters, credentials };
    const workflow = await n8n.createWorkflow([start, ...items(rows), node]);
    await panel(workflow, node.name);
    await (await page.waitForSelector('[data-test-id=node-execute-button]', { visible: true }))?.click();
    await page.waitForSelector('[data-test-id=output-panel] ::-p-text(accepted)', { visible: true });
    await guidePicture(page, 'bulk-import', '[data-test-id=output-panel]');
  });
});
