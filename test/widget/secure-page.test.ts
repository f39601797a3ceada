/**
 * A page with TLS: Chromium blocks an endpoint without TLS, and `debug` explains it; the cookie for the subdomains is
 * secure.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildIfStale, widgetScript } from '../../scripts/build.ts';
import type { Cookie, Page } from 'puppeteer-core';
import { openBrowser } from '../e2e/visitor.ts';
import { waitUntil } from '../support/waits.ts';

let session: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  await buildIfStale('widget');
  session = await openBrowser('chromium');
});
afterAll(() => session?.close());

/** Serves a page with this body and the built files at `https://www.site.example/`. */
async function serve(page: Page, body: string): Promise<void> {
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin !== 'https://www.site.example') return void request.abort();
    if (!pathname.endsWith('.js')) {
      return void request.respond({ contentType: 'text/html', body: `<!doctype html><title>Site</title>${body}` });
    }
    readFile(join(dirname(widgetScript), pathname)).then(
      (script) => request.respond({ contentType: 'text/javascript', body: script }),
      () => request.respond({ status: 404 }),
    );
  });
}

it('explains mixed content to the owner, and keeps typed values', async () => {
  const page = await session.browser.newPage();
  const said: string[] = [];
  page.on('console', (message) => void said.push(message.text()));
  await serve(
    page,
    '<script src="/signup-form.js"></script><newsletter-signup debug endpoint="http://relay.site.test/signup"></newsletter-signup>',
  );
  await page.goto('https://www.site.example/');
  await page.type('newsletter-signup >>> [name=email]', 'ada@example.com');
  await page.keyboard.press('Enter');
  await waitUntil('the reason is in the console', () =>
    expect(said.join('\n')).toContain(
      '<newsletter-signup> This page uses https, the endpoint http: browsers block that as mixed content.',
    ),
  );
  expect(
    await page.evaluate("document.querySelector('newsletter-signup').shadowRoot.querySelector('[name=email]').value"),
  ).toBe('ada@example.com');
  expect(
    await page.evaluate(
      "document.querySelector('newsletter-signup').shadowRoot.querySelector('[role=status]').textContent",
    ),
  ).toContain('We could not be reached.');
});

it('sets a cookie for the subdomains that is secure, lax, and gone after 30 days', async () => {
  const page = await session.browser.newPage();
  await serve(page, '<script src="/signup-landing.js" data-cookie-domain="site.example"></script>');
  await page.goto('https://www.site.example/?utm_source=land');
  await page.evaluate(`newsletterConsent.push('granted')`);
  const cookies = (): Promise<readonly Cookie[]> => page.browserContext().cookies();
  await waitUntil('the cookie is set', async () => (await cookies()).length === 1);
  const [cookie] = await cookies();
  expect(cookie).toMatchObject({ domain: '.site.example', path: '/', secure: true, sameSite: 'Lax' });
  expect((cookie?.expires ?? Infinity) - Date.now() / 1000).toBeLessThanOrEqual(30 * 86_400);
});
