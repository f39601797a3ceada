/** What somebody who opens an address of the documentation sees there: the page is opened in a real browser. */
import type { Browser, Page } from 'puppeteer-core';

/**
 * Texts that are visible at an address, by the address as the documentation has it, without a query. An address that
 * shows a page has a row here; `newcomer.slow.test.ts` fails for one without.
 */
export const sights: Readonly<Record<string, readonly string[]>> = {
  'http://127.0.0.1:4000': ['Email address', 'Subscribe'],
  'http://127.0.0.1:4000/pages': ['WordPress'],
  'http://127.0.0.1:4000/playground': ['Email address', 'Subscribe', 'Copy'],
  'http://127.0.0.1:4000/sources': ['The Harbour Letter'],
  'http://127.0.0.1:4001': ['Email address', 'Topics', 'Birthday', 'Subscribe'],
  'http://localhost:4001': ['Email address', 'Subscribe'],
  'http://127.0.0.1:4010': ['Subscribers', 'Requests', 'live'],
  'http://127.0.0.1:4010/oauth/authorize': ['Allow'],
  'http://127.0.0.1:4011': ['Subscribers', 'Requests', 'live'],
  'http://127.0.0.1:4020': ['Email address', 'Subscribe'],
  'http://127.0.0.1:4020/signup': ['Email address', 'Subscribe'],
  'http://127.0.0.1:4020/operator': ['Operator token'],
  'http://127.0.0.1:4021': ['There is nothing here'],
  'http://127.0.0.1:4021/operator': ['Operator token'],
};

/**
 * Requests whose failure the browser reports although nothing is wrong: it asks every site for an icon, and the
 * operator's page learns by a 401 that nobody is signed in.
 */
const harmless = /\/favicon\.ico$|\/operator\/api\/status$/;

/** Waits until each of these texts is visible, also inside of elements. */
export async function seeTexts(page: Page, texts: readonly string[]): Promise<void> {
  for (const text of texts) await page.waitForSelector(`::-p-text(${text})`, { visible: true });
}

/**
 * Opens an address in a page of its own.
 *
 * @param act - what the visitor does there
 * @throws the first error on the page, or what the visitor missed
 */
export async function open(browser: Browser, url: string, act: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  const failed = new Promise<never>((_, reject) => {
    const fail = (problem: string): void => reject(new Error(`${url}: ${problem}`));
    page.on('pageerror', (error) => fail(String(error)));
    page.on('console', (message) => {
      const { url: source = '' } = message.location();
      if (message.type() === 'error' && !harmless.test(source)) fail(`${message.text()} ${source}`);
    });
  });
  const visit = async (): Promise<void> => {
    await page.goto(url, { waitUntil: 'load' });
    await act(page);
  };
  try {
    await Promise.race([visit(), failed]);
  } finally {
    await page.close();
  }
}
