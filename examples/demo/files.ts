/** Files as HTTP responses: the built pages of the site, and the files of the widget as a website has them. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Hono } from 'hono';

/** The folder that `vite build page` writes. */
const pages = fileURLToPath(new URL('dist/page', import.meta.url));
const widget = dirname(fileURLToPath(import.meta.resolve('@newsletter-kit/signup/signup-form.js')));

const types: Readonly<Partial<Record<string, string>>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * A built page or a file that it loads.
 *
 * @param policy - its Content-Security-Policy
 * @param values - replace `{{name}}` in a page's attributes, and `{{{name}}}` as markup
 */
export async function builtFile(
  name: string,
  policy: string,
  values: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fileResponse(join(pages, name), policy, values);
}

/** Serves the widget's files at the root. Add it last: routes of the site itself go first. */
export function addWidgetFiles(site: Hono, policy: string): void {
  site.get('/:file{([a-z-]+/)?[a-z-]+\\.(js|css)}', (context) => {
    const file = context.req.param('file');
    // Themes are written, not built: they are beside the folder of the built files.
    return fileResponse(join(file.startsWith('themes/') ? dirname(widget) : widget, file), policy);
  });
}

/** Language tags that the widget has texts for. */
export async function widgetLanguages(): Promise<string[]> {
  return ['en', ...(await namesIn('languages', '.js'))];
}

/** The texts of a language, as its file sets them. */
export async function languageTexts(language: string): Promise<Readonly<Record<string, string>>> {
  await import(pathToFileURL(join(widget, 'languages', `${language}.js`)).href);
  return globalThis.newsletterMessages?.[language] ?? {};
}

/** Names of the widget's themes. */
export function widgetThemes(): Promise<string[]> {
  return namesIn('../themes', '.css');
}

async function namesIn(folder: string, extension: string): Promise<string[]> {
  const files = await readdir(join(widget, folder)).catch(() => []);
  return files.filter((file) => file.endsWith(extension)).map((file) => basename(file, extension));
}

/** Read at every request, so that a new build shows without a restart. */
async function fileResponse(
  path: string,
  policy: string,
  values: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return new Response('404 Not Found', { status: 404 });
  const filled = text
    .replaceAll(/\{\{\{(\w+)\}\}\}/g, (placeholder, name: string) => values[name] ?? placeholder)
    .replaceAll(/\{\{(\w+)\}\}/g, (placeholder, name: string) => escapeAttribute(values[name] ?? placeholder));
  return new Response(extname(path) === '.html' ? filled : text, {
    headers: {
      'Content-Type': types[extname(path)] ?? 'application/octet-stream',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'strict-origin-when-cross-origin',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-cache',
    },
  });
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
