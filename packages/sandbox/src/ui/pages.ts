/**
 * What a browser opens: the window at `/`, the documentation at `/docs`, their files, and the description they read.
 */
import { Hono } from 'hono';
import { openApiDocument } from '../openapi/document.ts';
import { readPageFile } from './files.ts';

/**
 * Nothing from elsewhere, nothing inline; frames only for the e-mails of the inbox: what a subscriber's data holds can
 * never run or load anything.
 */
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** @param apiPrefix - where the API lies below the sandbox's address */
export function createPages(apiPrefix: string): Hono {
  const page = (name: string) => respond(name) ?? new Response(null, { status: 404 });
  return new Hono()
    .get('/', () => page('window.html'))
    .get('/docs', () => page('docs.html'))
    .get('/page/:file', (context, next) => respond(context.req.param('file')) ?? next())
    .get('/openapi.json', (context) => context.json(openApiDocument(new URL(context.req.url).origin, apiPrefix)));
}

function respond(name: string): Response | undefined {
  const file = readPageFile(name);
  return (
    file &&
    new Response(file.text, {
      headers: {
        'Content-Type': file.type,
        'Content-Security-Policy': policy,
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        'Cache-Control': 'no-store',
      },
    })
  );
}
