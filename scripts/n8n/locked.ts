/** Installs a folder outside the workspace by its committed lockfile, once, until the lockfile changes. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../user-error.mjs';
import { pnpm } from '../install.mjs';
import { start } from './process.ts';

interface Locked {
  readonly folder: string;
  /** Printed while it installs: the program, its size and the time it takes. */
  readonly title: string;
  /** The requirements, for the error message. */
  readonly needs: string;
  /** Aborts the install, which the next one continues. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws UserError where it fails, with the last lines of the output */
export async function installLocked({ folder, title, needs, signal }: Locked): Promise<void> {
  const stamp = join(folder, 'node_modules', '.installed');
  const wanted = await fingerprint(folder);
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;

  console.log(`▸ Installing ${title}`);
  const begun = Date.now();
  const seconds = (): string => `${Math.round((Date.now() - begun) / 1000)} s`;
  const installing = start('npx', ['--yes', pnpm, 'install', '--frozen-lockfile', '--reporter=append-only'], {
    cwd: folder,
    env: { CI: 'true', PUPPETEER_SKIP_DOWNLOAD: '1', PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
    signal,
  });
  const progress = setInterval(() => {
    console.log(
      `  ${seconds()}: ${
        installing
          .output()
          .match(/(?<=Progress: )[^\n]+/g)
          ?.at(-1) ?? 'working'
      }`,
    );
  }, 15_000);
  try {
    if ((await installing.ended) !== 0) {
      const lastLines = installing
        .output()
        .split('\n')
        .slice(-15)
        .map((line) => `  │ ${line}`)
        .join('\n');
      throw new UserError(
        `Nothing was installed in ${folder}.`,
        `It needs ${needs}. The last lines of its output:\n${lastLines}`,
      );
    }
  } finally {
    clearInterval(progress);
  }
  await writeFile(stamp, wanted);
  console.log(`✓ Installed (${seconds()})`);
}

/** Changes with the lockfile and with the Node that native modules were built for. */
async function fingerprint(folder: string): Promise<string> {
  const hash = createHash('sha256').update(process.versions.modules);
  for (const file of ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml'])
    hash.update(await readFile(join(folder, file)));
  return hash.digest('hex');
}
