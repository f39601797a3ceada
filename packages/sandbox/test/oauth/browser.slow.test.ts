/** The consent page in a real browser: a person connects an app on another site, and a hostile site tries to. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'puppeteer-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, open } from '../ui/browser.ts';
import { findings } from '../ui/findings.ts';
import { asked, confidential, type Fields } from './wire.ts';

/** An app on `localhost`, which is another site than the sandbox's `127.0.0.1`: pages by path, each loaded as it is. */
async function serveApp(pages: (appAddress: string) => Readonly<Record<string, string>>): Promise<string> {
  let address = '';
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', address).pathname;
    response
      .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
      .end(pages(address)[path] ?? '<title>elsewhere</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  address = `http://localhost:${(server.address() as AddressInfo).port}`;
  return address;
}

interface Visit {
  readonly page: Page;
  readonly sandbox: string;
  readonly app: string;
  readonly link: string;
}

/** A person on the page of an app whose link leads to the sandbox. */
async function visit(fields: Fields = {}): Promise<Visit> {
  const { page: first, address: sandbox } = await open({ seed: 'empty' });
  const page = await first.browserContext().newPage();
  page.setDefaultTimeout(60_000);
  let link = '';
  const app = await serveApp((address) => {
    const parameters = { ...asked, redirect_uri: `${address}/callback`, ...fields };
    link = `${sandbox}/oauth/authorize?${new URLSearchParams(parameters).toString()}`;
    const hidden = Object.entries({ ...parameters, authenticity_token: 'x'.repeat(43), decision: 'allow' })
      .map(([name, value]) => `<input type="hidden" name="${name}" value="${value.replaceAll('&', '&amp;')}">`)
      .join('');
    return {
      '/': `<title>app</title><a href="${link.replaceAll('&', '&amp;')}">Connect</a>`,
      '/callback': '<title>connected</title>',
      '/hostile': `<title>hostile</title><form method="post" action="${sandbox}/oauth/authorize">${hidden}<button>Win a boat</button></form>`,
      '/framed': `<title>framed</title><iframe src="${link.replaceAll('&', '&amp;')}"></iframe>`,
    };
  });
  await page.goto(`${app}/`);
  return { page, sandbox, app, link };
}

/** Clicks an element and waits for the next page. */
async function press(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(selector)]);
}

const allow = 'button[value=allow]';
const deny = 'button[value=deny]';

describeInBrowser('in a browser', () => {
  describe.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])('%s', (_, enabled) => {
    test('a person allows an app on another site, which gets tokens for the code', async () => {
      const { page, sandbox, app } = await visit();
      await page.setJavaScriptEnabled(enabled);
      await press(page, 'a');
      expect(new URL(page.url()).origin).toBe(sandbox);
      await press(page, allow);
      const callback = new URL(page.url());
      expect([callback.origin + callback.pathname, callback.searchParams.get('state')]).toEqual([
        `${app}/callback`,
        'a b&c',
      ]);
      const answer = await fetch(`${sandbox}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: callback.searchParams.get('code') ?? '',
          redirect_uri: `${app}/callback`,
          ...confidential,
        }),
      });
      expect([answer.status, await answer.json()]).toEqual([
        200,
        expect.objectContaining({ token_type: 'Bearer', scope: 'subscriptions:read' }),
      ]);
    });

    test('a person denies the consent by keyboard', async () => {
      const { page, app } = await visit();
      await page.setJavaScriptEnabled(enabled);
      await press(page, 'a');
      await page.focus(deny);
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      const callback = new URL(page.url());
      expect([callback.origin, callback.searchParams.get('error'), callback.searchParams.get('code')]).toEqual([
        app,
        'access_denied',
        null,
      ]);
    });
  });

  test('two consent pages that are open at once both work', async () => {
    const { page, app, link } = await visit();
    const second = await page.browserContext().newPage();
    await page.bringToFront();
    await press(page, 'a');
    // A page in the background takes no clicks.
    await second.bringToFront();
    await second.goto(`${app}/`);
    await press(second, 'a');
    expect(second.url()).toBe(link);
    for (const each of [page, second]) {
      await each.bringToFront();
      await press(each, allow);
      expect(new URL(each.url()).searchParams.get('code')).toMatch(/^[\w-]{43}$/);
    }
  });

  test('the form of another site is refused, even in a browser that has the cookie', async () => {
    const { page, app, sandbox } = await visit();
    await press(page, 'a');
    await page.goto(`${app}/hostile`);
    await press(page, 'button');
    expect(page.url()).toBe(`${sandbox}/oauth/authorize`);
    expect(await page.$eval('main', (main) => main.textContent)).toContain('The form was sent from a page of another');
  });

  test('the consent page cannot be framed', async () => {
    const { page, app, sandbox } = await visit();
    await page.goto(`${app}/framed`);
    expect(
      page
        .frames()
        .map((frame) => frame.url())
        .filter((url) => url.startsWith(sandbox)),
    ).toEqual([]);
  });

  describe.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 320],
    ['dark', 320],
  ] as const)('in %s, %d pixels wide,', (scheme, width) => {
    /** Findings of axe, and elements that overflow the page. */
    async function troubles(page: Page): Promise<readonly string[]> {
      const found = await findings(page);
      const beyond = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
      return beyond > 0 ? [...found, `${beyond} px stick out`] : found;
    }
    const shown = async (fields: Fields): Promise<Page> => {
      const { page } = await visit(fields);
      await page.setViewport({ width, height: 640 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await press(page, 'a');
      return page;
    };

    test('the consent page has no accessibility findings and fits every screen', async () => {
      const page = await shown({
        scope:
          'identify:read subscriptions:read subscriptions:write automations:read custom_fields:read data_deletion:write',
      });
      expect(await page.$$(allow)).toHaveLength(1);
      expect(await troubles(page)).toEqual([]);
    });

    test('the error page has no accessibility findings and fits every screen', async () => {
      const page = await shown({ redirect_uri: `https://${'long-label.'.repeat(20)}example/` });
      expect(await page.$eval('code', (code) => code.textContent)).toBe('invalid_redirect_uri');
      expect(await troubles(page)).toEqual([]);
    });
  });
});
