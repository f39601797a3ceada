/**
 * The start pages of the documentation in a browser: what their readers copy works, and looks as on their pictures. The
 * pictures are written to .output/start-pages for review. With `PICTURES=guide` they are those that the pages show:
 * `PICTURES=guide npm test -- test/e2e/start-pages.slow.test.ts`.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Page } from 'puppeteer-core';
import sharp from 'sharp';
import { expect, it, onTestFinished } from 'vitest';
import { launch } from '../../scripts/launch.ts';
import { root } from '../../scripts/root.ts';
import { plans, serverUrl } from '../../scripts/servers.ts';
import { freeNumbers } from '../support/free-ports.ts';
import { servers, session } from './servers-and-browser.ts';
import { arrivalOf, notice, subscribe, visit } from './visitor.ts';

const pictures = join(root, process.env['PICTURES'] === 'guide' ? '.github/guide' : '.output/start-pages');

/** Pictures the visible part of the page, in light colours. */
async function take(page: Page, name: string): Promise<void> {
  await mkdir(pictures, { recursive: true });
  const path = join(pictures, `${name}.png`);
  await sharp(await page.screenshot())
    .png({ palette: true, compressionLevel: 9, effort: 10 })
    .toFile(path);
  expect((await stat(path)).size).toBeLessThan(150_000);
}

async function prepare(page: Page, width: number, height: number): Promise<void> {
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: 'light' },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
}

it('the demo site shows what arrived', async () => {
  const { page } = await visit(session.browser, `${servers.demoUrl}/?utm_source=partner&utm_campaign=spring`);
  await prepare(page, 1200, 900);
  const email = 'ada@example.com';
  await subscribe(page, { email, topics: ['boats', 'food'], birthday: '1990-12-10' });
  await notice(page, 'success');
  expect(Object.values((await arrivalOf(page, email)).facts)).toContain('partner');
  // The arrival scrolls into view.
  await page.$eval(`.arrival[data-email="${email}"]`, (arrival) => arrival.scrollIntoView({ block: 'end' }));
  await take(page, 'demo-arrival');
});

it('the page of "A form on your website" takes a signup', async () => {
  const text = await readFile(join(root, 'docs/src/content/docs/start/website.md'), 'utf8');
  const home = await mkdtemp(join(tmpdir(), 'newsletter-website-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const [sitePort = 0, relayPort = 0] = await freeNumbers(2);
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) =>
    block.replaceAll(/^ {3}/gm, '').replaceAll('127.0.0.1:4021', `127.0.0.1:${relayPort}`),
  );
  for (const block of blocks.filter((each) => each.includes('~/site')))
    execFileSync('bash', ['-e', '-c', block], { cwd: root, env: { ...process.env, HOME: home } });

  // The relay of the page: another port, and the page's origin.
  const ports = { demo: sitePort, relay: relayPort, sandbox: Number(new URL(servers.sandboxUrl).port) };
  const relay = await launch(plans.relay, { ports, relayStore: `sqlite:${home}/relay.db` }, () => undefined);
  onTestFinished(() => relay.stop());
  const site = serveFolder(join(home, 'site'));
  await new Promise<void>((resolve) => site.listen(sitePort, '127.0.0.1', resolve));
  onTestFinished(() => void site.close());

  const page = await session.browser.newPage();
  await prepare(page, 760, 560);
  await page.goto(`${serverUrl(sitePort)}/?utm_source=blog`);
  await page.waitForSelector('newsletter-signup >>> input[name=email]', { visible: true });
  await take(page, 'site-form');
  const email = 'grace@example.com';
  await subscribe(page, { email, topics: ['boats'], birthday: '1986-12-09' });
  await notice(page, 'success');
  await expect
    .poll(async () => (await servers.api.subscriptions.list({ email })).items)
    .toMatchObject([{ email, utm_source: 'blog' }]);
});

it('the operator’s page shows the states, the newest signups and the form', async () => {
  const fault = { match: 'subscriptions.create', effect: { status: 400 }, times: 1 };
  await fetch(`${servers.sandboxUrl}/_sandbox/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  });
  for (const signup of [{ email: 'mary@example.com' }, { email: 'robot@example.com', hp_field: 'filled' }]) {
    const answer = await fetch(`${servers.relayUrl}/signup`, {
      method: 'POST',
      headers: { origin: servers.demoUrl, 'content-type': 'application/json' },
      body: JSON.stringify(signup),
    });
    expect(answer.status).toBe(202);
  }
  const page = await session.browser.newPage();
  await prepare(page, 1200, 850);
  await page.goto(`${servers.relayUrl}/operator`);
  await page.waitForSelector('#enter:not([hidden])');
  await page.type('#token', (await readFile(`${servers.relayFile}-operator`, 'utf8')).trim());
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#dead .reasons')?.textContent.includes('1 ×'));
  await page.waitForFunction(() =>
    /dead.*review|review.*dead/s.test(document.querySelector('#newest')?.textContent ?? ''),
  );
  await page.waitForSelector('#forms pre');
  await take(page, 'operator');
});

/** A web server for a folder, as a site has one. */
function serveFolder(folder: string): ReturnType<typeof createServer> {
  const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname === '/' ? '/index.html' : pathname;
    readFile(join(folder, path)).then(
      (content) => response.writeHead(200, { 'Content-Type': types[extname(path)] ?? 'text/plain' }).end(content),
      () => response.writeHead(404).end(),
    );
  });
}
