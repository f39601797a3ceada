/** Installs a folder outside the workspace by its committed lockfile, once, until the lockfile changes. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pnpm } from '../bring/install.mjs';
import { run } from './process.ts';

interface Locked {
  readonly folder: string;
  /** What is being installed, and how long it takes, for whoever waits. */
  readonly title: string;
  /** What it needs, for whoever it fails for. */
  readonly needs: string;
}

export async function installLocked({ folder, title, needs }: Locked): Promise<void> {
  const stamp = join(folder, 'node_modules', '.installed');
  const wanted = await fingerprint(folder);
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;

  console.log(`▸ Installing ${title}`);
  const begun = Date.now();
  const seconds = (): string => `${Math.round((Date.now() - begun) / 1000)} s`;
  const progress = setInterval(() => console.log(`  … ${seconds()}`), 15_000);
  try {
    await run('npx', ['--yes', pnpm, 'install', '--frozen-lockfile', '--reporter=append-only'], {
      cwd: folder,
      env: { CI: 'true', PUPPETEER_SKIP_DOWNLOAD: '1', PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
    });
  } catch (error) {
    throw new Error(`Nothing was installed in ${folder}. It needs ${needs}.`, { cause: error });
  } finally {
    clearInterval(progress);
  }
  await writeFile(stamp, wanted);
  console.log(`✓ Installed (${seconds()})`);
}

/** Changes with the lockfile and with the Node that native modules were built for. */
async function fingerprint(folder: string): Promise<string> {
  const hash = createHash('sha256').update(process.versions.modules);
  for (const file of ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml']) hash.update(await readFile(join(folder, file)));
  return hash.digest('hex');
}
