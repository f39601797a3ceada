/** The histories of visits of core's table, walked in the tag: real pages, referrers, addresses and consent. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { detailFields } from '@newsletter-kit/core/signup';
import {
  histories,
  links,
  roads,
  type Link,
  type Sent,
  type Step,
} from '../../packages/core/test/signup/histories/index.ts';
import { buildIfStale, widgetScript } from '../../scripts/build.ts';
import { useBrowser } from '../e2e/use-browser.ts';

const site = 'https://example.com';
const session = useBrowser();

beforeAll(() => buildIfStale('widget'));

/** Answers every request in the browser: the site needs no server, and no host is asked. */
async function answer(request: HTTPRequest, html: string): Promise<void> {
  const { hostname, pathname } = new URL(request.url());
  if (hostname !== 'example.com') return request.abort();
  if (request.method() === 'POST') return request.respond({ status: 202, contentType: 'application/json', body: '{}' });
  if (!pathname.endsWith('.js')) return request.respond({ contentType: 'text/html; charset=utf-8', body: html });
  const body = await readFile(join(dirname(widgetScript), pathname)).catch(() => undefined);
  return request.respond(body ? { contentType: 'text/javascript', body } : { status: 404 });
}

/** Loads the parts of the script before they are asked for: then nothing is awaited but what the page does. */
const loadParts = `Promise.allSettled(['signup', 'remember', 'rules'].map((name) => import(\`/\${name}.js\`)))
  .then(() => new Promise((resolve) => setTimeout(resolve)))`;

/** Loads a page of the site. No page of a browser on a desktop has an app as its referrer: it is told one. */
async function load(page: Page, path: string, from = ''): Promise<void> {
  if (from.startsWith('android-app:'))
    await page.evaluateOnNewDocument((value) => {
      Object.defineProperty(document, 'referrer', { value });
    }, from);
  await page.goto(site + path, from.startsWith('http') ? { referer: from, referrerPolicy: 'unsafe-url' } : {});
}

/** Opens a page of the site, and answers the banner there as before. */
async function take(page: Page, step: Step, consent: boolean | undefined): Promise<void> {
  if (typeof step === 'object') {
    if ('push' in step) return page.evaluate((address) => history.pushState(null, '', address), step.push);
    if ('load' in step) await load(page, step.load, step.from);
    else {
      const time = 'days' in step ? step.days * 1440 : step.minutes;
      await page.evaluateOnNewDocument((ms) => {
        const { now } = Date;
        Date.now = () => now() + ms;
      }, time * 60_000);
      return;
    }
  } else if (step === 'back') {
    await page.evaluate(async () => {
      const isBack = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
      history.back();
      await isBack;
    });
  } else if (step === 'reload') await page.reload();
  if (consent === undefined) return;
  await page.evaluate(loadParts);
  await page.evaluate((detail) => {
    document.dispatchEvent(new CustomEvent('newsletter-consent', { detail }));
  }, consent);
  await page.evaluate(loadParts);
}

/** Walks a history, signs up on its last page, and returns the body of the post without the audit. */
async function walk(steps: readonly Step[], { attributes = {}, details = {} }: Sent): Promise<Record<string, unknown>> {
  const context = await session.browser.createBrowserContext();
  try {
    const page = await context.newPage();
    const written = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`);
    const fields = [...new Set([...detailFields, ...Object.keys(details)])].map(
      (name) => `<newsletter-field name="${name}" from="${name}" hidden></newsletter-field>`,
    );
    const html = `<!doctype html><html lang="en"><title>A page</title><script src="/signup-form.js"></script>
      <newsletter-signup endpoint="/signup" ${written.join(' ')}>${fields.join('')}</newsletter-signup>`;
    await page.setRequestInterception(true);
    page.on('request', (request) => void answer(request, html));
    let consent: boolean | undefined;
    for (const step of steps) {
      if (step === 'grant' || step === 'refuse') consent = step === 'grant';
      await take(page, step, consent);
    }
    await page.evaluate(loadParts);
    const posted = page.waitForRequest((request) => request.method() === 'POST');
    await page.evaluate(() => {
      const form = document.querySelector<HTMLElement & { submit(): void }>('newsletter-signup');
      const input = form?.shadowRoot?.querySelector<HTMLInputElement>('[name=email]');
      if (input) input.value = 'ada@example.com';
      form?.submit();
    });
    const { audit: _audit, ...body } = JSON.parse((await posted).postData() ?? '') as Record<string, unknown>;
    return body;
  } finally {
    await context.close();
  }
}

describe.each<Link>([...histories, ...roads, ...links])('$title', ({ steps, sent: all }) => {
  const cases = all.map((sent) => ({ ...sent, words: Object.entries(sent.attributes ?? {}).join(' ') || 'as usual' }));
  it.each(cases)('is sent right: $words', async (sent) => {
    const details = Object.entries(sent.details ?? {}).map(([name, value]) => ({ name, value }));
    expect(await walk(steps, sent)).toEqual({
      email: 'ada@example.com',
      ...sent.attribution,
      ...(details.length > 0 && { custom_fields: details }),
    });
  });
});
