/** The demo's pages and files, and the live stream; knows no API key. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { fileResponse, type FileType } from './file-response.ts';
import { relayEvents } from './live-events.ts';
import { addPages } from './pages-routes.ts';
import { addPlayground } from './playground-routes.ts';
import { addWidgetFiles } from './widget-files.ts';

/** Where the demo finds the sandbox and the relay. */
export interface SiteOptions {
  readonly sandboxUrl: string;
  /** What the tag posts to. */
  readonly signupEndpoint: string;
  /** Who started the servers, for a second `npm start` that finds their ports taken. */
  readonly started?: Readonly<Record<string, unknown>>;
}

/** What is served, by path. */
const files: readonly { readonly path: string; readonly file: string; readonly type: FileType }[] = [
  { path: '/', file: fromHere('page/index.html'), type: 'html' },
  { path: '/style.css', file: fromHere('page/style.css'), type: 'css' },
  { path: '/live.js', file: fromHere('page/live.js'), type: 'js' },
  { path: '/mark.svg', file: fromHere('page/mark.svg'), type: 'svg' },
];

export function createSite({ sandboxUrl, signupEndpoint, started }: SiteOptions): Hono {
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
    site.get(path, async () => fileResponse(await readFile(file, 'utf8'), type, policy, signupEndpoint));
  }
  addPlayground(site, signupEndpoint);
  addPages(site, signupEndpoint);
  site.get('/events', (context) => relayEvents(`${sandboxUrl}/_sandbox/events`, context.req.raw));
  // For programs on this machine: a page of another site that points its own name here does not get the folder's name.
  if (started)
    site.get('/servers.json', (context) =>
      /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(context.req.header('host') ?? '')
        ? context.json(started)
        : context.notFound(),
    );
  addWidgetFiles(site, policy);
  return site;
}

function fromHere(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
