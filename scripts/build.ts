/** Builds the packages in the order of their dependencies: all of them, or those whose sources changed. */
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
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
  script('cli', 'packages/cli'),
  script('widget', 'widget'),
  // Its build copies the widget's.
  script('relay', 'packages/relay'),
  { title: 'n8n nodes', folder: '.', run: () => run('vite', ['build', '--logLevel', 'warn'], { quiet: true }) },
];

/** @returns true where every package was built; stops at the first that was not, because the next ones need it */
export function buildAll(): Promise<boolean> {
  return build(builds);
}

async function build(chosen: readonly Build[]): Promise<boolean> {
  for (const { title, folder, run: runBuild } of chosen) {
    const begun = Date.now();
    await rm(join(root, folder, 'dist'), { recursive: true, force: true });
    if (!(await runBuild())) {
      console.error(`✗ ${title} was not built; the reasons are above.`);
      return false;
    }
    console.error(`✓ ${title} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  }
  return true;
}

/** The file that the script tag loads. */
export const widgetScript = join(root, 'widget', 'dist', 'signup-form.js');

/** Something built, with one of its files and its sources, from the root of the repository. */
interface Target {
  readonly title: string;
  readonly built: string;
  readonly sources: readonly string[];
  readonly build: () => Promise<boolean>;
}

const widgetSources = [
  'widget/src',
  'widget/package.json',
  'widget/vite.config.ts',
  'packages/core/src/signup',
  'packages/core/src/contract',
];

/** What a page loads: that needs no development tools. */
const tag: Target = {
  title: 'tag',
  built: relative(root, widgetScript),
  sources: widgetSources,
  build: () => runScript('widget', 'bundles', { quiet: true }),
};

/** The whole package, types and manifest included. */
const widget: Target = {
  title: 'widget',
  // The last file that the build writes into this folder.
  built: 'widget/dist/integrity.json',
  sources: widgetSources,
  build: () => runScript('widget', 'build', { quiet: true }),
};

const nodes: Target = {
  title: 'n8n nodes',
  built: 'dist/nodes/Newsletter/Newsletter.node.js',
  sources: ['nodes', 'credentials', 'packages/core/src', 'package.json', 'vite.config.mts'],
  build: () => build(builds.filter(({ title }) => title === 'n8n nodes')),
};

/** @param built - a file that the build writes, relative to the folder */
function pagesOf(folder: string, built: string): Target {
  return {
    title: `pages of ${folder}`,
    built: `${folder}/${built}`,
    sources: [`${folder}/page`, 'packages/pages/src', 'packages/pages/vite.ts'],
    // A test runner sets another NODE_ENV, with which Lit would bring its development build.
    build: () =>
      run('vite', ['build', 'page', '--logLevel', 'warn'], {
        cwd: join(root, folder),
        env: { NODE_ENV: 'production' },
        quiet: true,
      }),
  };
}

const pages = [
  pagesOf('packages/sandbox', 'dist/page/window.html'),
  pagesOf('packages/relay', 'dist/page/files.js'),
  pagesOf('examples/demo', 'dist/page/index.html'),
];

/** The folders of the built pages, from the root of the repository. */
export const pageFolders: readonly string[] = pages.map(({ built }) => dirname(built));

/** The tag as the relay serves it. */
const servedTag: Target = {
  title: 'tag in the relay',
  built: 'packages/relay/dist/tag/signup-form.js',
  sources: ['widget/dist', 'widget/themes', 'packages/relay/scripts/tag.ts', 'packages/relay/src/tag-files.ts'],
  build: () => run(process.execPath, ['packages/relay/scripts/tag.ts'], { quiet: true }),
};

/** The pages that the servers serve, and the tag that the demo site and the relay serve. */
const servers = [tag, servedTag, ...pages];

/** What each task needs built, and the parts alone. */
const targets = {
  start: servers,
  worker: servers,
  n8n: [...servers, nodes],
  docs: [widget],
  widget: [widget],
  nodes: [nodes],
  pages,
} as const;

/**
 * Builds what is missing or older than its sources.
 *
 * @param needed - a task or a part
 * @throws UserError if a build failed
 */
export async function buildIfStale(needed: keyof typeof targets): Promise<void> {
  for (const target of targets[needed]) {
    if (!(await isStale(target))) continue;
    console.error(`▸ Building the ${target.title}`);
    if (!(await target.build()))
      throw new UserError(
        `Building the ${target.title} failed.`,
        'The reasons are above; fix them and run the command again.',
      );
  }
}

/** Whether the script is missing or older than one of its sources. */
export function isWidgetStale(): Promise<boolean> {
  return isStale(widget);
}

async function isStale({ built, sources }: Target): Promise<boolean> {
  const builtAt = await modified(join(root, built));
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
