/** A browser for the tests of a file. */
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { complaintsOf, openBrowser, type BrowserSession } from './visitor.ts';

/** A page, and what it has complained about. */
export interface Opened {
  readonly page: Page;
  readonly complaints: readonly string[];
}

export interface UsedBrowser {
  readonly browser: Browser;
  /** Opens an address. @param options.before - code that runs before the scripts of the page */
  open(address: string, options?: { readonly javaScript?: boolean; readonly before?: string }): Promise<Opened>;
}

/** Opens Chromium before the tests of the calling file or suite, and closes the pages of each test after it. */
export function useBrowser(): UsedBrowser {
  let session: BrowserSession | undefined;
  beforeAll(async () => {
    session = await openBrowser();
  });
  afterEach(() => session?.closePages());
  afterAll(() => session?.close());
  return {
    get browser() {
      if (!session) throw new Error('The browser is not open yet.');
      return session.browser;
    },
    async open(address, { javaScript = true, before = '' } = {}) {
      const page = await this.browser.newPage();
      page.setDefaultTimeout(60_000);
      const complaints = complaintsOf(page);
      await page.setJavaScriptEnabled(javaScript);
      if (before) await page.evaluateOnNewDocument(before);
      await page.goto(address, { waitUntil: 'load' });
      return { page, complaints };
    },
  };
}
