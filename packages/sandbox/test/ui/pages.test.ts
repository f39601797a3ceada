import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fresh } from '../caller.ts';

const folder = new URL('../../page/', import.meta.url);
const served = readdirSync(folder).filter((name) => /\.(?:html|css|js|svg)$/.test(name));
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
  expect(html).not.toMatch(/<style|<script(?! type="module" src=)|\son\w+=|\sstyle=|(?:src|href)="(?:https?:)?\/\//);
});

test.each(served)('%s is served as it is, with its type, and names nothing from elsewhere', async (name) => {
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
  if (!name.endsWith('.svg'))
    expect(text).not.toMatch(
      /https?:\/\/|@import|url\(|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/,
    );
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
