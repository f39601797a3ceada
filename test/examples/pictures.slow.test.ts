/**
 * Takes the pictures of the gallery from the pages of examples/pages, light and dark. They are written to .output/pages
 * for review; `PICTURES=pages npm test -- test/examples/pictures.slow.test.ts` writes those that the gallery shows.
 */
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSite } from '../../examples/demo/site.ts';
import { buildIfStale } from '../../scripts/build.ts';
import { root } from '../../scripts/root.ts';
import { hosted, type Hosted } from '../e2e/hosted.ts';
import { openBrowser, type BrowserSession } from '../e2e/visitor.ts';

const pages = join(root, 'examples/pages');
const folder = process.env['PICTURES'] === 'pages' ? join(root, 'examples/pictures') : join(root, '.output/pages');
const files = (await readdir(pages)).filter((name) => name.endsWith('.html'));

let session: BrowserSession;
let site: Hosted;
beforeAll(async () => {
  await buildIfStale('start');
  await mkdir(folder, { recursive: true });
  site = await hosted(createSite({ sandboxUrl: 'http://127.0.0.1:9', signupEndpoint: 'http://127.0.0.1:9/signup' }));
  session = await openBrowser();
});
afterAll(async () => {
  await session?.close();
  site?.close();
});

it.for(files.flatMap((file) => (['light', 'dark'] as const).map((scheme) => [file, scheme] as const)))(
  '%s, %s',
  async ([file, scheme]) => {
    const page = await session.browser.newPage();
    await page.setViewport({ width: 800, height: 600 });
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
    await page.goto(`${site.origin}/pages/${file}`, { waitUntil: 'networkidle0' });
    const place = (await (await page.$('iframe'))?.contentFrame()) ?? page;
    const input = 'newsletter-signup >>> input[name=email], newsletter-signup input[name=email]:not([slot=fallback] *)';
    await place.waitForSelector(input);
    await (await place.$('[slot=trigger]'))?.click();
    expect(await place.waitForSelector(input, { visible: true })).not.toBeNull();
    const path = join(folder, `${file.replace('.html', '')}-${scheme}.webp`);
    await sharp(await page.screenshot())
      .resize(640, 480)
      .webp({ quality: 80 })
      .toFile(path);
    expect((await stat(path)).size).toBeLessThan(40_000);
    await page.close();
  },
);
