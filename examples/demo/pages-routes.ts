/** Serves the pages of examples/pages: as they stand, but that they post to the relay that runs here. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Hono } from 'hono';

const folder = fileURLToPath(new URL('../pages', import.meta.url));
/** What the pages say. */
const written = 'http://127.0.0.1:4020/signup';

export function addPages(site: Hono, endpoint: string): void {
  site.get('/pages/', async (context) => {
    const links = (await pageNames()).map((name) => `<li><a href="${name}">${name}</a></li>`).join('');
    return context.html(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Pages to copy from</title><h1>Pages to copy from</h1><ul>${links}</ul></html>`,
    );
  });
  site.get('/pages/:file{[a-z-]+\\.html}', async (context) => {
    const page = await readFile(join(folder, context.req.param('file')), 'utf8').catch(() => undefined);
    if (page === undefined) return context.notFound();
    return context.html(
      page.replaceAll(written, endpoint).replaceAll(new URL(written).origin, new URL(endpoint).origin),
    );
  });
}

/** File names of the pages that need no building. */
async function pageNames(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.html')).sort();
}
