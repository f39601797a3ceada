/** Leaving a page while its form is sent, and returning from the back/forward cache, in Chromium. */
import { describe, expect, it } from 'vitest';
import { isHeadlessShell } from '../support/browsers/find.ts';
import { setStage } from './stage.ts';

const stage = setStage();

/** The received signups. Chromium repeats a broken request; the same key is the same signup. */
async function signupsAt(box: string): Promise<unknown[]> {
  const received: { body: string; headers: Record<string, string> }[] = await fetch(
    `${stage().origin}/received/${box}`,
  ).then((response) => response.json());
  return [...new Set(received.map(({ body, headers }) => `${headers['idempotency-key']} ${body}`))].map((signup) =>
    signup.slice(37),
  );
}

/** The value of the email field, in either kind of form. */
const entered = `[document, document.querySelector('newsletter-signup').shadowRoot].map((root) => root.querySelector('[name=email]')?.value).join('')`;

const forms = {
  'the form of the element': (address: string) =>
    `<newsletter-signup endpoint="${address}" timeout="5"></newsletter-signup>`,
  'the form of the page': (address: string) =>
    `<newsletter-signup timeout="5"><form method="post" action="${address}"><input type="email" name="email" aria-label="Email" required><button>Go</button></form></newsletter-signup>`,
};

// The headless shell, which npm test installs without a Chromium, has no back/forward cache.
describe.skipIf(isHeadlessShell()).each(Object.entries(forms))('%s', (name, markup) => {
  for (const [what, answer, end] of [
    ['accepts the signup meanwhile', 'held', 'success'],
    ['never answers', 'silence', 'idle'],
    ['closes the connection meanwhile', 'heldDrop', 'idle'],
  ] as const) {
    it(`${end === 'success' ? 'shows the thanks' : 'is unchanged'} on return if the endpoint ${what}`, async () => {
      const box = crypto.randomUUID();
      const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Form</title><script src="/newsletter-signup.js" async></script>
        ${markup(`${stage().origin}/signup/${box}/${answer}`)}
        <script>addEventListener('pageshow', ({ persisted }) => (globalThis.isRevived = persisted))</script>`;
      const other = stage().site.page('/other', { html: '<!doctype html><title>Other</title>' });
      const page = await stage().session.browser.newPage();
      await page.goto(stage().site.page(`/${box}`, { html }));
      const input = await page.waitForSelector(
        name === 'the form of the element' ? 'newsletter-signup >>> [name=email]' : 'newsletter-signup [name=email]',
        { timeout: 60_000 },
      );
      await input?.type('ada@example.com');
      for (let press = 0; press < 10; press += 1) await input?.press('Enter');
      const state = (): Promise<unknown> =>
        page.evaluate(() => Reflect.get(document.querySelector('newsletter-signup') ?? {}, 'state'));
      await expect.poll(state).toBe('busy');
      await page.goto(other);
      await fetch(`${stage().origin}/release/${box}`);
      await new Promise((resolve) => setTimeout(resolve, 300));
      await page.goBack();
      expect(await page.evaluate('isRevived')).toBe(true);
      await expect.poll(state).toBe(end);
      expect(await page.evaluate(entered)).toBe(end === 'success' ? '' : 'ada@example.com');
      expect(await signupsAt(box)).toEqual(['{"email":"ada@example.com"}']);
    });
  }
});
