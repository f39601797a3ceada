import { assumed, operations, type OperationId } from '@newsletter-kit/core/contract';
import type { ElementHandle, Page } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { describeInBrowser, open } from './browser.ts';

/** The box of an operation, once the API key is filled in: Swagger UI draws the boxes again then. */
async function boxOf(page: Page, id: OperationId): Promise<ElementHandle> {
  await page.waitForSelector('.btn.authorize.locked');
  await page.waitForSelector('.opblock');
  const boxes = await page.$$('.opblock');
  const ids = await page.$$eval('.opblock-summary-operation-id', (all) => all.map(({ textContent }) => textContent));
  const box = boxes[ids.indexOf(id)];
  if (!box) throw new Error(`${id} is not listed; there are: ${ids.join(', ')}`);
  return box;
}

/** Opens an operation by keyboard, and waits for its form. */
async function unfold(page: Page, id: OperationId): Promise<ElementHandle> {
  const box = await boxOf(page, id);
  await (await box.$('.opblock-summary-control'))?.press('Enter');
  await box.waitForSelector('.execute');
  return box;
}

/** Sends the operation by keyboard. @returns the answer as it is shown */
async function execute(box: ElementHandle): Promise<string> {
  await (await box.$('.execute'))?.press('Enter');
  const answer = await box.waitForSelector('.live-responses-table .response');
  return (await answer?.evaluate((element) => element.textContent)) ?? '';
}

describeInBrowser('the documentation', () => {
  test('lists every operation, and shows what is assumed about it', async () => {
    const { page } = await open({ path: '/docs' });
    const box = await unfold(page, 'subscriptions.create');
    const text = await box.evaluate((element) => element.textContent);
    for (const sentence of assumed['subscriptions.create']) expect(text).toContain(sentence);
    expect(text).toContain('subscriptions:write');
    const listed = await page.$$eval('.opblock-summary-operation-id', (all) => all.map((one) => one.textContent));
    // The two grants of the token endpoint share one place.
    expect(listed.toSorted()).toEqual(
      operations
        .map(({ id }) => id as string)
        .filter((id) => id !== 'oauth.refresh')
        .toSorted(),
    );
  });

  test('the forms send operations with the key filled in or another one, and show the answers', async () => {
    const { page, call } = await open({ path: '/docs', seed: 'empty' });
    const create = await unfold(page, 'subscriptions.create');
    expect(await execute(create)).toMatch(/200.*ada@example\.com/s);
    expect(await call('GET', '/subscriptions')).toMatchObject({ body: { data: [{ email: 'ada@example.com' }] } });
    // Its body is a form.
    expect(await execute(await unfold(page, 'oauth.introspect'))).toMatch(/200.*"active": false/s);
    await page.click('.btn.authorize');
    await page.locator('.dialog-ux ::-p-text(Logout)').click();
    await page.locator('.dialog-ux input').fill('wrong');
    await page.keyboard.press('Enter');
    await page.locator('.dialog-ux .btn-done').click();
    expect(await execute(await unfold(page, 'customFields.list'))).toMatch(/401.*INVALID_API_KEY/s);
  });

  test('fits a screen of 320 px, in the dark and the light theme of the system', async () => {
    const { page, control } = await open({ path: '/docs', dark: true, seed: 'demo' });
    await page.setViewport({ width: 320, height: 780 });
    const list = await unfold(page, 'subscriptions.list');
    // A list answers with a cursor unless a page is asked for.
    expect(await execute(list)).toMatch(/"has_more": true/);
    const { body } = await control<{ data: { query: object }[] }>('GET', '/requests');
    expect(body.data.at(-1)?.query).toMatchObject({ limit: '10' });
    await unfold(page, 'oauth.authorize');
    for (const scheme of ['dark', 'light']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await page.waitForSelector(scheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)');
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    }
  });
});
