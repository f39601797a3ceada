/** The demo's pages and files, and the live stream; knows no API key. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { relayEvents } from './live-events.ts';

/** Where the demo finds the rest of the chain. */
export interface SiteOptions {
  readonly sandboxUrl: string;
  /** What the tag posts to. */
  readonly signupEndpoint: string;
}

const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/** What is served, by path. */
const files: readonly { readonly path: string; readonly file: string; readonly type: keyof typeof types }[] = [
  { path: '/', file: fromHere('page/index.html'), type: 'html' },
  { path: '/style.css', file: fromHere('page/style.css'), type: 'css' },
  { path: '/live.js', file: fromHere('page/live.js'), type: 'js' },
  { path: '/mark.svg', file: fromHere('page/mark.svg'), type: 'svg' },
  { path: '/newsletter-signup.js', file: fileURLToPath(import.meta.resolve('@newsletter-kit/signup/newsletter-signup.js')), type: 'js' },
];

export function createSite({ sandboxUrl, signupEndpoint }: SiteOptions): Hono {
  const site = new Hono();
  // As strict as a careful site would be: the tag must work under it.
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${new URL(signupEndpoint).origin}`,
    `form-action ${new URL(signupEndpoint).origin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

  for (const { path, file, type } of files) {
    site.get(path, async (context) => {
      const text = await readFile(file, 'utf8');
      return context.body(type === 'html' ? text.replaceAll('{{endpoint}}', escapeAttribute(signupEndpoint)) : text, 200, {
        'Content-Type': types[type],
        'Content-Security-Policy': policy,
        'Referrer-Policy': 'strict-origin-when-cross-origin',
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'no-cache',
      });
    });
  }
  site.get('/events', (context) => relayEvents(`${sandboxUrl}/_sandbox/events`, context.req.raw));
  return site;
}

function fromHere(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
