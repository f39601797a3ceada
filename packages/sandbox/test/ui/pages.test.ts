import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fresh } from '../caller.ts';

const folder = new URL('../../dist/page/', import.meta.url);
const served = readdirSync(folder);
const sources = ['../../page/', '../../../pages/src/'].flatMap((path) => {
  const source = new URL(path, import.meta.url);
  return readdirSync(source).map((name) => [name, readFileSync(new URL(name, source), 'utf8')] as const);
});
const get = (path: string) => fresh().fetch(`http://sandbox.test${path}`);

test.each([
  ['/', 'Newsletter sandbox'],
  ['/docs', 'Newsletter Publishing API'],
])('%s is a page under a policy that lets nothing inline or from elsewhere run', async (path, title) => {
  const page = await get(path);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const html = await page.text();
  expect(html).toContain(title);
  expect(html).not.toMatch(
    /<style|<script(?! (?:type="module" crossorigin| defer) src="\/page\/)|\son\w+=|\sstyle=|(?:src|href)="(?:https?:)?\/\//,
  );
});

test.each(served)('%s is served unchanged, with its type, and loads nothing from other servers', async (name) => {
  const answer = await get(`/page/${name}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('content-type')).toMatch(
    { html: /^text\/html/, css: /^text\/css/, js: /^text\/javascript/, svg: /^image\/svg/, txt: /^text\/plain/ }[
      name.split('.').at(-1) ?? ''
    ] ?? /^$/,
  );
  const text = await answer.text();
  expect(text).toBe(readFileSync(new URL(name, folder), 'utf8'));
  // Its files are unchanged; the tests in a browser watch what they load.
  if (name.startsWith('swagger-ui')) return;
  expect(text).not.toMatch(/@import|url\(|document\.write|\beval\b|new Function/);
  // Lit names the namespaces of SVG and MathML, and its licence.
  const named = [...text.matchAll(/https?:\/\/[\w.]+/g)].map(([origin]) => origin);
  expect(named.filter((origin) => origin !== 'http://www.w3.org')).toEqual([]);
});

test('a browser that has a file already asks only whether it changed', async () => {
  const ask = (headers: HeadersInit) => fresh().fetch('http://sandbox.test/page/swagger-ui-bundle.js', { headers });
  const { headers } = await ask({});
  expect(headers.get('cache-control')).toBe('no-cache');
  const again = await ask({ 'If-None-Match': headers.get('etag') ?? '' });
  expect(again.status).toBe(304);
  expect(await again.text()).toBe('');
});

test('Swagger UI is served as it was published, with its licence', () => {
  const manifest = import.meta.resolve('swagger-ui-dist/package.json');
  const published = (name: string) => readFileSync(new URL(name, manifest), 'utf8');
  const built = (name: string) => readFileSync(new URL(name, folder), 'utf8');
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css'])
    expect(built(name) === published(name), name).toBe(true);
  expect(built('swagger-ui-LICENSE.txt')).toBe(published('LICENSE'));
  expect(built('swagger-ui-NOTICE.txt')).toBe(published('NOTICE'));
});

test.each(sources)('the source %s renders no data as markup', (_, text) => {
  expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|unsafeHTML|unsafeSVG|unsafeStatic|document\.write/);
});

test.each([
  '/page/tsconfig.json',
  '/page/..%2fpackage.json',
  '/page/../package.json',
  '/page/%2e%2e%2fREADME.md',
  '/page/nothing.js',
  '/page/',
  '/page/constructor.js',
])('%s is not served', async (path) => {
  const answer = await get(path);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ status: 404 });
});
