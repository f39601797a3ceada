/** The Chromium that `npm test` downloads from npm where none is installed and the user is not root. */
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { expect, it, onTestFinished } from 'vitest';
import { npmVersion } from '../support/browsers/find.ts';
import { installNpmChromium, isNpmChromiumPossible } from '../support/browsers/npm-chromium.ts';

it.skipIf(!isNpmChromiumPossible)(
  'renders a page with the bundled fonts, also after its folder was moved',
  async () => {
    const parent = await mkdtemp(join(tmpdir(), 'newsletter-npm-chromium-'));
    onTestFinished(() => rm(parent, { recursive: true, force: true, maxRetries: 5 }));
    await installNpmChromium(npmVersion, join(parent, 'first'));
    expect(await readdir(parent)).toEqual(['first']);
    await rename(join(parent, 'first'), join(parent, 'moved'));

    const browser = await puppeteer.launch({
      executablePath: join(parent, 'moved', 'chromium.sh'),
      userDataDir: join(parent, 'profile'),
      env: { PATH: process.env['PATH'], HOME: parent },
    });
    try {
      const page = await browser.newPage();
      await page.setContent('<p style="font-family: Open Sans">Ahoy</p>');
      expect(await page.evaluate('document.body.innerText')).toBe('Ahoy');
      expect(await page.evaluate("document.querySelector('p').getBoundingClientRect().height > 0")).toBe(true);
    } finally {
      await browser.close();
    }
  },
);
