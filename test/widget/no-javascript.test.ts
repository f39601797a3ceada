/**
 * Visitors without JavaScript: the browser posts the page's form to a real relay, which redirects to the thanks.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onPort, sandboxApi } from '../../packages/relay/test/sandbox-api.ts';
import { runRelay } from '../../packages/relay/test/running-relay.ts';
import { openBrowser, type BrowserSession } from '../e2e/visitor.ts';
import { modes, pageWith } from './modes.ts';
import { openSite, type Site } from './site.ts';

let site: Site;
let session: BrowserSession;
beforeAll(async () => {
  [site, session] = [await openSite(), await openBrowser()];
});
afterAll(async () => {
  await Promise.all([session?.close(), site?.close()]);
});

it('the page’s own form inside the tag is posted by the browser, redirected to the thanks, and stored by the API', async () => {
  const api = sandboxApi();
  const thanks = site.page('/thanks', { html: '<!doctype html><title>Thanks</title><h1>Thank you' });
  const relay = runRelay({
    api: api.fetch,
    settings: { RELAY_ALLOWED_ORIGINS: site.origin, RELAY_THANKS_URL: thanks },
  });
  relay.start();
  const endpoint = `${await onPort((request) => Promise.resolve(relay.fetch(request)))}/signup`;

  const page = await session.browser.newPage();
  await page.setJavaScriptEnabled(false);
  const own = modes.find(({ root }) => !root.includes('shadowRoot'));
  await page.goto(site.page('/form', { html: pageWith(own?.markup(endpoint, [{ name: 'First name' }]) ?? '') }));
  const answers: [number, string | undefined][] = [];
  page.on('response', (response) => {
    if (response.request().method() === 'POST')
      answers.push([response.status(), response.request().headers()['content-type']]);
  });
  await page.type('[name=email]', 'ada+plain@example.com');
  await page.type('[name="custom_fields[First name]"]', 'Ada');
  await Promise.all([page.waitForNavigation(), page.click('button')]);

  expect(answers).toEqual([[303, 'application/x-www-form-urlencoded']]);
  expect(page.url()).toBe(thanks);
  await expect
    .poll(async () => (await api.subscriptions()).some(({ email }) => email === 'ada+plain@example.com'), {
      timeout: 60_000,
    })
    .toBe(true);
});
