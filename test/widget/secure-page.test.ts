/** On a page with TLS, Chromium blocks an endpoint without TLS, and `debug` explains it. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildIfStale, widgetScript } from '../../scripts/build.ts';
import { openBrowser } from '../e2e/visitor.ts';

let session: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  await buildIfStale('widget');
  session = await openBrowser('chromium');
});
afterAll(() => session?.close());

it('explains mixed content to the owner, and keeps typed values', async () => {
  const page = await session.browser.newPage();
  const said: string[] = [];
  page.on('console', (message) => void said.push(message.text()));
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin !== 'https://site.example') return void request.abort();
    if (!pathname.endsWith('.js')) {
      return void request.respond({
        contentType: 'text/html',
        body: '<!doctype html><title>Site</title><script src="/signup-form.js"></script><newsletter-signup debug endpoint="http://relay.example/signup"></newsletter-signup>',
      });
    }
    readFile(join(dirname(widgetScript), pathname)).then(
      (body) => request.respond({ contentType: 'text/javascript', body }),
      () => request.respond({ status: 404 }),
    );
  });
  await page.goto('https://site.example/');
  await page.type('newsletter-signup >>> [name=email]', 'ada@example.com');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => said.join('\n'))
    .toContain(
      '<newsletter-signup debug> This page uses https, the endpoint http: browsers block that as mixed content.',
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
