/** The operator's page: four files, the same beside the sources and beside the build. They hold nothing secret. */
import { readFileSync } from 'node:fs';
import type { Hono } from 'hono';

const folder = new URL('../../page/', import.meta.url);

/** Nothing from elsewhere and nothing inline: what a signup holds can never run or load anything. */
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** By the path they stand at, below the door. */
const files = {
  '/': { name: 'operator.html', type: 'text/html; charset=utf-8' },
  '/operator.css': { name: 'operator.css', type: 'text/css; charset=utf-8' },
  '/operator.js': { name: 'operator.js', type: 'text/javascript; charset=utf-8' },
  '/mark.svg': { name: 'mark.svg', type: 'image/svg+xml' },
} as const;

/** Adds the page to a door. */
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
