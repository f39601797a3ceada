/**
 * Every page of examples/pages in Chromium: a signup is delivered by the relay, and the console has no error.
 * `PICTURES=pages npm test -- test/examples/pages.slow.test.ts` takes the pictures that the gallery shows.
 */
import { readdir, readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Frame, Page } from 'puppeteer-core';
import { afterAll, describe, expect, it } from 'vitest';
import { build } from 'vite';
import { createSite } from '../../examples/demo/site.ts';
import { findings } from '../../packages/sandbox/test/ui/findings.ts';
import { root } from '../../scripts/root.ts';
import { showsArrivalInWindow } from '../e2e/visitor.ts';
import { setWorld, takePicture, type World } from './world.ts';

const folder = join(root, 'examples/pages');
const entries = await readdir(folder, { withFileTypes: true });
const files = entries.filter(({ name }) => name.endsWith('.html')).map(({ name }) => name);
const frameworks = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);

const built = await mkdtemp(join(tmpdir(), 'newsletter-pages-'));
afterAll(() => rm(built, { recursive: true, force: true }));
const world = setWorld(async ({ relayUrl, sandboxUrl }) => {
  const endpoint = `${relayUrl}/signup`;
  for (const name of frameworks) {
    await build({
      root: join(folder, name),
      base: `/built/${name}/`,
      logLevel: 'warn',
      build: { outDir: join(built, name), emptyOutDir: true },
      define: { 'import.meta.env.VITE_ENDPOINT': JSON.stringify(endpoint) },
    });
  }
  const pages = createSite({ sandboxUrl, signupEndpoint: endpoint });
  pages.use('/built/*', serveStatic({ root: built, rewriteRequestPath: (path) => path.replace('/built', '') }));
  return pages;
});
const open: World['open'] = (...options) => world().open(...options);
const arrived: World['arrived'] = (email) => world().arrived(email);

/** Selects inside the tag: in its shadow root or in the page's own form. */
const inTag = (tag: string, selector: string): string =>
  `${tag} >>> ${selector}, ${tag} ${selector}:not([slot=fallback] *)`;

/** Fills in a form, sends it, and waits for the thanks. */
async function signUp(place: Page | Frame, email: string, tag = 'newsletter-signup'): Promise<void> {
  const input = await place.waitForSelector(inTag(tag, 'input[name=email]'), { visible: true });
  await input?.type(email);
  for (const box of await place.$$(inTag(tag, 'input[required]:not([name=email])'))) {
    const type = await box.evaluate((control) => (control instanceof HTMLInputElement ? control.type : ''));
    if (type === 'checkbox') await box.click();
    else await box.type('Ada');
  }
  const [choice] = await place.$$(inTag(tag, '[data-required] input[type=checkbox]'));
  await choice?.click();
  await (
    await place.waitForSelector(`${tag} >>> [part~=button], ${tag} form:not([slot]) button`, { visible: true })
  )?.click();
  await place.waitForSelector(inTag(`${tag}:state(success)`, '[part~=notice]'), { visible: true });
}

async function takePictures(page: Page, file: string): Promise<void> {
  if (process.env['PICTURES'] !== 'pages') return;
  for (const scheme of ['dark', 'light'] as const) await takePicture(page, file.replace('.html', ''), scheme);
}

