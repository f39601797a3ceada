/** The nodes in n8n's editor. Screenshots are written to .output/n8n for review. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Page } from 'puppeteer-core';
import { openBrowser, type BrowserSession } from '../e2e/visitor.ts';
import { chosen, newsletterType, start } from './harness/nodes.ts';
import { n8n } from './harness/test.ts';
import { closePanel, openEditor, openPanel, openWorkflow, panelText, picture } from './harness/editor.ts';

const { credentialId, credential } = inject('newsletter');
let session: BrowserSession;
let page: Page;
beforeAll(async () => {
  session = await openBrowser();
  page = await openEditor(session.browser, n8n.url);
});
afterAll(() => session?.close());

it('shows the nodes of the workflow with their icons', async () => {
  await openWorkflow(page, n8n.url, 'newSubscriptions');
  const drawn = await page.$$eval('[data-test-id=canvas-node] img', (images) =>
    images.map((image) =>
      image instanceof HTMLImageElement ? `${image.src.replace(/^.*\//, '')} ${image.naturalWidth > 0}` : '',
    ),
  );
  expect(drawn.filter((each) => each.includes('newsletter'))).toEqual(['newsletter.svg true', 'newsletter.svg true']);
  await picture(page, 'workflow');
});

it('shows the panel of the trigger', async () => {
  await openPanel(page, 'New subscription');
  const trigger = await panelText(page);
  for (const label of ['Poll Times', 'Events', 'New Subscriber', 'Publication', 'Include'])
    expect(trigger).toContain(label);
  await picture(page, 'trigger');
  await closePanel(page);
});

/** Operations with every kind of parameter, what is set in them, and the texts that a person then sees. */
const panels = [
  {
    operation: { resource: 'journey', operation: 'enroll' },
    parameters: { options: { double_opt_override: 'off' } },
    labels: ['Journey', 'Enroll', 'Automation', 'From list', 'Subscription', 'By Email', 'If Already Enrolled'],
  },
  {
    operation: { resource: 'subscription', operation: 'createOrUpdate' },
    parameters: { email: 'ada@example.com' },
    labels: ['Subscription', 'Email', 'Custom Fields', 'Output', 'Additional Fields'],
  },
  {
    operation: { resource: 'subscription', operation: 'getMany' },
    parameters: {
      filters: { status: 'active' },
      options: { expand: ['custom_fields', 'stats'], direction: 'asc' },
      output: 'selected',
      fields: ['email', 'utm_source'],
    },
    labels: ['Filters', 'Status', 'Active', 'Include', 'Sort Direction', 'Output', 'Selected Fields', 'Fields'],
  },
  {
    operation: { resource: 'subscription', operation: 'update' },
    parameters: {
      subscription: chosen('ada@example.com', 'email'),
      updateFields: { tier: 'premium', unsubscribe: false },
    },
    labels: ['Update Fields', 'Tier', 'Premium', 'Unsubscribe', 'Wait for Completion', 'Timeout'],
  },
] as const;

it('shows the panels of the action node, with the parameters of the operation', async () => {
  // Tall enough for a whole panel.
  await page.setViewport({ width: 1440, height: 1500 });
  const named = panels.map((panel) => ({ ...panel, name: Object.values(panel.operation).join(' ') }));
  const credentials = { newsletterApi: { id: credentialId, name: 'Newsletter sandbox' } };
  const nodes = named.map(({ name, operation, parameters }) => ({
    name,
    type: newsletterType,
    parameters: { ...operation, ...parameters },
    credentials,
  }));
  await openWorkflow(page, n8n.url, await n8n.createWorkflow([start, ...nodes]));
  for (const { name, labels } of named) {
    await openPanel(page, name);
    const text = await panelText(page);
    for (const label of ['Resource', 'Operation', ...labels]) expect.soft(text, name).toContain(label);
    await picture(page, `panel-${name.replace(' ', '-')}`);
    await closePanel(page);
  }
});

