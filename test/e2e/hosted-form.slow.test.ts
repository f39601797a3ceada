/** The form that the relay hosts: as a page that a link opens, and in a frame on a site, in every engine. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { serve, type ServingRelay } from '../../packages/relay/test/commands/relay-process.ts';
import { languages } from '../../packages/relay/src/pages/words.ts';
import { formPost, runRelay } from '../../packages/relay/test/running-relay.ts';
import { formPages, linkPages } from '../../packages/relay/test/site-pages.ts';
import { findings } from '../../packages/sandbox/test/ui/findings.ts';
import { root } from '../../scripts/root.ts';
import { enginesToTest } from '../support/browsers/engines.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { patience, windows, type Window } from '../widget/window.ts';
import { hosted } from './hosted.ts';
import { useBrowser } from './use-browser.ts';

const english = {
  RELAY_PAGE: 'true',
  RELAY_PAGE_TITLE: 'Letters from the harbour',
  RELAY_PAGE_TEXT: 'Every Friday, one page about boats.',
  RELAY_PAGE_FIELDS: 'First Name:given-name, Topics=boats|food|history',
  RELAY_PAGE_CONSENT: 'I want the letter, and can leave with a click.',
};
/** `PICTURES=guide` takes the picture of the documentation anew; any other value is a folder for all pictures. */
const isGuide = process.env['PICTURES'] === 'guide';
const folder = isGuide ? undefined : process.env['PICTURES'];

const themes = ['dusk', 'harbor', 'ink', 'linen', 'meadow', 'signal'] as const;
const schemes = ['light', 'dark'] as const;
const arabic = {
  ...english,
  RELAY_PAGE_TITLE: 'رسائل من الميناء',
  RELAY_PAGE_TEXT: 'كل يوم جمعة صفحة واحدة عن القوارب.',
  RELAY_PAGE_FIELDS: 'المواضيع=قوارب|طعام',
  RELAY_PAGE_CONSENT: 'أريد الرسالة.',
  RELAY_PAGE_LANG: 'ar',
};

