/**
 * The pages that a browser opens: the sandbox's user interface at `/`, the documentation at `/docs`, and
 * `/openapi.json`, which they read.
 */
import { Hono } from 'hono';
import { etag } from 'hono/etag';
import { openApiDocument } from './openapi/document.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

/**
 * Nothing from elsewhere, nothing inline; frames only for the e-mails of the inbox: what a subscriber's data holds can
 * never run or load anything. The icons of Swagger UI are `data:` images of its style sheet.
 */
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function createPages(): Hono {
  const page = (name: string) => respond(name) ?? new Response(null, { status: 404 });
  return new Hono()
    .get('/', () => page('window.html'))
    .get('/docs', () => page('docs.html'))
    .use('/page/*', etag())
    .get('/page/:file', (context, next) => respond(context.req.param('file')) ?? next())
    .get('/openapi.json', (context) => context.json(openApiDocument(new URL(context.req.url).origin)));
}

/** The file of this name; undefined where there is none. Only names that the folder lists are ever opened. */
function respond(name: string): Response | undefined {
  const type = types[extname(name)];
  if (type === undefined || !readdirSync(folder).includes(name)) return undefined;
  return new Response(readFileSync(new URL(name, folder), 'utf8'), {
    headers: {
      'Content-Type': type,
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    },
  });
}

const folder = new URL('../dist/page/', import.meta.url);

const types: Readonly<Partial<Record<string, string>>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};
