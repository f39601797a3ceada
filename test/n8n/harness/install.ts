/** Installs n8n by its committed lockfile, once: two gigabytes and one to four minutes, reused until the lockfile changes. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pnpm } from '../../../scripts/bring/install.mjs';
import { run, root } from './process.ts';

const host = join(root, 'test', 'n8n', 'host');
const stamp = join(host, 'node_modules', '.installed');

/** @returns the path of the n8n command */
export async function installN8n(): Promise<string> {
  const command = join(host, 'node_modules', 'n8n', 'bin', 'n8n');
  const wanted = await fingerprint();
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return command;

  console.log('▸ Installing n8n (2 GB; two to four minutes the first time)');
  const begun = Date.now();
  const seconds = (): string => `${Math.round((Date.now() - begun) / 1000)} s`;
  const progress = setInterval(() => console.log(`  … ${seconds()}`), 15_000);
  try {
    await run('npx', ['--yes', pnpm, 'install', '--frozen-lockfile', '--reporter=append-only'], {
      cwd: host,
      env: { CI: 'true', PUPPETEER_SKIP_DOWNLOAD: '1', PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
    });
  } catch (error) {
    throw new Error(
      'n8n was not installed. It needs the npm registry, about 2 GB of disk, and python3, make and g++ to build its sqlite3.',
      { cause: error },
    );
  } finally {
    clearInterval(progress);
  }
  await writeFile(stamp, wanted);
  console.log(`✓ n8n is installed (${seconds()})`);
  return command;
}

/** Changes with the lockfile and with the Node that native modules were built for. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(process.versions.modules);
  for (const file of ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml']) hash.update(await readFile(join(host, file)));
  return hash.digest('hex');
}
