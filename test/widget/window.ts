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
  /** Evaluates an expression in the page, or in its first frame, regardless of its policy. */
  ask(expression: string, isInFrame?: boolean): Promise<unknown>;
  /** Cuts the network of the page; only in Chromium. */
  setOffline(isOffline: boolean): Promise<void>;
  close(): Promise<void>;
}

/** @param program - path of the browser; by default the one of the machine */
export async function openWindow(engine: 'chromium' | 'firefox', program?: string): Promise<Window> {
  const session = await openBrowser(engine, program);
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
    ask: (expression, isInFrame) => (isInFrame ? page.frames()[1] : page)?.evaluate(expression) ?? Promise.resolve(),
    setOffline: (isOffline) => page.setOfflineMode(isOffline),
    close: () => session.close(),
  };
}

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
      async ask(expression, isInFrame) {
        await browser.switchFrame(null);
        if (isInFrame) await browser.switchFrame(browser.$('iframe'));
        return browser.execute(`return ${expression}`);
      },
      setOffline: () => Promise.reject(new Error('WebKit has no command that cuts the network.')),
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
  chromium: () => openWindow('chromium'),
  firefox: () => openWindow('firefox'),
  webkit: byWebDriver,
};
