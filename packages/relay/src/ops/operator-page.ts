/** Serves the operator's page as the build wrote it: four files without any secret. */
import { readFileSync } from 'node:fs';
import type { Hono } from 'hono';

const folder = new URL('../../dist/page/', import.meta.url);

/** Allows nothing from other origins and nothing inline, so that no stored text can run or load anything. */
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** By their path, relative to the operator endpoint. */
const files = {
  '/': { name: 'operator.html', type: 'text/html; charset=utf-8' },
  '/operator.css': { name: 'operator.css', type: 'text/css; charset=utf-8' },
  '/operator.js': { name: 'operator.js', type: 'text/javascript; charset=utf-8' },
  '/mark.svg': { name: 'mark.svg', type: 'image/svg+xml' },
} as const;

/** Adds the routes of the page. @param door - mounted at `/operator` */
export function operatorPage(door: Hono): void {
  for (const [path, { name, type }] of Object.entries(files)) {
    let text: string | undefined;
    door.get(path, () => {
      text ??= readFileSync(new URL(name, folder), 'utf8');
      return new Response(text, {
        headers: {
          'content-type': type,
          'content-security-policy': policy,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-store',
        },
      });
    });
  }
}
