/** Checks whether the built script of the widget, which the demo serves, is older than its sources. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './root.ts';

/** The file that the script tag loads. */
export const widgetScript = join(root, 'widget', 'dist', 'newsletter-signup.js');

const sources = [
  'widget/src',
  'widget/package.json',
  'widget/vite.config.ts',
  'packages/core/src/signup',
  'packages/core/src/contract',
];

/** Whether the script is missing or older than one of its sources. */
export async function isWidgetStale(): Promise<boolean> {
  return isStale(widgetScript, sources);
}

/**
 * @param built - path of a built file
 * @param sources - files and folders it is built from, from the root of the repository
 * @returns true where the built file is missing or older than any of its sources
 */
export async function isStale(built: string, sources: readonly string[]): Promise<boolean> {
  const builtAt = await modified(built);
  if (builtAt === 0) return true;
  const times = await Promise.all(sources.map((path) => newest(join(root, path))));
  return Math.max(...times) > builtAt;
}

async function newest(path: string): Promise<number> {
  const names = await readdir(path, { recursive: true }).catch(() => ['']);
  const times = await Promise.all(names.map((name) => modified(join(path, name))));
  return Math.max(0, ...times);
}

/** Milliseconds since the epoch, 0 where there is no such file. */
async function modified(path: string): Promise<number> {
  return stat(path).then(
    (stats) => stats.mtimeMs,
    () => 0,
  );
}