describe('in Chromium', () => {
  const session = useBrowser();

  it.each([
    ['wide, light, plain', 900, 'light', english],
    ['narrow, dark, plain', 320, 'dark', english],
    ['narrow, right to left', 320, 'light', arabic],
    ...themes.flatMap((theme) =>
      schemes.map((scheme) => [`${theme}, ${scheme}`, 480, scheme, { ...english, RELAY_PAGE_THEME: theme }] as const),
    ),
  ] as const)('is accessible %s, and signs up without JavaScript', async (name, width, scheme, settings) => {
    const { address, stop } = await started(settings);
    const page = await session.browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => void complaints.push(message.text()));
    await page.setViewport({ width, height: 800 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.goto(`${address}/signup?utm_source=insta`);
    expect(await findings(page)).toEqual([]);
    expect(await edgeContrast(page)).toBeGreaterThanOrEqual(3);
    expect(complaints).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    if (folder) await page.screenshot({ path: `${folder}/hosted ${name}.png`, fullPage: true });

    await page.setJavaScriptEnabled(false);
    await page.reload();
    await page.type('input[name=email]', 'ada@example.com');
    await page.click('input[name=consent]');
    await Promise.all([page.waitForNavigation(), page.click('button')]);
    expect(await page.title()).toBe(
      `${name.includes('right to left') ? 'شكرًا لك.' : 'Thank you.'} · ${settings.RELAY_PAGE_TITLE}`,
    );
    await stop();
  });

  it('has a picture in the documentation', async () => {
    const page = await session.browser.newPage();
    const tiles: Buffer[] = [];
    type Shown = readonly [scheme: 'light' | 'dark', settings: Readonly<Record<string, string>>, wrong?: string];
    const shows: readonly Shown[] = [
      ...themes.flatMap((RELAY_PAGE_THEME) =>
        schemes.map((scheme): Shown => [scheme, { ...english, RELAY_PAGE_THEME }]),
      ),
      ['light', arabic],
      ['light', { ...english, RELAY_PAGE_THEME: 'meadow' }, 'ada@'],
    ];
    for (const [scheme, settings, wrong] of shows) {
      const asked = wrong === undefined ? new Request('https://relay.example/signup') : formPost({ email: wrong });
      const html = await (await runRelay({ settings }).fetch(asked)).text();
      await page.setViewport({ width: settings === arabic ? 320 : 480, height: settings === arabic ? 533 : 800 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await page.setContent(html);
      tiles.push(
        await sharp(await page.screenshot())
          .resize(240, 400)
          .toBuffer(),
      );
    }
    const target = join(root, isGuide ? '.github/guide' : '.output/hosted-form');
    mkdirSync(target, { recursive: true });
    await sharp({ create: { width: 7 * 252 + 12, height: 2 * 412 + 12, channels: 4, background: '#0000' } })
      .composite(tiles.map((input, n) => ({ input, left: 12 + 252 * (n % 7), top: 12 + 412 * Math.floor(n / 7) })))
      .webp({ quality: 85 })
      .toFile(join(target, 'hosted-forms.webp'));
  });
});

/** The lowest contrast of the edge of a text field, with the page and with the field, in pixels of a picture. */
async function edgeContrast(page: Page): Promise<number> {
  const ratios = await Promise.all(
    (await page.$$('form input:not([type=checkbox], [type=hidden])')).map(async (field) => {
      const { x, y, width, height } = (await field.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      const clip = { x: Math.round(x) - 4, y: Math.round(y + height / 2), width: 9, height: 1 };
      const { data, info } = await sharp(await page.screenshot({ clip }))
        .raw()
        .toBuffer({ resolveWithObject: true });
      const lights = Array.from({ length: info.width }, (_, n) =>
        luminance(data.subarray(n * info.channels, n * info.channels + 3)),
      );
      const [outside = 0, inside = 0] = [lights[0], lights.at(-1)];
      const contrast = (one: number, other: number): number =>
        (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      expect(width).toBeGreaterThan(200);
      return Math.max(...lights.map((edge) => Math.min(contrast(edge, outside), contrast(edge, inside))));
    }),
  );
  return Math.min(...ratios);
}

/** The relative luminance of WCAG. */
function luminance(rgb: Uint8Array): number {
  const [red = 0, green = 0, blue = 0] = Array.from(rgb, (value) => value / 255).map((light) =>
    light <= 0.04045 ? light / 12.92 : ((light + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe.each(languages)('every page in %s', (lang) => {
  const session = useBrowser();

  it('is accessible, and fits a screen of 320 px, light and dark', { timeout: 180_000 }, async () => {
    const page = await session.browser.newPage();
    await page.setViewport({ width: 320, height: 640 });
    const pages = Object.entries({ ...(await formPages(lang)), ...(await linkPages(lang)) });
    for (const [n, [situation, { html }]] of pages.entries()) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: n % 2 ? 'dark' : 'light' }]);
      await page.goto('about:blank');
      await page.setContent(html);
      expect([situation, await findings(page)]).toEqual([situation, []]);
      const sides = `(({ left, right }) => left >= 0 && right <= innerWidth)(document.querySelector('main').getBoundingClientRect())`;
      expect([
        situation,
        await page.evaluate(`${sides} && document.documentElement.scrollWidth <= innerWidth`),
      ]).toEqual([situation, true]);
      if (folder && ['en', 'de', 'ar'].includes(lang))
        await page.screenshot({ path: `${folder}/${lang} ${situation}.png` });
    }
  });
});

describe.each(enginesToTest())('in $name', ({ name }) => {
  let window: Window;
  beforeAll(async () => {
    window = await windows[name]();
  });
  afterAll(() => window?.close());

  it('signs up in a frame that follows its height, and shows there what was wrong', async () => {
    const frame = (address: string): string => `<!doctype html><title>A site</title>
      <iframe src="${address}/signup" title="Newsletter" style="width: 320px; height: 150px; border: 0"></iframe>
      <script>addEventListener('message', ({ data, source }) => {
        for (const frame of document.querySelectorAll('iframe'))
          if (frame.contentWindow === source && data.type === 'newsletter-height') frame.style.height = data.height + 'px';
      });</script>`;
    let address = '';
    const site = await hosted({
      fetch: () => new Response(frame(address), { headers: { 'content-type': 'text/html' } }),
    });
    onTestFinished(() => site.close());
    const relay = await started({ ...english, RELAY_ALLOWED_ORIGINS: site.origin });
    ({ address } = relay);
    await window.open(site.origin);
    const high = `document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth`;
    await expect.poll(() => window.ask(high, true), patience).toBe(true);
    expect(await window.ask('innerHeight > 150', true)).toBe(true);
    const press = (email: string): Promise<unknown> =>
      window.ask(
        `(document.forms[0].noValidate = true, document.querySelector('[name=email]').value = ${JSON.stringify(email)}, document.querySelector('button').click())`,
        true,
      );
    await press('nobody');
    await expect
      .poll(() => window.ask('document.title', true), patience)
      .toBe('Your signup was not saved · Letters from the harbour');
    await window.goTo(site.origin);
    await expect.poll(() => window.ask(high, true), patience).toBe(true);
    await press('ada@example.com');
    await expect.poll(() => window.ask('document.title', true), patience).toBe('Thank you. · Letters from the harbour');
    await relay.stop();
  });
});

/** Starts a relay. */
async function started(settings: Readonly<Record<string, string>>): Promise<ServingRelay & { stop(): Promise<void> }> {
  const relay = await serve(scratchFolder(), settings);
  return {
    ...relay,
    async stop() {
      relay.child.kill('SIGTERM');
      await relay.ended;
    },
  };
}
