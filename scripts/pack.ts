/**
 * `npm run pack`: every package as a tarball that installs alone, and zips for websites and for WordPress. Core is
 * bundled into the packages that depend on it, so that none of them needs a copy from the registry; what is published
 * there does not bundle it.
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { buildAll, buildIfStale } from './build.ts';
import { run } from './command.ts';
import { manifest, pnpm } from './install.mjs';
import { root } from './root.ts';
import { zips } from './script-zip.ts';

/** What is published, besides the n8n package: the name in our scope, and the folder. */
export const publishedPackages = [
  { name: 'core', path: 'packages/core' },
  { name: 'sandbox', path: 'packages/sandbox' },
  { name: 'relay', path: 'packages/relay' },
  { name: 'cli', path: 'packages/cli' },
  { name: 'signup', path: 'widget' },
] as const;

/** The names under which npm has them: of the n8n package, and of each in our scope. */
export const publishedNames: readonly string[] = [
  manifest.name,
  ...publishedPackages.map(({ name }) => `@newsletter-kit/${name}`),
];

const core = '@newsletter-kit/core';

/** Builds and packs. @param args - `--nodes` for the n8n package alone; the tarballs' folder, `packed` by default */
export async function packAll(args: readonly string[]): Promise<boolean> {
  const [name = 'packed'] = args.filter((each) => each !== '--nodes');
  const folder = resolve(root, name);
  if (!args.includes('--nodes')) return (await buildAll()) && packBuilt(folder);
  await buildIfStale('nodes');
  const isPacked = await pack(folder, '%s.tgz', [manifest.name]);
  if (isPacked) console.log(`✓ ${relative(root, tarball(folder, manifest.name))}`);
  return isPacked;
}

/** Packs what is built. The names of the tarballs have no version, so that instructions stay true. */
export async function packBuilt(folder: string): Promise<boolean> {
  if (!(await pack(folder, '%s.tgz'))) return false;
  for (const name of publishedNames)
    if (name !== core && name !== manifest.name && !(await bundleCore(folder, name))) return false;
  for (const [name, zip] of Object.entries(zips)) await writeFile(join(folder, name), await zip());
  const zipPaths = Object.keys(zips).map((name) => join(folder, name));
  for (const path of [...publishedNames.map((name) => tarball(folder, name)), ...zipPaths])
    console.log(`✓ ${relative(root, path)}`);
  return true;
}

/** Packs what is built as npm gets it: nothing is bundled, and the names have the version. */
export function packPublished(folder: string): Promise<boolean> {
  return pack(folder, '%s-%v.tgz');
}

/** @param file - the name of a tarball: `%s` stands for the package, `%v` for its version */
async function pack(folder: string, file: string, names = publishedNames): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  const filters = names.flatMap((name) => ['--filter', name]);
  return run('npx', ['--yes', pnpm, ...filters, 'pack', '--out', join(folder, file)], { quiet: true });
}

const tarball = (folder: string, name: string): string =>
  join(folder, `${name.replace('@', '').replace('/', '-')}.tgz`);

/** Puts core into a package that depends on it, as npm's `bundleDependencies` does. */
async function bundleCore(folder: string, name: string): Promise<boolean> {
  const scratch = await mkdtemp(join(tmpdir(), 'newsletter-pack-'));
  try {
    const unpacked = join(scratch, 'package');
    if (!(await run('tar', ['xzf', tarball(folder, name), '-C', scratch]))) return false;
    const packed = await readManifest(unpacked);
    if (packed.dependencies?.[core] === undefined) return true;
    const bundled = join(scratch, 'core');
    await mkdir(bundled);
    if (!(await run('tar', ['xzf', tarball(folder, core), '--strip-components', '1', '-C', bundled]))) return false;
    // npm takes every dependency of a bundled package to be in the tarball, too: the package around it names them.
    const { dependencies: ofCore, ...bundledManifest } = await readManifest(bundled);
    const bundling = { ...packed, dependencies: { ...ofCore, ...packed.dependencies }, bundleDependencies: [core] };
    await writeFile(join(bundled, 'package.json'), JSON.stringify(bundledManifest, null, 2));
    await writeFile(join(unpacked, 'package.json'), JSON.stringify(bundling, null, 2));
    await cp(bundled, join(unpacked, 'node_modules', core), { recursive: true });
    return await run('tar', ['czf', tarball(folder, name), '-C', scratch, 'package']);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function readManifest(folder: string): Promise<{ readonly dependencies?: Readonly<Record<string, string>> }> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
}