it('shows the contact sync with its four outputs, and a notice that the preview writes nothing', async () => {
  await openWorkflow(page, n8n.url, 'contactSync');
  const canvas = await page.$eval('body', (body) => body.textContent);
  for (const output of ['Create Contact', 'Update Contact', 'Review', 'Report']) expect(canvas).toContain(output);
  await picture(page, 'sync-workflow');
  await page.setViewport({ width: 1440, height: 2600 });
  await openPanel(page, 'Sync');
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[data-test-id=node-parameters] input')].some(
      (input) => input instanceof HTMLInputElement && input.value === 'First Name (string)',
    ),
  );
  const panel = await panelText(page);
  const labels = [
    'Mode',
    'Preview writes nothing',
    'Contacts',
    'ID Field',
    'Sync Token Field',
    'Opt-Out Field',
    'Fields',
  ];
  for (const label of [...labels, 'Subscribe Unknown Contacts', 'Options']) expect(panel).toContain(label);
  await picture(page, 'sync');
});

// n8n lists frequently used nodes first, for example its own Schedule Trigger.
it.each([
  ['poll', 'Newsletter'],
  ['new subscriber', 'Newsletter'],
  ['email marketing', 'Newsletter'],
  ['signup form', 'Newsletter Signup Trigger'],
  ['contact sync', 'Newsletter Sync'],
])('lists for the query "%s" among the first three nodes %s', async (query, wanted) => {
  await page.setViewport({ width: 1440, height: 900 });
  await page.goto(`${n8n.url}/workflow/new`, { waitUntil: 'domcontentloaded' });
  const add = '[data-test-id=canvas-add-button] button, [data-test-id=node-creator-plus-button]';
  await (await page.waitForSelector(add, { visible: true }))?.click();
  const search = await page.waitForSelector('[data-test-id=node-creator-search-bar]', { visible: true });
  await search?.type(query);
  const found = async (): Promise<string[]> =>
    page.$$eval('[data-test-id=node-creator-item-name]', (names) =>
      names.slice(0, 3).map((name) => name.textContent.trim()),
    );
  await expect.poll(found).toContain(wanted);
  await picture(page, `search-${query.replaceAll(' ', '-')}`);
});

it('offers the publications in a list', async () => {
  await page.setViewport({ width: 1440, height: 900 });
  const credentials = { newsletterApi: { id: credentialId, name: 'Newsletter sandbox' } };
  const parameters = { resource: 'customField', operation: 'getMany' };
  await openWorkflow(
    page,
    n8n.url,
    await n8n.createWorkflow([{ name: 'Read', type: newsletterType, parameters, credentials }]),
  );
  await openPanel(page, 'Read');
  await page.click('[data-test-id=resource-locator-publicationId] [data-test-id=rlc-input]');
  const item = await page.waitForSelector('[data-test-id=rlc-item]', { visible: true });
  expect(await item?.evaluate((element) => element.textContent)).toContain('(Sandbox)');
  await picture(page, 'publications');
});

it('asks in the credential for a base URL only with the service Other', async () => {
  await page.setViewport({ width: 1440, height: 900 });
  const id = await n8n.createCredential('newsletterApi', { ...credential });
  const texts = async (): Promise<string> =>
    page.$eval('[data-test-id=editCredential-modal]', (modal) =>
      [modal.textContent, ...[...modal.querySelectorAll('input')].map(({ value }) => value)].join('\n'),
    );
  await page.goto(`${n8n.url}/home/credentials/${id}`, { waitUntil: 'domcontentloaded' });
  await page.waitForSelector('[data-test-id=editCredential-modal] [data-test-id=parameter-input-baseUrl]', {
    visible: true,
  });
  // Saved without a service: shown as Other.
  const saved = await texts();
  for (const text of ['Service', 'Other', 'Base URL', credential.baseUrl, 'API Key', 'Publication ID'])
    expect(saved).toContain(text);
  await picture(page, 'credential-other');
  // Clicks once the list stands still.
  await page.locator('[data-test-id=parameter-input-service] input').click();
  await page.locator('::-p-text(Local Sandbox)').click();
  await page.waitForSelector('[data-test-id=parameter-input-baseUrl]', { hidden: true });
  await picture(page, 'credential-sandbox');
});
