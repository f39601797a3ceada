/** Builds the packages in the order of their dependencies: all of them, or those whose sources changed. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from './user-error.mjs';
import { root } from './root.ts';
import { run, runScript } from './command.ts';

interface Build {
  readonly title: string;
  /** Folder of the package, from the root of the repository; its `dist` is deleted first. */
  readonly folder: string;
  readonly run: () => Promise<boolean>;
}

const script = (title: string, folder: string): Build => ({
  title,
  folder,
  run: () => runScript(folder, 'build', { quiet: true }),
});

const builds: readonly Build[] = [
  script('core', 'packages/core'),
  script('sandbox', 'packages/sandbox'),
  script('relay', 'packages/relay'),
  script('cli', 'packages/cli'),
  script('widget', 'widget'),
  { title: 'n8n nodes', folder: '.', run: () => run('vite', ['build', '--logLevel', 'warn'], { quiet: true }) },
];

/** @returns true where every package was built; stops at the first that was not, because the next ones need it */
export function buildAll(): Promise<boolean> {
  return build(builds);
}

/** Builds the packages of these titles alone. */
export function buildPackages(...titles: readonly string[]): Promise<boolean> {
  return build(builds.filter(({ title }) => titles.includes(title)));
}

async function build(chosen: readonly Build[]): Promise<boolean> {
  for (const { title, folder, run: runBuild } of chosen) {
    const begun = Date.now();
    await rm(join(root, folder, 'dist'), { recursive: true, force: true });
    if (!(await runBuild())) {
      console.error(`✗ ${title} was not built; the reasons are above.`);
      return false;
    }
    console.log(`✓ ${title} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  }
  return true;
}

/** The file that the script tag loads. */
export const widgetScript = join(root, 'widget', 'dist', 'newsletter-signup.js');

/** What it is built from. */
const widgetSources = [
  'widget/src',
  'widget/package.json',
  'widget/vite.config.ts',
  'packages/core/src/signup',
  'packages/core/src/contract',
];

/** Whether the script is missing or older than one of its sources. */
export async function isWidgetStale(): Promise<boolean> {
  return isStale(widgetScript, widgetSources);
}

/** A file of the n8n package, and its sources. */
const nodes = {
  built: join(root, 'dist', 'nodes', 'Newsletter', 'Newsletter.node.js'),
  sources: ['nodes', 'credentials', 'packages/core/src', 'package.json', 'vite.config.mts'],
} as const;

/**
 * Builds the n8n nodes if they are older than their sources.
 *
 * @throws UserError if they were not built
 */
export async function buildNodesIfStale(): Promise<void> {
  if ((await isStale(nodes.built, nodes.sources)) && !(await buildPackages('n8n nodes')))
    throw new UserError('The n8n nodes were not built.', 'The reasons are above; fix them and run the command again.');
}

/** Builds the widget alone. */
export function buildWidget(): Promise<boolean> {
  return runScript('widget', 'build', { quiet: true });
}

/**
 * Builds the widget where it is older than its sources.
 *
 * @throws UserError where it was not built
 */
export async function buildWidgetIfStale(): Promise<void> {
  if (!(await isWidgetStale())) return;
  console.log('▸ Building the widget');
  if (!(await buildWidget()))
    throw new UserError('The widget was not built.', 'The reasons are above; fix them and run the command again.');
}

/** The packages with pages, and an HTML file that their build writes. */
const pages = [
  { folder: 'packages/sandbox', built: 'dist/page/window.html' },
  { folder: 'packages/relay', built: 'dist/page/files.js' },
  { folder: 'examples/demo', built: 'dist/page/index.html' },
] as const;

/**
 * Builds the pages that are older than their sources.
 *
 * @throws UserError if a page was not built
 */
export async function buildStalePages(): Promise<void> {
  for (const { folder, built } of pages) {
    const sources = [`${folder}/page`, 'packages/pages/src', 'packages/pages/vite.ts'];
    if (!(await isStale(join(root, folder, built), sources))) continue;
    const args = ['build', 'page', '--logLevel', 'warn'];
    // A test runner sets another one, with which Lit would bring its development build.
    const env = { NODE_ENV: 'production' };
    if (!(await run('vite', args, { cwd: join(root, folder), env, quiet: true })))
      throw new UserError(
        `The pages of ${folder} were not built.`,
        'The reasons are above; fix them and run the command again.',
      );
  }
}

/**
 * @param built - path of a built file
 * @param sources - files and folders it is built from, from the root of the repository
 * @returns true where the built file is missing or older than any of its sources
 */
async function isStale(built: string, sources: readonly string[]): Promise<boolean> {
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
