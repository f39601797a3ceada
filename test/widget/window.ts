/** A browser window in any of the three engines, as far as all of them can be driven alike. */
import { remote } from 'webdriverio';
import { startWebKitDriver } from '../support/browsers/webkit-driver.ts';
import type { EngineName } from '../support/browsers/engines.ts';
import { openBrowser } from '../e2e/visitor.ts';

/** Long enough for a busy machine; what is there is there at once. */
export const patience = { timeout: 60_000 } as const;

export interface Window {
  /** Goes to an address and waits until the page has loaded. */
  open(address: string): Promise<void>;
  /** Runs an expression in the page, whatever its policy, and gives its value. */
  ask(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

const byPuppeteer = (engine: 'chromium' | 'firefox') => async (): Promise<Window> => {
  const session = await openBrowser(engine);
  const page = await session.browser.newPage();
  return {
    open: async (address) => void (await page.goto(address, { waitUntil: 'load' })),
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
    return {
      open: async (address) => void (await browser.url(address)),
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
