/** A browser window in any of the three engines, with the actions that all drivers support. */
import { remote } from 'webdriverio';
import { startWebKitDriver } from '../support/browsers/webkit-driver.ts';
import type { EngineName } from '../support/browsers/engines.ts';
import { openBrowser } from '../e2e/visitor.ts';

/** Time limit for a busy machine; usually the result is immediate. */
export const patience = { timeout: 60_000 } as const;

export interface Window {
  /** Opens an address, in a new tab where the driver can, and waits until the page is loaded. */
  open(address: string): Promise<void>;
  /** Leaves the page for another address in the same tab, and waits until that is loaded. */
  goTo(address: string): Promise<void>;
  /** Evaluates an expression in the page, regardless of its policy. */
  ask(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

const byPuppeteer = (engine: 'chromium' | 'firefox') => async (): Promise<Window> => {
  const session = await openBrowser(engine);
  let page = await session.browser.newPage();
  return {
    // Firefox may never answer a navigation that begins during another one.
    async open(address) {
      const former = page;
      page = await session.browser.newPage();
      await former.close();
      await page.goto(address, { waitUntil: 'load' });
    },
    goTo: async (address) => void (await page.goto(address, { waitUntil: 'load' })),
    ask: (expression) => page.evaluate(expression),
    close: () => session.close(),
  };
};

async function byWebDriver(): Promise<Window> {
  const { port, capabilities, stop } = await startWebKitDriver();
  try {
    const browser = await remote({
      hostname: '127.0.0.1',
      port,
      path: '/',
      logLevel: 'error',
      capabilities: { ...capabilities, 'wdio:enforceWebDriverClassic': true },
    });
    const goTo = async (address: string): Promise<void> => void (await browser.url(address));
    return {
      open: goTo,
      goTo,
      ask: (expression) => browser.execute(`return ${expression}`),
      close: async () => {
        await browser.deleteSession();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

export const windows: Readonly<Record<EngineName, () => Promise<Window>>> = {
  chromium: byPuppeteer('chromium'),
  firefox: byPuppeteer('firefox'),
  webkit: byWebDriver,
};
