/** Subresource integrity: the script from another host, with the hash that the page names. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { widgetScript } from '../../scripts/build.ts';
import { useBrowser } from '../e2e/use-browser.ts';
import { modes, pageWith } from './modes.ts';
import { openSite, type Site } from './site.ts';

let site: Site;
let cdn: Site;
const session = useBrowser();
beforeAll(async () => {
  [site, cdn] = [await openSite(), await openSite()];
});
afterAll(() => Promise.all([site?.close(), cdn?.close()]));

async function isThere(fingerprint: string): Promise<boolean> {
  const page = await session.browser.newPage();
  const [mode] = modes;
  const script = `<script src="${cdn.origin}/signup-form.js" integrity="sha384-${fingerprint}" crossorigin="anonymous"></script>`;
  await page.goto(site.page('/integrity', { html: pageWith(mode?.markup('/signup') ?? '', script) }), {
    waitUntil: 'load',
  });
  return (await page.evaluate(
    `Boolean(document.querySelector('newsletter-signup').shadowRoot?.querySelector('form'))`,
  )) as boolean;
}

it('runs with its own hash, and with no other', async () => {
  const fingerprint = createHash('sha384')
    .update(await readFile(widgetScript))
    .digest('base64');
  expect(await isThere(fingerprint)).toBe(true);
  expect(await isThere(createHash('sha384').update('another file').digest('base64'))).toBe(false);
});
