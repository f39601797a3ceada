/** n8n's editor in a real Chromium: signs in, opens workflows and node panels, takes pictures. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { root } from '../../../scripts/chain/root.ts';
import { owner } from './rest.ts';

/** Ignored by git; pictures are for people to look at. */
const pictures = join(root, '.output', 'n8n');

/** Signs in and gives the page. */
export async function openEditor(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  await page.setViewport({ width: 1440, height: 900 });
  await page.goto(`${url}/signin`, { waitUntil: 'domcontentloaded' });
  await (
    await page.waitForSelector('input[type=email], input[name=emailOrLdapLoginId]', { visible: true })
  )?.type(owner.email);
  await (await page.waitForSelector('input[type=password]', { visible: true }))?.type(owner.password);
  await page.click('[data-test-id=form-submit-button]');
  await page.waitForFunction(() => !location.pathname.startsWith('/signin'));
  return page;
}

/** Opens a workflow and waits until its nodes are drawn. */
export async function openWorkflow(page: Page, url: string, id: string): Promise<void> {
  await page.goto(`${url}/workflow/${id}`, { waitUntil: 'domcontentloaded' });
  await page.waitForSelector('[data-test-id=canvas-node]', { visible: true });
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[data-test-id=canvas-node] img')].every(
      (img) => img instanceof HTMLImageElement && img.complete,
    ),
  );
  await settle(page);
}

/** Opens the panel of a node by its name. */
export async function openPanel(page: Page, node: string): Promise<void> {
  const element = await page.waitForSelector(`[data-test-id=canvas-node][data-node-name="${node}"]`, { visible: true });
  await element?.click({ count: 2 });
  await page.waitForSelector('[data-test-id=node-parameters]', { visible: true });
  await settle(page);
}

/** Everything a person can read in the open panel, what stands in its inputs included. */
export async function panelText(page: Page): Promise<string> {
  return page.$eval('[data-test-id=node-parameters]', (panel) =>
    [panel.textContent, ...[...panel.querySelectorAll('input')].map((input) => input.value)].join('\n'),
  );
}

export async function closePanel(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.waitForSelector('[data-test-id=node-parameters]', { hidden: true });
}

/** @returns the path of the picture */
export async function picture(page: Page, name: string): Promise<string> {
  await mkdir(pictures, { recursive: true });
  const path = join(pictures, `${name}.png`);
  await page.screenshot({ path: `${path.slice(0, -4)}.png` });
  return path;
}

/** The editor animates what it shows, and fills it in as it loads; a picture before that is over shows half of it. */
async function settle(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector(
        '.el-skeleton, .el-loading-mask, [data-test-id=resource-mapper-fields-container] .el-loading-spinner',
      ) === null &&
      document
        .getAnimations()
        .every(
          ({ playState, effect }) => playState !== 'running' || effect?.getComputedTiming().iterations === Infinity,
        ),
    { polling: 100, timeout: 60_000 },
  );
}
