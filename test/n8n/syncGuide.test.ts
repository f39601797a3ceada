/**
 * "In step in ten minutes" of the documentation, step by step in the editor of a fresh n8n, with a data table as
 * the CRM. Screenshots are written to .output/n8n for review.
 */
import type { ElementHandle, Page } from 'puppeteer-core';
import { expect, inject } from 'vitest';
import { openBrowser } from '../e2e/visitor.ts';
import { openEditor, openPanel, openWorkflow, picture } from './harness/editor.ts';
import type { Execution } from './harness/rest.ts';
import { readExample } from './harness/syncExample.ts';
import { n8n, test } from './harness/test.ts';

const { n8nUrl } = inject('newsletter');

test.override({ sandboxOptions: { seed: 'demo', profile: 'unlimited' } });

test('keeps a data table in step: preview, apply, and an edit of each side', async ({
  credentials,
  api,
  sandboxOnPort,
}) => {
  const example = await readExample('contact-sync-data-table');
  const nodes = example.nodes.map((node) => (node.name === 'Sync' ? { ...node, credentials } : node));
  const workflow = await n8n.saveWorkflow({ ...example, nodes });
  const session = await openBrowser();
  try {
    const page = await openEditor(session.browser, n8nUrl);
    await openWorkflow(page, n8nUrl, workflow);
    await picture(page, 'guide-sync-workflow');

    await execute(page, workflow, 'Set up');
    const preview = await execute(page, workflow, 'Every hour');
    expect(preview.output('Report')).toMatchObject([
      { mode: 'preview', held: null, counts: { contacts: 0, subscriptions: 300, contactCreates: 286 } },
    ]);
    expect(preview.output('Report')[0]?.['summary']).toMatch(
      /^Would create 286 contacts, change 0\. 14 subscriptions get no contact: 14 erased\./,
    );
    expect(preview.output('Planned')).toHaveLength(286);
    for (const [node, name] of [
      ['Report', 'guide-sync-report'],
      ['Planned', 'guide-sync-planned'],
    ] as const) {
      await openPanel(page, node);
      await picture(page, name);
      await close(page);
    }

    await openPanel(page, 'Sync');
    await page.click('[data-test-id=parameter-input-mode] input');
    await press(await shown(page, '.el-select-dropdown__item', /^\s*Apply/));
    await page.waitForFunction(() =>
      document.querySelector('[data-test-id=node-parameters]')?.textContent.includes('Connect Create Contact'),
    );
    await picture(page, 'guide-sync-apply');
    await close(page);
    const applied = await execute(page, workflow, 'Every hour');
    expect(applied.output('Create contacts')).toHaveLength(286);
    expect(applied.output('Check answers', 1)).toMatchObject([{ handedOver: 286, written: 286, refused: 0 }]);
    await picture(page, 'guide-sync-applied');
    const again = await execute(page, workflow, 'Every hour');
    expect([3, 4].map((index) => again.output('Sync', index))).toEqual([[], []]);

    await page.goto(`${n8nUrl}/home/datatables`, { waitUntil: 'domcontentloaded' });
    await press(await shown(page, 'h2, a, span', /^Newsletter contacts/));
    const ada = await cell(page, 0, 'Ada');
    await ada.click({ count: 2 });
    await page.keyboard.down('Control');
    await page.keyboard.press('a');
    await page.keyboard.up('Control');
    await page.keyboard.type('Augusta');
    await save(page);
    const optOut = await cell(page, 2, 'Null');
    await optOut.click({ count: 2 });
    await page.keyboard.press('Space');
    await save(page);
    await picture(page, 'guide-sync-table');

    const find = async (email: string) => {
      const [found] = (await api.subscriptions.list({ email, expand: ['custom_fields'] })).items;
      const name = found?.custom_fields?.find((field) => field.name === 'First Name')?.value;
      return { id: found?.id ?? '', status: found?.status, name };
    };
    await openWorkflow(page, n8nUrl, workflow);
    const edited = await execute(page, workflow, 'Every hour');
    expect(edited.output('Report')).toMatchObject([{ written: { subscriptionUpdates: 2, failed: 0 } }, { records: 1 }]);
    await picture(page, 'guide-sync-edited');
    expect(await find('ada.lovelace@example.com')).toMatchObject({ status: 'active', name: 'Augusta' });
    expect(await find('fatima.horvat2@mail.example.com')).toMatchObject({ status: 'inactive' });

    const { id } = await find('ines.ferreira3@correo.example');
    await api.subscriptions.bulkUpdate({ subscriptions: [{ subscription_id: id, unsubscribe: true }] });
    sandboxOnPort.clock.advance('PT1M');
    const left = await execute(page, workflow, 'Every hour');
    // Includes the status of the contact that opted out in the table.
    expect(left.output('Update contacts')).toMatchObject([
      { email: 'fatima.horvat2@mail.example.com', newsletter_status: 'inactive' },
      { email: 'ines.ferreira3@correo.example', newsletter_status: 'inactive', do_not_mail: true },
    ]);
    await n8n.activate(workflow);
  } finally {
    await session.close();
  }
});

/** Points at the trigger, presses "Execute workflow" beside it, and waits for the end. */
async function execute(page: Page, workflow: string, trigger: string): Promise<Execution> {
  const before = new Set(await n8n.executionIds(workflow));
  await page.hover(`[data-test-id=canvas-node][data-node-name="${trigger}"]`);
  await press(await shown(page, `[data-test-id="execute-workflow-button-${trigger}"]`, /Execute/));
  let id: string | undefined;
  await expect
    .poll(async () => (id = (await n8n.executionIds(workflow)).find((each) => !before.has(each))))
    .toBeDefined();
  const execution = await n8n.ended(id ?? '');
  expect(execution.error).toBeUndefined();
  await page.mouse.move(700, 700);
  // n8n's notification covers the nodes.
  const notification = '.el-notification';
  await page.waitForSelector(notification, { visible: true });
  await page.$$eval(`${notification}__closeBtn`, (buttons) => buttons.forEach((each) => (each as HTMLElement).click()));
  await page.waitForSelector(notification, { hidden: true });
  return execution;
}

/** Clicks an element that may still be animated. */
function press(element: ElementHandle): Promise<void> {
  return element.evaluate((each) => {
    if (each instanceof HTMLElement) each.click();
  });
}

/** Ends the edit of a cell, and waits until n8n has saved it. */
async function save(page: Page): Promise<void> {
  const saved = page.waitForResponse(
    (response) => response.request().method() === 'PATCH' && response.url().includes('/data-tables/'),
  );
  await page.keyboard.press('Enter');
  expect((await saved).ok()).toBe(true);
}

async function close(page: Page): Promise<void> {
  await page.click('[data-test-id=ndv-close-button]');
  await page.waitForSelector('[data-test-id=node-parameters]', { hidden: true });
}

/** Waits for a visible element with this text. */
async function shown(page: Page, selector: string, text: RegExp): Promise<ElementHandle> {
  const found = await page.waitForFunction(
    (each, source) =>
      [...document.querySelectorAll(each)].find(
        (element) => element.checkVisibility() && new RegExp(source).test(element.textContent.trim()),
      ),
    {},
    selector,
    text.source,
  );
  return found as ElementHandle;
}

/** Waits for a cell of a data table. */
async function cell(page: Page, row: number, text: string): Promise<ElementHandle> {
  return shown(page, `[role=row][row-index="${row}"] [role=gridcell]`, new RegExp(`^${text}$`));
}
