/**
 * The files of the tag's package, where a website has them: the script at the root, and beside it what it loads when
 * needed.
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Hono } from 'hono';
import { fileResponse, isFileType } from './file-response.ts';

const dist = dirname(fileURLToPath(import.meta.resolve('@newsletter-kit/signup/newsletter-signup.js')));

/** Call it last: what the site has itself goes first. */
export function addWidgetFiles(site: Hono, policy: string): void {
  site.get('/:file{([a-z-]+/)?[a-z-]+\\.(js|css)}', async (context) => {
    const file = context.req.param('file');
    const type = extname(file).slice(1);
    // Style sheets are written, not built: they stand beside the built files.
    const text = await readFile(join(type === 'css' ? dirname(dist) : dist, file), 'utf8').catch(() => undefined);
    return text === undefined || !isFileType(type) ? context.notFound() : fileResponse(text, type, policy);
  });
}

/** Tags of the languages the tag speaks. */
export async function widgetLanguages(): Promise<string[]> {
  return ['en', ...(await namesIn('languages', '.js'))];
}

/** Names of the themes that come with the tag. */
export function widgetThemes(): Promise<string[]> {
  return namesIn('../themes', '.css');
}

async function namesIn(folder: string, extension: string): Promise<string[]> {
  const files = await readdir(join(dist, folder)).catch(() => []);
  return files.filter((file) => file.endsWith(extension)).map((file) => basename(file, extension));
}
