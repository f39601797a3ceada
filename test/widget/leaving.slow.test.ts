/** Leaving a page while its form is sent, and returning from the back/forward cache, in Chromium. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import { widgetScript } from '../../scripts/build.ts';
import { isHeadlessShell } from '../support/browsers/find.ts';
import { setStage } from './stage.ts';

const stage = setStage();

/** The addresses of the received signups. Chromium repeats a broken request; the same key is the same signup. */
async function signupsAt(box: string): Promise<unknown[]> {
  const received: { body: string; headers: Record<string, string> }[] = await fetch(
    `${stage().origin}/received/${box}`,
  ).then((response) => response.json());
  const byKey = new Map(received.map(({ body, headers }) => [`${headers['idempotency-key']} ${body}`, body]));
  return [...byKey.values()].map((body) => (JSON.parse(body) as { readonly email: string }).email);
}

const signups = ['ada@example.com'];

/** The value of the email field, in either kind of form. */
const entered = `[document, document.querySelector('newsletter-signup').shadowRoot].map((root) => root.querySelector('[name=email]')?.value).join('')`;

const forms = {
  'the form of the element': (address: string) =>
    `<newsletter-signup endpoint="${address}" timeout="10"></newsletter-signup>`,
  'the form of the page': (address: string) =>
    `<newsletter-signup timeout="10"><form method="post" action="${address}"><input type="email" name="email" aria-label="Email" required><button>Go</button></form></newsletter-signup>`,
};

// The headless shell, which npm test installs without a Chromium, has no back/forward cache.
describe.skipIf(isHeadlessShell()).each(Object.entries(forms))('%s', (name, markup) => {
  /** Opens a page, enters an address, and presses Enter repeatedly until the form is busy. */
  async function submit(box: string, answer: string, script = '/signup-form.js'): Promise<Page> {
    const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Form</title><script src="${script}" async></script>
        ${markup(`${stage().origin}/signup/${box}/${answer}`)}
        <script>addEventListener('pageshow', ({ persisted }) => (globalThis.isRevived = persisted))</script>`;
    const page = await stage().session.browser.newPage();
    await page.goto(stage().site.page(`/${box}`, { html }));
    const input = await page.waitForSelector(
      name === 'the form of the element' ? 'newsletter-signup >>> [name=email]' : 'newsletter-signup [name=email]',
      { timeout: 60_000 },
    );
    await input?.type('ada@example.com');
    for (let press = 0; press < 10; press += 1) await input?.press('Enter');
    await expect.poll(() => stateOf(page)).toBe('busy');
    return page;
  }

  function stateOf(page: Page): Promise<unknown> {
    return page.evaluate(() => Reflect.get(document.querySelector('newsletter-signup') ?? {}, 'state'));
  }

  /** Leaves the page, and returns to it after the task is done. */
  async function leaveDuring(page: Page, task: () => Promise<unknown>): Promise<void> {
    await page.goto(stage().site.page('/other', { html: '<!doctype html><title>Other</title>' }));
    await task();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await page.goBack();
    expect(await page.evaluate('isRevived')).toBe(true);
  }

  for (const [what, answer, end] of [
    ['accepts the signup meanwhile', 'held', 'success'],
    ['never answers', 'held', 'idle'],
    ['closes the connection meanwhile', 'heldDrop', 'idle'],
  ] as const) {
    it(`${end === 'success' ? 'shows the thanks' : 'is unchanged'} on return if the endpoint ${what}`, async () => {
      const box = crypto.randomUUID();
      const page = await submit(box, answer);
      await expect.poll(() => signupsAt(box)).toEqual(signups);
      await leaveDuring(page, async () => {
        if (what !== 'never answers') await fetch(`${stage().origin}/release/${box}`);
      });
      await expect.poll(() => stateOf(page)).toBe(end);
      expect(await page.evaluate(entered)).toBe(end === 'success' ? '' : 'ada@example.com');
      expect(await signupsAt(box)).toEqual(signups);
    });
  }

  for (const [answer, end] of [
    ['accepted', 'success'],
    ['drop', 'error'],
  ] as const) {
    it(`is sent on return if signup.js was not loaded before, and shows ${end}`, async () => {
      const box = crypto.randomUUID();
      const { site } = stage();
      const [element = '', signup = ''] = await Promise.all(
        [widgetScript, join(dirname(widgetScript), 'signup.js')].map((file) => readFile(file, 'utf8')),
      );
      const sent = Promise.withResolvers<string>();
      site.script(`/${box}/signup-form.js`, element);
      site.script(`/${box}/signup.js`, sent.promise);
      const page = await submit(box, answer, `/${box}/signup-form.js`);
      await leaveDuring(page, async () => expect(await signupsAt(box)).toEqual([]));
      sent.resolve(signup);
      await expect.poll(() => stateOf(page)).toBe(end);
      expect(await signupsAt(box)).toEqual(signups);
    });
  }
});
