/** n8n's editor in a real Chromium: signs in, opens workflows and node panels, takes screenshots. */
import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import sharp from 'sharp';
import { root } from '../../../scripts/root.ts';
import { owner } from './rest.ts';

/** Screenshots for review; ignored by git. */
export const pictures = join(root, '.output', 'n8n');
/** Where those of the start pages are written. */
export const guide = process.env['PICTURES'] === 'guide' ? join(root, '.github', 'guide') : pictures;

/** Signs in and returns the page. */
export async function openEditor(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  // The editor asks before leaving an unsaved workflow.
  page.on('dialog', (dialog) => void dialog.accept());
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

/** Opens a workflow and waits until its nodes are rendered. */
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

/** All text in the open panel, values of inputs included. */
export async function panelText(page: Page): Promise<string> {
  return page.$eval('[data-test-id=node-parameters]', (panel) =>
    [panel.textContent, ...[...panel.querySelectorAll('input')].map((input) => input.value)].join('\n'),
  );
}

export async function closePanel(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.waitForSelector('[data-test-id=node-parameters]', { hidden: true });
}

/** @returns the path of the screenshot */
export async function picture(page: Page, name: string): Promise<string> {
  await mkdir(pictures, { recursive: true });
  const path = join(pictures, `${name}.png`);
  await page.screenshot({ path: `${path.slice(0, -4)}.png` });
  return path;
}

/** A picture of the start pages. @param of - the element or part of the page to crop to */
export async function guidePicture(
  page: Page,
  name: string,
  of: string | { readonly width: number; readonly height: number },
): Promise<void> {
  await mkdir(guide, { recursive: true });
  await page.mouse.move(0, 0);
  await page.addStyleTag({
    content:
      '.el-notification, [role=tooltip], [data-radix-popper-content-wrapper], [data-reka-popper-content-wrapper] { display: none !important }',
  });
  await settle(page);
  const box =
    typeof of === 'string'
      ? await (await page.waitForSelector(of, { visible: true }))?.boundingBox()
      : { x: 0, y: 0, ...of };
  if (!box) throw new Error(`${String(of)} is not drawn.`);
  const path = join(guide, `${name}.png`);
  await sharp(await page.screenshot({ clip: box }))
    .png({ palette: true, compressionLevel: 9, effort: 10 })
    .toFile(path);
  const { size } = statSync(path);
  if (size >= 80_000) throw new Error(`${path} has ${size} bytes.`);
}

/** A rectangle on the page, in pixels. */
export interface Drawn {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Height of its hidden text. */
  readonly hidden: number;
}

/**
 * Takes a screenshot of the open workflow in full size, cropped to it.
 *
 * @param folder - where to write it
 * @returns its path, and the rectangles of nodes and notes
 */
export async function canvasPicture(
  page: Page,
  folder: string,
  name: string,
): Promise<{ readonly path: string; readonly nodes: readonly Drawn[]; readonly notes: readonly Drawn[] }> {
  // The editor's keys: fit everything into the window, and, since that also enlarges, back to full size.
  await page.keyboard.press('1');
  await settle(page);
  await page.keyboard.press('0');
  await settle(page);
  // Without the grid of dots.
  await page.addStyleTag({ content: '.vue-flow__background { display: none }' });
  const drawn = await page.$$eval('.vue-flow__node', (elements) =>
    elements.map((element) => {
      const isNote = element.querySelector('[data-test-id=sticky]') !== null;
      const own = element.getBoundingClientRect();
      // Name, outputs and their names are outside of the node's own box.
      const parts = [element, ...element.querySelectorAll('*')]
        .filter((part) => part.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
        .map((part) => part.getBoundingClientRect())
        // The run button of a trigger is to its left, and visible only under the pointer.
        .filter((box) => box.width > 0 && box.height > 0 && box.left > own.left - 60);
      const boxes = isNote ? [own] : parts;
      const x = Math.min(...boxes.map((box) => box.left));
      const y = Math.min(...boxes.map((box) => box.top));
      const text = element.querySelector('.sticky-textarea, [data-test-id=sticky] *');
      return {
        name: element.textContent.trim().slice(0, 40),
        x,
        y,
        width: Math.max(...boxes.map((box) => box.right)) - x,
        height: Math.max(...boxes.map((box) => box.bottom)) - y,
        hidden: isNote && text ? text.scrollHeight - text.clientHeight : 0,
        isNote,
      };
    }),
  );
  const margin = 30;
  const left = Math.min(...drawn.map(({ x }) => x)) - margin;
  const top = Math.min(...drawn.map(({ y }) => y)) - margin;
  const clip = {
    x: left,
    y: top,
    width: Math.max(...drawn.map(({ x, width }) => x + width)) + margin - left,
    height: Math.max(...drawn.map(({ y, height }) => y + height)) + margin - top,
  };
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await sharp(await page.screenshot({ clip }))
    .png({ palette: true, compressionLevel: 9, effort: 10 })
    .toFile(path);
  return { path, nodes: drawn.filter(({ isNote }) => !isNote), notes: drawn.filter(({ isNote }) => isNote) };
}

/** Waits for the end of animations and loading, so that a screenshot is complete. */
export async function settle(page: Page): Promise<void> {
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
