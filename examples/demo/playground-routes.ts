/**
 * The playground: its pages, its modules with their types taken out, the options of the tag, and an endpoint that
 * answers as asked.
 */
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { english } from '@newsletter-kit/signup';
import type { Hono } from 'hono';
import { fileResponse } from './file-response.ts';
import { readOptions, type Manifest, type Options } from './playground/options.ts';
import { isState, stateOf } from './playground/states.ts';
import { widgetLanguages, widgetThemes } from './widget-files.ts';

const folder = fileURLToPath(new URL('playground', import.meta.url));
/** How long a form is kept waiting by the state in which it waits, in milliseconds: longer than anybody looks at it. */
const patience = 120_000;
/** How long every other answer takes, so that the state in between is seen; in milliseconds. */
const courtesy = 250;

export function addPlayground(site: Hono, endpoint: string): void {
  const policy = (frameAncestors: string): string =>
    [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      // Any picture that somebody tries in the layout `cover`.
      "img-src 'self' https: data:",
      "frame-src 'self'",
      `connect-src 'self' ${new URL(endpoint).origin}`,
      `form-action 'self' ${new URL(endpoint).origin}`,
      "base-uri 'none'",
      `frame-ancestors ${frameAncestors}`,
    ].join('; ');
  const page = policy("'none'");
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

  site.get('/playground', async () => fileResponse(await read('index.html'), 'html', page, endpoint));
  site.get('/playground/preview', async () => fileResponse(await read('preview.html'), 'html', policy("'self'")));
  site.get('/playground/options.json', async () => fileResponse(JSON.stringify(await currentOptions()), 'json', page));
  site.get('/playground/:file{[a-z-]+\\.css}', async (context) =>
    fileResponse(await read(context.req.param('file')), 'css', page),
  );
  site.get('/playground/:file{[a-z-]+\\.ts}', async (context) =>
    fileResponse(stripTypeScriptTypes(await read(context.req.param('file'))), 'js', page),
  );
  site.post('/playground/answers/:state', async (context) => {
    const state = context.req.param('state');
    const answer = isState(state) ? stateOf(state).answer : undefined;
    if (answer === undefined) return context.notFound();
    if (answer === 'never') {
      await sleep(patience, undefined, { signal: context.req.raw.signal, ref: false }).catch(() => undefined);
      return context.body(null, 504);
    }
    await sleep(courtesy);
    const { status, error, retryAfter } = answer;
    return Response.json(error ? { status, statusText: 'refused', errors: [error] } : { status: 'accepted' }, {
      status,
      headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
    });
  });
}

/** Read anew each time: whoever works on the tag builds it while the demo runs. */
export async function currentOptions(): Promise<Options> {
  const manifest = JSON.parse(
    await readFile(fileURLToPath(import.meta.resolve('@newsletter-kit/signup/custom-elements.json')), 'utf8'),
  ) as Manifest;
  return readOptions(manifest, english, { languages: await widgetLanguages(), themes: await widgetThemes() });
}
