/**
 * Serves the files of the form to websites: the script, languages and themes, which browsers keep for an hour, and the
 * parts that the script loads later, which they keep for good: the path of a part contains a hash of all parts.
 */
import { cpSync, existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { etag, RETAINED_304_HEADERS } from 'hono/etag';
import type { Log } from './log.ts';

/** Any site may load the files. */
export const tagHeaders = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
} as const;
export const cacheControl = { file: 'public, max-age=3600', part: 'public, max-age=31536000, immutable' } as const;

const paths = ['/signup-form.js', '/signup-form.css', '/signup-landing.js', '/languages/*', '/themes/*', '/parts/*'];

/** How many versions are kept: a page stays open for weeks, and a version takes about 100 kB. */
const keptVersions = 20;

/** A comment, because pages load it as a script: browsers block any other type without an entry in their console. */
const notBuilt =
  '// The files of the form are not built: run "npm run build" in the clone, and start the relay again.\n';

/** This version, as `scripts/tag.ts` writes it. */
const builtFolder = fileURLToPath(new URL('../dist/tag', import.meta.url));

/**
 * The routes of the files. What it cannot keep it logs, and serves this version alone.
 *
 * @param keptIn - folder that keeps the parts of earlier versions, for pages that have the script of one. Default: none
 *   are kept
 * @param builtIn - folder of this version. Default: that of the package
 */
export function tagFiles(log: Log, keptIn?: string, builtIn = builtFolder): Hono {
  const isBuilt = existsSync(builtIn);
  if (isBuilt && keptIn !== undefined) keepParts(builtIn, keptIn, log);
  const folders = [builtIn, keptIn ?? builtIn].filter((folder) => existsSync(folder));
  const app = new Hono();
  for (const path of paths) {
    app.get(path, etag({ retainedHeaders: [...RETAINED_304_HEADERS, ...Object.keys(tagHeaders)] }), async (c, next) => {
      await next();
      if (!c.res.ok) return;
      const caching = { 'cache-control': path.startsWith('/parts') ? cacheControl.part : cacheControl.file };
      for (const [name, value] of Object.entries({ ...tagHeaders, ...caching })) c.res.headers.set(name, value);
    });
    for (const root of new Set(folders)) app.get(path, serveStatic({ root, precompressed: true }));
    const headers = { ...tagHeaders, 'cache-control': 'no-store', 'content-type': 'text/javascript; charset=utf-8' };
    if (!isBuilt) app.get(path, ({ text }) => text(notBuilt, 503, headers));
  }
  return app;
}

/** Adds the parts of this version to those kept, and deletes the versions that were started longest ago. */
function keepParts(builtIn: string, keptIn: string, log: Log): void {
  const [built, kept] = [join(builtIn, 'parts'), join(keptIn, 'parts')];
  try {
    cpSync(built, kept, { recursive: true });
    const now = new Date();
    for (const version of readdirSync(built)) utimesSync(join(kept, version), now, now);
    const startedAt = (version: string): number => statSync(join(kept, version)).mtimeMs;
    const versions = readdirSync(kept).toSorted((a, b) => startedAt(b) - startedAt(a));
    for (const version of versions.slice(keptVersions)) rmSync(join(kept, version), { recursive: true, force: true });
  } catch (error) {
    log.warn(
      { reason: error instanceof Error ? error.message : 'unknown', folder: keptIn },
      'the files of this version of the form cannot be kept for pages that are open at the next upgrade: make the folder writable, or name another in RELAY_TAG_FOLDER',
    );
  }
}
