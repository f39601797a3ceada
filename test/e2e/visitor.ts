/** Visits the demo page in a real Chromium and fills in its form. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser, type BrowserContext, type ElementHandle, Frame, type Page } from 'puppeteer-core';
import { findChromium, findFirefox } from '../support/browsers/find.ts';
import { waitFor } from '../support/waits.ts';

// What a test waits for on a page has a name, and the time limit of the test ends it.
for (const method of ['waitForSelector', 'waitForFunction'] as const) {
  const wait: CallableFunction = Frame.prototype[method];
  Object.defineProperty(Frame.prototype, method, {
    value(this: Frame, what: unknown, options?: object, ...args: unknown[]) {
      const found = Reflect.apply(wait, this, [what, { timeout: 0, ...options }, ...args]) as Promise<unknown>;
      return waitFor(`the page has ${String(what)}`, found);
    },
  });
}

/** What a person enters. */
export interface Entries {
  readonly email: string;
  readonly topics?: readonly string[];
  /** `YYYY-MM-DD` */
  readonly birthday?: string;
}

/** What the live view shows of one subscription. */
export interface Arrival {
  readonly status: string;
  /** Label to value, as displayed. */
  readonly facts: Readonly<Record<string, string>>;
  /** Milliseconds from the button to the display, as the page measured it. */
  readonly took: number | undefined;
}

export interface BrowserSession {
  readonly browser: Browser;
  /** Closes what tests opened: live views left open would use up the connections a browser has for one site. */
  closePages(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a browser of its own; Firefox is spoken to by WebDriver BiDi, which any Firefox understands.
 *
 * @param executablePath - by default the browser of the machine
 */
export async function openBrowser(
  engine: 'chromium' | 'firefox' = 'chromium',
  executablePath: string | undefined = engine === 'firefox' ? findFirefox() : findChromium(),
): Promise<BrowserSession> {
  const isFirefox = engine === 'firefox';
  if (!executablePath)
    throw new Error(
      `There is no ${engine}. Install it; npm test brings Chromium where it can, or take the one that CHROMIUM names.`,
    );
  const userDataDir = await mkdtemp(join(tmpdir(), `newsletter-${engine}-`));
  const remove = (): Promise<void> => rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
  const launched = puppeteer.launch({
    browser: isFirefox ? 'firefox' : 'chrome',
    executablePath,
    userDataDir,
    args: isFirefox
      ? []
      : [
          '--no-sandbox',
          '--disable-gpu',
          '--disable-quic',
          '--no-first-run',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
        ],
  });
  const browser = await launched.catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return {
    browser,
    async closePages() {
      const [, ...pages] = await browser.pages();
      await Promise.all(pages.map((page) => page.close()));
    },
    async close() {
      try {
        await browser.close();
      } finally {
        await remove();
      }
    },
  };
}

/** Opens the demo page and waits until the tag and the live view work. What the page complains about is collected. */
export async function visit(
  browser: Browser | BrowserContext,
  url: string,
): Promise<{ page: Page; complaints: readonly string[] }> {
  const page = await browser.newPage();
  const complaints = complaintsOf(page);
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForSelector('newsletter-signup >>> input[name=email]', { visible: true });
  await page.waitForSelector('#connection[data-state=open]');
  return { page, complaints };
}

/** What a page complains about from now on. */
export function complaintsOf(page: Page): readonly string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return complaints;
}

/** Types, ticks, picks and presses the button. */
export async function subscribe(page: Page, { email, topics = [], birthday }: Entries): Promise<void> {
  const input = await inForm(page, 'input[name=email]');
  await input.click({ count: 3 });
  await input.type(email);
  for (const topic of topics) await (await inForm(page, `input[type=checkbox][value="${topic}"]`)).click();
  if (birthday !== undefined) {
    // Chromium's date field takes the digits in the order of its locale, which is en-US here: month, day, year.
    const [year, month, day] = birthday.split('-');
    await (await inForm(page, 'input[type=date]')).type(`${month}${day}${year}`);
  }
  await press(page);
}

/** What the form says beside a control, once it does. */
export async function problem(page: Page): Promise<string> {
  const element = await page.waitForSelector('newsletter-signup >>> [part~=problem]', { visible: true });
  return (await element?.evaluate((node) => node.textContent.trim())) ?? '';
}

/** Presses the form's button. */
export async function press(page: Page): Promise<void> {
  await (await inForm(page, 'button')).click();
}

/** What stands in the field for the address. */
export async function typedAddress(page: Page): Promise<string> {
  return (await inForm(page, 'input[name=email]')).evaluate((input) =>
    input instanceof HTMLInputElement ? input.value : '',
  );
}

/** What the form says, once it says something of this kind. */
export async function notice(page: Page, kind: 'success' | 'error'): Promise<string> {
  const element = await page.waitForSelector(`newsletter-signup:state(${kind}) >>> [part~=notice]`, { visible: true });
  return (await element?.evaluate((node) => node.textContent.trim())) ?? '';
}

/** Waits until the live view shows this address. */
export async function arrivalOf(page: Page, email: string): Promise<Arrival> {
  const item = await page.waitForSelector(`.arrival[data-email="${quoted(email)}"]`);
  if (!item) throw new Error(`${email} is not on the page.`);
  return item.evaluate((node) => ({
    status: node.querySelector('.status')?.textContent ?? '',
    facts: Object.fromEntries(
      [...node.querySelectorAll('dt')].map((term) => [term.textContent, term.nextElementSibling?.textContent ?? '']),
    ),
    took: node instanceof HTMLElement && node.dataset['took'] ? Number(node.dataset['took']) : undefined,
  }));
}

/** Whether the newest arrival has this address and is inside the window as a whole, without scrolling. */
export async function showsArrivalInWindow(page: Page, email: string): Promise<boolean> {
  const arrival = await page.waitForSelector(`latest-arrival .arrival[data-email="${quoted(email)}"]`, {
    visible: true,
  });
  // The card moves in when it arrives.
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  return (await arrival?.isIntersectingViewport({ threshold: 1 })) ?? false;
}

async function inForm(page: Page, selector: string): Promise<ElementHandle> {
  const element = await page.$(`newsletter-signup >>> ${selector}`);
  if (!element) throw new Error(`The form has no ${selector}.`);
  return element;
}

function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
}

/** Pasted code in a page builder, which parses the markup after the page is there and adds each script anew. */
export const addedByBuilder = (code: string): string => `<script>addEventListener('load', () => {
  const place = Object.assign(document.createElement('div'), { innerHTML: ${JSON.stringify(code).replaceAll('</', '<\\/')} });
  document.querySelector('main').append(place);
  for (const { src } of place.querySelectorAll('script')) document.head.append(Object.assign(document.createElement('script'), { src }));
});</script>`;
