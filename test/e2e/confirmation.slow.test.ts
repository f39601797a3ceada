/** The confirmation page that a mail links to, in a browser with and without JavaScript. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { waitUntil } from '../support/waits.ts';
import { linkIn, startMailServer } from '../../packages/relay/test/mail-server.ts';
import { serve } from '../../packages/relay/test/commands/relay-process.ts';
import { wordsIn } from '../../packages/relay/src/pages/words.ts';
import { findings } from '../../packages/sandbox/test/ui/findings.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { useBrowser } from './use-browser.ts';

const session = useBrowser();

const publicUrl = 'https://signup.shop.example';

/** Signs up at a relay that sends mails. @returns the link in the mail, with the relay's own address */
async function confirmationLink(email: string, settings: Readonly<Record<string, string>> = {}): Promise<string> {
  const mail = await startMailServer();
  const relay = await serve(scratchFolder(), {
    RELAY_CONFIRMATION: 'true',
    RELAY_SMTP_URL: mail.url,
    RELAY_MAIL_FROM: 'news@shop.example',
    RELAY_PUBLIC_URL: publicUrl,
    ...settings,
  });
  expect((await relay.signUp(email)).status).toBe(202);
  const received = await waitUntil('the mail', () => mail.received[0] ?? null);
  return linkIn(received).replace(publicUrl, relay.address);
}

async function pictured(name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  const [page] = (await session.browser.pages()).toReversed();
  if (folder && page) await page.screenshot({ path: `${folder}/${name}.png` });
}

it.each([
  ['in English, wide and light', 900, 'light', {}],
  [
    'in Arabic, narrow and dark',
    320,
    'dark',
    {
      RELAY_PAGE_LANG: 'ar',
    },
  ],
] as const)('is accessible %s, and confirms without JavaScript', async (name, width, scheme, settings) => {
  const link = await confirmationLink('ada@example.com', settings);
  const page = await session.browser.newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.setViewport({ width, height: 480 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto(link);
  expect(await findings(page)).toEqual([]);
  const [right, left] = await page.$eval('h1', (heading) => {
    const range = document.createRange();
    range.selectNodeContents(heading);
    const box = range.getBoundingClientRect();
    return [innerWidth - box.right, box.left];
  });
  // Arabic text starts at the right; nothing is wider than the page.
  expect((right ?? 0) < (left ?? 0)).toBe('RELAY_PAGE_LANG' in settings);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await pictured(name);

  await page.setJavaScriptEnabled(false);
  await page.reload();
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Tab').then(() => page.keyboard.press('Enter'))]);
  await page.setJavaScriptEnabled(true);
  await page.reload();
  const { noted, subscribed } = wordsIn('RELAY_PAGE_LANG' in settings ? settings.RELAY_PAGE_LANG : 'en');
  expect([noted, subscribed]).toContain(await page.$eval('h1', (heading) => heading.textContent));
  expect(await findings(page)).toEqual([]);
  await pictured(`${name}, done`);
  // The page requests nothing from other origins.
  expect(asked.filter((url) => new URL(url).origin !== new URL(link).origin)).toEqual([]);
});

it('redirects to the configured page on another site without a referrer', async () => {
  const referrers: (string | undefined)[] = [];
  const site = createServer(({ headers, url }, answer) => {
    if (url === '/welcome') referrers.push(headers.referer);
    answer.setHeader('content-type', 'text/html').end('<title>Welcome</title>');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    site.closeAllConnections();
    site.close();
  });
  await waitUntil('a port', () => site.listening);
  const welcome = `http://localhost:${(site.address() as AddressInfo).port}/welcome`;
  const link = await confirmationLink('ada@example.com', { RELAY_CONFIRMED_URL: welcome });
  const page = await session.browser.newPage();
  await page.goto(link);
  await Promise.all([page.waitForNavigation(), page.click('button')]);
  expect(page.url()).toBe(welcome);
  // The link is a secret: it must not reach other sites.
  expect(referrers).toEqual([undefined]);
});