describe('examples/pages', () => {
  it('lists every page in its README, and the gallery shows those that need no building, each with a picture', async () => {
    const readme = await readFile(join(folder, 'README.md'), 'utf8');
    expect([...files, ...frameworks].filter((name) => !readme.includes(`(${name})`))).toEqual([]);
    const { page } = await open('/pages/');
    expect(await page.$$eval('main a', (links) => links.map((link) => `${link.getAttribute('href')}.html`))).toEqual(
      files.toSorted(),
    );
    for (const scheme of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      for (const picture of await page.$$('main img')) {
        await picture.scrollIntoView();
        // Without a source for a moment, while the picture changes with the scheme.
        await page.waitForFunction(
          ({ complete, naturalWidth, currentSrc }, wanted) =>
            complete && naturalWidth === 640 && currentSrc.includes(wanted),
          {},
          picture,
          `-${scheme}.webp`,
        );
      }
    }
  });

  it('are served as they are in the folder, but for the address of the relay', async () => {
    for (const file of files) {
      const served = await (await fetch(`${world().servers.demoUrl}/pages/${file}`)).text();
      const source = await readFile(join(folder, file), 'utf8');
      expect(served, file).toBe(source.replaceAll('http://127.0.0.1:4020', world().servers.relayUrl));
    }
  });

  it.each(['plain', 'framer'])('%s in the gallery shows what arrived, on a phone, and after a reload', async (name) => {
    const { page, complaints } = await open(`/pages/${name}?utm_source=gallery`);
    await page.setViewport({ width: 390, height: 844 });
    await page.reload({ waitUntil: 'load' });
    await page.waitForSelector('#latest-connection[data-state=open]');
    const frame = await (await page.waitForSelector('iframe'))?.contentFrame();
    const nested = await (await frame?.$('iframe'))?.contentFrame();
    const place = nested ?? frame;
    if (!place) throw new Error('There is no frame.');
    await place.waitForSelector(inTag('newsletter-signup', 'input[name=email]'));
    await signUp(place, `gallery-${name}@example.com`);
    expect(await showsArrivalInWindow(page, `gallery-${name}@example.com`)).toBe(true);
    await page.reload({ waitUntil: 'load' });
    await page.waitForSelector('#latest-connection[data-state=open]');
    expect(await showsArrivalInWindow(page, `gallery-${name}@example.com`)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('names the assumptions of every page', async () => {
    for (const file of files) expect(await readFile(join(folder, file), 'utf8'), file).toMatch(/assumed/i);
  });
});

describe('the demo site', () => {
  it.each([
    ['/', 1280, 'light'],
    ['/', 360, 'dark'],
    ['/pages/', 360, 'light'],
    ['/pages/', 1280, 'dark'],
    ['/pages/plain', 360, 'dark'],
    ['/pages/plain', 1280, 'light'],
  ] as const)('%s has no axe violation and fits into %i pixels, %s', async (path, width, scheme) => {
    const { page, complaints } = await open(path);
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      // What arrived fades in otherwise, and text has too little contrast while it does.
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
    // Loaded again in this scheme: after a change, the colours of the form are in transition.
    await page.reload({ waitUntil: 'load' });
    await page.waitForSelector(path === '/' ? 'newsletter-signup >>> button' : '.cards a, example-page iframe');
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(complaints).toEqual([]);
  });
});

describe('a signup arrives with its attribution', () => {
  const inFrame = 'framer.html';
  const special = [inFrame, 'languages.html'];

  it.each(files.filter((file) => !special.includes(file)))('from %s', async (file) => {
    const { page, complaints } = await open(`/pages/${file}?utm_source=${file}`);
    const email = `${file.replace('.html', '')}@example.com`;
    // Opens the form if it is in a dialog.
    await page.waitForSelector(inTag('newsletter-signup', 'input[name=email]'));
    await (await page.$('[slot=trigger]'))?.click();
    await takePictures(page, file);
    await signUp(page, email);
    expect(await arrived(email)).toMatchObject({ email, utm_source: file });
    expect(complaints).toEqual([]);
  });

  it(`from ${inFrame}, with the attribution of its attributes`, async () => {
    const { page, complaints } = await open(`/pages/${inFrame}?utm_source=unseen`);
    const frame = await (await page.waitForSelector('iframe'))?.contentFrame();
    if (!frame) throw new Error('There is no frame.');
    await takePictures(page, inFrame);
    await signUp(frame, 'framer@example.com');
    expect(await arrived('framer@example.com')).toMatchObject({ utm_source: 'website', utm_content: 'framer embed' });
    expect(complaints).toEqual([]);
  });

  it.each(frameworks)('from %s, which sets properties of the tag and receives its events', async (name) => {
    const { page, complaints } = await open(`/built/${name}/?utm_source=${name}`);
    const words = await page.waitForSelector('main > label input');
    await words?.click({ count: 3 });
    await words?.type('Join');
    await page.waitForFunction(
      () => document.querySelector('newsletter-signup')?.shadowRoot?.querySelector('button')?.textContent === 'Join',
    );
    await signUp(page, `${name}@example.com`);
    expect(await page.$eval('output', ({ textContent }) => textContent)).toBe(name);
    expect(await arrived(`${name}@example.com`)).toMatchObject({
      utm_source: name,
      custom_fields: [expect.objectContaining({ name: 'Topics', value: ['boats'] })],
    });
    expect(complaints).toEqual([]);
  });
});

describe('single pages', () => {
  it('enhanced.html works without JavaScript, and leads to a page of thanks', async () => {
    const { page } = await open('/pages/enhanced.html', { javaScript: false });
    await page.type('input[name=email]', 'plain+post@example.com');
    await page.type('input[name="custom_fields[First Name]"]', 'Ada');
    await (await page.$$('input[type=checkbox]'))[1]?.click();
    await Promise.all([page.waitForNavigation(), page.click('button')]);
    expect(page.url()).toContain(new URL(world().servers.relayUrl).host);
    expect(await arrived('plain+post@example.com')).toMatchObject({
      custom_fields: expect.arrayContaining([
        expect.objectContaining({ name: 'First Name', value: 'Ada' }),
        expect.objectContaining({ name: 'Topics', value: ['food'] }),
      ]),
    });
  });

  it('languages.html has three languages, one from right to left', async () => {
    const { page, complaints } = await open('/pages/languages.html');
    await page.waitForFunction(() =>
      [...document.querySelectorAll('newsletter-signup')].every(
        ({ shadowRoot }) => shadowRoot?.querySelector('button')?.textContent !== 'Subscribe',
      ),
    );
    await takePictures(page, 'languages.html');
    for (const [index, button] of ['Abonnieren', 'اشترك', '登録'].entries()) {
      const tag = `section:nth-of-type(${index + 1}) newsletter-signup`;
      expect(await page.$eval(inTag(tag, 'button'), ({ textContent }) => textContent)).toContain(button);
      await signUp(page, `language-${index}@example.com`, tag);
    }
    await arrived('language-2@example.com');
    expect(complaints).toEqual([]);
  });

  it('ghost.html keeps the style of its form under a theme that styles every input', async () => {
    const { page } = await open('/pages/ghost.html');
    const input = await page.waitForSelector(inTag('newsletter-signup', 'input[name=email]'));
    expect(await input?.evaluate((control) => getComputedStyle(control).outlineStyle)).not.toBe('dashed');
  });

  it('crm.html sends the campaign of the first page on the next one, after consent', async () => {
    const { page } = await open('/pages/crm.html?utm_source=swap&utm_campaign=autumn');
    await page.waitForSelector(inTag('newsletter-signup', 'button'));
    await page.click('#banner button[value=yes]');
    await Promise.all([page.waitForNavigation(), page.click('#next')]);
    await page.waitForSelector('#banner[hidden]');
    await signUp(page, 'crm-next@example.com');
    expect(await arrived('crm-next@example.com')).toMatchObject({
      utm_source: 'swap',
      utm_campaign: 'autumn',
      custom_fields: expect.arrayContaining([expect.objectContaining({ name: 'Wants print', value: true })]),
    });
  });

  it('crm.html does not store the campaign without consent', async () => {
    const context = await world().session.browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(`${world().servers.demoUrl}/pages/crm.html?utm_source=swap`);
    await page.waitForSelector(inTag('newsletter-signup', 'button'));
    await page.click('#banner button[value=no]');
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual(['banner']);
    await context.close();
  });
});
