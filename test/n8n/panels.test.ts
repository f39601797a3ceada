/**
 * The panel of the action node in n8n's editor, with a screenshot of each resource in .output/n8n for review.
 */
import { afterAll, beforeAll, expect, inject } from 'vitest';
import type { Page } from 'puppeteer-core';
import { openBrowser, type BrowserSession } from '../e2e/visitor.ts';
import { closePanel, openEditor, openPanel, openWorkflow, panelText, picture } from './harness/editor.ts';
import { chosen, newsletterType, start } from './harness/nodes.ts';
import { n8n, test } from './harness/test.ts';
import { executions } from './operations/index.ts';

const { n8nUrl } = inject('newsletter');
let session: BrowserSession;
let page: Page;
beforeAll(async () => {
  session = await openBrowser();
  page = await openEditor(session.browser, n8nUrl);
  // Tall enough for a whole panel.
  await page.setViewport({ width: 1440, height: 1500 });
});
afterAll(() => session?.close());

interface Panel {
  readonly resource: string;
  readonly operation: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Expected texts besides Resource and Operation. */
  readonly labels: readonly string[];
}

/** At least one operation of each resource. */
const panels: readonly Panel[] = [
  {
    resource: 'advertisementOpportunity',
    operation: 'getMany',
    labels: ['Advertisement Opportunity', 'Return All', 'Limit', 'Output'],
  },
  { resource: 'author', operation: 'get', labels: ['Author', 'From list', 'Output'] },
  { resource: 'automation', operation: 'getEmails', labels: ['Automation', 'Get Emails', 'Return All'] },
  { resource: 'bulkUpdateJob', operation: 'get', labels: ['Bulk Update Job', 'From list'] },
  { resource: 'complimentaryAccess', operation: 'getMany', labels: ['Complimentary Access', 'Options'] },
  {
    resource: 'conditionSet',
    operation: 'getMany',
    parameters: { filters: { purpose: 'dynamic_content' } },
    labels: ['Condition Set', 'Purpose', 'Dynamic Content'],
  },
  { resource: 'customField', operation: 'create', labels: ['Custom Field', 'Name', 'Kind', 'Text'] },
  {
    resource: 'dataDeletion',
    operation: 'request',
    labels: ['Data Deletion', 'Email', 'Confirm Email', '14 days', 'cannot be undone'],
  },
  {
    resource: 'journey',
    operation: 'enroll',
    parameters: { options: { double_opt_override: 'off' } },
    labels: ['Journey', 'Enroll', 'Automation', 'Subscription', 'By Email', 'If Already Enrolled'],
  },
  { resource: 'publication', operation: 'getMany', labels: ['Return All', 'Output'] },
  { resource: 'publicationField', operation: 'getMany', labels: ['Publication Field', 'Return All', 'Filters'] },
  {
    resource: 'subscription',
    operation: 'bulkImport',
    labels: ['Bulk Import', 'accepted', 'Mapping', 'Map Automatically'],
  },
  {
    resource: 'subscription',
    operation: 'create',
    labels: ['Email', 'If Already Subscribed', 'Refuse', 'Custom Fields', 'Output', 'Additional Fields'],
  },
  {
    resource: 'subscription',
    operation: 'createOrUpdate',
    parameters: { email: 'ada@example.com' },
    labels: ['Subscription', 'Email', 'Custom Fields', 'Output', 'Additional Fields'],
  },
  {
    resource: 'subscription',
    operation: 'getMany',
    parameters: {
      filters: { status: 'active' },
      options: { expand: ['custom_fields', 'stats'], direction: 'asc' },
      output: 'selected',
      fields: ['email', 'utm_source'],
    },
    labels: ['Filters', 'Status', 'Active', 'Include', 'Sort Direction', 'Output', 'Selected Fields', 'Fields'],
  },
  {
    resource: 'subscription',
    operation: 'update',
    parameters: {
      subscription: chosen('ada@example.com', 'email'),
      updateFields: { tier: 'premium', unsubscribe: false },
    },
    labels: ['Update Fields', 'Tier', 'Premium', 'Unsubscribe', 'Wait for Completion', 'Timeout'],
  },
  {
    resource: 'subscription',
    operation: 'updateStatus',
    labels: ['Subscription', 'By ID', 'New Status', 'Inactive', 'Wait for Completion'],
  },
  {
    resource: 'subscription',
    operation: 'bulkUpdate',
    labels: ['Subscription', 'Update Fields', 'Wait for Completion'],
  },
];

test('every resource has a screenshot', () => {
  expect([...new Set(panels.map(({ resource }) => resource))].toSorted()).toEqual(Object.keys(executions).toSorted());
});

test('the panels show the parameters of each operation', async ({ credentials }) => {
  const workflow = await n8n.createWorkflow([
    start,
    ...panels.map(({ resource, operation, parameters }) => ({
      name: `${resource} ${operation}`,
      type: newsletterType,
      parameters: { resource, operation, ...parameters },
      credentials,
    })),
  ]);
  await openWorkflow(page, n8nUrl, workflow);
  await picture(page, 'nodes');
  for (const { resource, operation, labels } of panels) {
    const name = `${resource} ${operation}`;
    await openPanel(page, name);
    const text = await panelText(page);
    for (const label of ['Resource', 'Operation', ...labels]) expect.soft(text, name).toContain(label);
    await picture(page, `panel-${resource}-${operation}`);
    await closePanel(page);
  }
});
