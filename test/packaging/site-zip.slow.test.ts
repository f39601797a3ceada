/** The zip for owners of websites, unpacked behind a plain web server and opened in a browser. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildIfStale } from '../../scripts/build.ts';
import { launch } from '../../scripts/launch.ts';
import { root } from '../../scripts/root.ts';
import { zipFolder, zipScript } from '../../scripts/script-zip.ts';
import { servers, serverUrl } from '../../scripts/servers.ts';
import { open, seeTexts } from '../docs/sights.ts';
import { useBrowser } from '../e2e/use-browser.ts';
import { notice, subscribe } from '../e2e/visitor.ts';
import { freePorts } from '../support/free-ports.ts';

let site: string;
let siteUrl: string;
let endpoint: string;
const session = useBrowser();
let zip: Readonly<Record<string, Uint8Array>>;
/** In reverse order of their start. */
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  await buildIfStale('widget');
  zip = unzipSync(await zipScript());
  const folder = await mkdtemp(join(tmpdir(), 'newsletter-site-'));
  closing.unshift(() => rm(folder, { recursive: true, force: true }));
  site = join(folder, 'site');
  await mkdir(site);
  siteUrl = await serveWithPython(site);
  const ports = { ...(await freePorts()), demo: Number(new URL(siteUrl).port) };
  for (const plan of servers.filter(({ name }) => name !== 'demo')) {
    const server = await launch(plan, { ports, relayStore: `sqlite:${join(folder, 'relay.db')}` }, () => undefined);
    closing.unshift(() => server.stop());
  }
  endpoint = `${serverUrl(ports.relay)}/signup`;
}, 600_000);
afterAll(async () => {
  for (const close of closing) await close();
});

/** @returns its address, which it prints once it listens */
async function serveWithPython(folder: string): Promise<string> {
  const server = spawn('python3', ['-u', '-m', 'http.server', '0', '--bind', '127.0.0.1', '--directory', folder]);
  closing.unshift(async () => {
    server.kill();
    await once(server, 'close');
  });
  server.stderr.resume();
  for await (const line of createInterface({ input: server.stdout })) {
    const [, port] = /port (\d+)/.exec(line) ?? [];
    if (port) return `http://127.0.0.1:${port}`;
  }
  throw new Error('python3 serves nothing.');
}

/** Unpacks the zip as its owner does, who writes the endpoint into the page. */
async function unpack(folder: string, change = (page: string): string => page): Promise<string> {
  for (const [path, content] of Object.entries(zip)) {
    const file = join(site, folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const page = join(site, folder, zipFolder, 'example.html');
  const text = change(await readFile(page, 'utf8'));
  await writeFile(page, text.replaceAll('https://signup.example.com/signup', endpoint));
  return `${siteUrl}/${folder}${zipFolder}/example.html`;
}

async function signUp(url: string): Promise<void> {
  await open(session.browser, url, async (page) => {
    await seeTexts(page, ['Email address', 'Subscribe']);
    await subscribe(page, { email: 'ada@example.com' });
    await notice(page, 'success');
  });
}

it.each(['', 'about/us/', 'a folder/'])('the page takes a signup below /%s', async (folder) => {
  await signUp(await unpack(folder));
});

it('the page takes a signup with the one file alone', async () => {
  const url = await unpack('one/', (page) => page.replace('"signup-form.js"', '"signup-form-complete.js"'));
  const folder = join(site, 'one', zipFolder);
  for (const name of await readdir(folder))
    if (!['example.html', 'signup-form-complete.js', 'themes'].includes(name))
      await rm(join(folder, name), { recursive: true });
  await signUp(url);
});

it('a part that was not uploaded is an error in this check', async () => {
  const url = await unpack('incomplete/');
  await rm(join(site, 'incomplete', zipFolder, 'signup.js'));
  await expect(signUp(url)).rejects.toThrow(/signup\.js/);
});

it('uploaded to the root of a website, it replaces no page there', () => {
  expect(Object.keys(zip).filter((path) => /\/index\.\w+$/.test(path))).toEqual([]);
});

it('with debug, the page says below the form that the address is still the one of the example', async () => {
  const change = (text: string): string =>
    text.replace('<newsletter-signup', '$& debug').replaceAll('signup.example.com', 'signup.example.org');
  const page = await session.browser.newPage();
  await page.goto(await unpack('debug/', change), { waitUntil: 'load' });
  await seeTexts(page, ['has no endpoint but']);
  await page.close();
});

it('the instructions open, and every file that they name is in the zip', async () => {
  const url = await unpack('help/');
  await open(session.browser, url.replace('example.html', 'START-HERE.html'), (page) =>
    seeTexts(page, ['Upload the whole folder']),
  );
  const text = await readFile(join(root, 'examples/site/START-HERE.html'), 'utf8');
  const named = [
    ...text.replaceAll(/https:[\w/.-]+/g, '').matchAll(/[\w/-]+\.(?:js|css|html)\b|\bLICENSE\b|\bintegrity\.json\b/g),
  ].map(([path]) => path);
  const files = Object.keys(zip);
  expect(
    named.map((path) => path.replace(/^\//, '')).filter((path) => !files.some((file) => file.endsWith(path))),
  ).toEqual([]);
  for (const theme of files.filter((file) => file.endsWith('.css'))) expect(text).toContain(basename(theme, '.css'));
});
