/** The web interface in a real Chromium on a real server; both end with the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { findChromium } from '../../../../test/support/browsers/find.ts';
import { serve } from '../../src/command/serve.ts';
import { apiKeys, publicationId } from '../../src/index.ts';

const executablePath = findChromium();
let browser: Browser | undefined;

/** Tests in a browser; without one on this machine they are skipped, and their name says why. */
export function describeInBrowser(title: string, tests: () => void): void {
  describe.skipIf(!executablePath)(
    executablePath ? title : `${title} (skipped: there is no Chromium; set CHROMIUM to its path)`,
    () => {
      let profile = '';
      beforeAll(async () => {
        profile = mkdtempSync(join(tmpdir(), 'sandbox-chromium-'));
        browser = await puppeteer.launch({
          executablePath: executablePath ?? '',
          userDataDir: profile,
          args: [
            '--no-sandbox',
            '--disable-gpu',
            '--disable-quic',
            '--no-first-run',
            '--disable-background-networking',
            '--disable-component-update',
            '--disable-sync',
          ],
        });
      });
      afterAll(async () => {
        try {
          await browser?.close();
        } finally {
          rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
        }
      });
      tests();
    },
  );
}

export interface Opened {
  readonly page: Page;
  /** `http://127.0.0.1:<free port>` */
  readonly address: string;
  /** Asks the API with the workspace key; a body that is sent is JSON. */
  readonly call: Ask;
  readonly control: Ask;
  /** Shows another view, by its link. */
  readonly show: (view: string) => Promise<void>;
  /** Waits until an element's text holds these words. */
  readonly reads: (selector: string, text: string | RegExp) => Promise<void>;
}

/** One request; the test states what it looks at in the body. */
type Ask = <Body = unknown>(
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly body: Body }>;

export interface OpenOptions {
  readonly path?: string;
  readonly seed?: string;
  /** What the control requires. */
  readonly token?: string;
  readonly phone?: boolean;
  readonly dark?: boolean;
}

/** Opens a page of a fresh sandbox. Every error in its console fails the test. */
export async function open({
  path = '/',
  seed = 'demo',
  token,
  phone = false,
  dark = false,
}: OpenOptions = {}): Promise<Opened> {
  if (!browser) throw new Error('There is no browser to open a page in.');
  const { address, stop } = await serve({
    host: '127.0.0.1',
    port: 0,
    db: ':memory:',
    seed,
    seedSize: 0,
    profile: 'spec',
    ...(token !== undefined && { controlToken: token }),
  });
  onTestFinished(stop);
  const context = await browser.createBrowserContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith('data:'))
      complaints.push(`a request to ${request.url()}`);
  });
  page.on('console', (message) => {
    // An answer that is an error is also reported in this way.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  onTestFinished(() => expect(complaints).toEqual([]));
  await page.setViewport(
    phone ? { width: 390, height: 780, isMobile: true, hasTouch: true } : { width: 1440, height: 860 },
  );
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
  await page.goto(address + path, { waitUntil: 'load' });

  const send = async <Body>(
    url: string,
    method: string,
    body: unknown,
  ): Promise<{ readonly status: number; readonly body: Body }> => {
    const answer = await fetch(url, {
      method,
      headers: {
        Authorization: `Bearer ${apiKeys.workspace}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as Body };
  };
  return {
    page,
    address,
    call: (method, below, body) => send(`${address}/v2/publications/${publicationId}${below}`, method, body),
    control: (method, below, body) => send(`${address}/_sandbox${below}`, method, body),
    async show(view) {
      await page.click(`#views a[href="#/${view}"]`);
      await page.waitForSelector(`#panel-${view}.chosen`, { visible: true });
    },
    async reads(selector, text) {
      const pattern = typeof text === 'string' ? text : text.source;
      const flags = typeof text === 'string' ? null : text.flags;
      await page
        .waitForFunction(
          (where, what, how) =>
            [...document.querySelectorAll(where)].some(({ textContent }) =>
              how === null ? textContent.includes(what) : new RegExp(what, how).test(textContent),
            ),
          {},
          selector,
          pattern,
          flags,
        )
        .catch(async (cause: unknown) => {
          const seen = await page.$$eval(selector, (elements) =>
            elements.map((element) => element.textContent).join(' | '),
          );
          throw new Error(`"${pattern}" never stood in ${selector}; there was: ${seen.slice(0, 500)}`, { cause });
        });
    },
  };
}

/** Waits until the window has read its state and follows the events. */
export const isLive = (page: Page) => page.waitForSelector('#state[data-state=live]');

/** Opens the window, and a view of it once it is live. */
export async function openWindow(view = 'subscribers', options: OpenOptions = {}): Promise<Opened> {
  const opened = await open(options);
  await isLive(opened.page);
  await opened.show(view);
  return opened;
}
