/**
 * A website for a test: its pages and their headers, and the built files of the widget.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { build } from 'vite';
import { root } from '../../scripts/root.ts';
import { buildIfStale, widgetScript } from '../../scripts/build.ts';

export interface Page {
  /** The whole text, or the pieces in which it is sent. */
  readonly html: string | AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: 200. */
  readonly status?: number;
}

export interface Site {
  readonly origin: string;
  /** Every request in order, such as `GET /page`. */
  readonly requests: readonly string[];
  /** Adds a page at a path, and returns its address. */
  page(path: string, page: Page): string;
  /** Adds a script at a path, sent once its code is there. */
  script(path: string, code: string | Promise<string>): void;
  close(): Promise<void>;
}

const javascript = 'text/javascript; charset=utf-8';
const css = 'text/css; charset=utf-8';

/** A style sheet without its fonts of other hosts: tests make no request to the internet. */
async function sheet(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).replaceAll(/@import url\(['"]?https?:[^)]*\);/g, '');
}

/**
 * Starts on a free port. `/signup-form.js` and `.css` are the built files, `/languages/…` languages, `/bundle.js` the
 * npm package in a bundle. Other origins may load the scripts.
 *
 * @param sheets - the folder of the style sheets below `/sheets/`. Default: none
 */
export async function openSite(sheets?: string): Promise<Site> {
  await buildIfStale('widget');
  const pages = new Map<string, Page>();
  const scripts = new Map<string, string | Promise<string>>();
  const requests: string[] = [];
  const script = async (path: string): Promise<string> => {
    const chunk = (await (bundled ??= chunks(`import '@newsletter-kit/signup/define';`))).get(path);
    if (chunk !== undefined) return chunk;
    return scripts.get(path) ?? readFile(join(dirname(widgetScript), path), 'utf8');
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    requests.push(`${request.method} ${pathname}`);
    const page = pages.get(pathname);
    if (page) {
      response.writeHead(page.status ?? 200, { 'Content-Type': 'text/html; charset=utf-8', ...page.headers });
      return void Readable.from(typeof page.html === 'string' ? [page.html] : page.html).pipe(response);
    }
    const send = (type: string, text: Promise<string>): unknown =>
      text.then(
        (code) => response.writeHead(200, { 'Content-Type': type, 'Access-Control-Allow-Origin': '*' }).end(code),
        () => response.writeHead(404).end(),
      );
    if (pathname.endsWith('.js')) send(javascript, script(pathname));
    else if (pathname === '/signup-form.css') send(css, sheet(join(dirname(widgetScript), pathname)));
    else if (pathname.startsWith('/themes/')) send(css, sheet(join(root, 'widget', pathname)));
    else if (sheets && pathname.endsWith('.css'))
      send(css, sheet(join(sheets, decodeURIComponent(pathname.replace('/sheets/', '')))));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    requests,
    page: (path, page) => {
      pages.set(path, page);
      return origin + path;
    },
    script: (path, code) => void scripts.set(path, code),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

let bundled: Promise<ReadonlyMap<string, string>> | undefined;

/** Bundles a module: `/bundle.js`, and the files that it loads later. */
async function chunks(module: string): Promise<ReadonlyMap<string, string>> {
  const entry = 'site-entry';
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    root: join(root, 'test'),
    plugins: [
      {
        name: entry,
        enforce: 'pre',
        resolveId: (id) => (id.endsWith(entry) ? `\0${entry}` : null),
        load: (id) => (id === `\0${entry}` ? module : null),
      },
    ],
    build: {
      write: false,
      lib: { entry, formats: ['es'], fileName: () => 'bundle.js' },
      rolldownOptions: { output: { minify: true } },
    },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((each) => ('output' in each ? each.output : []));
  return new Map(outputs.flatMap((file) => (file.type === 'chunk' ? [[`/${file.fileName}`, file.code] as const] : [])));
}
