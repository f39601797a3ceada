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
    /<style|<script(?! type="module" crossorigin src=)|\son\w+=|\sstyle=|(?:src|href)="(?:https?:)?\/\//,
  );
});

test.each(served)('%s is served unchanged, with its type, and loads nothing from other servers', async (name) => {
  const answer = await get(`/page/${name}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('content-type')).toMatch(
    { html: /^text\/html/, css: /^text\/css/, js: /^text\/javascript/, svg: /^image\/svg/ }[
      name.split('.').at(-1) ?? ''
    ] ?? /^$/,
  );
  const text = await answer.text();
  expect(text).toBe(readFileSync(new URL(name, folder), 'utf8'));
  expect(text).not.toMatch(/@import|url\(|document\.write|\beval\b|new Function/);
  // Lit names the namespaces of SVG and MathML, and its licence.
  const named = [...text.matchAll(/https?:\/\/[\w.]+/g)].map(([origin]) => origin);
  expect(named.filter((origin) => origin !== 'http://www.w3.org')).toEqual([]);
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
