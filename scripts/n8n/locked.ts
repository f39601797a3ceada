/** Installs a folder outside the workspace by its committed lockfile, once, until the lockfile changes. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { UserError } from '../user-error.mjs';
import { pnpm } from '../install.mjs';
import { start } from '../program.ts';

interface Locked {
  readonly folder: string;
  /** Printed while it installs: the program, its size and the time it takes. */
  readonly title: string;
  /** The requirements, for the error message. */
  readonly needs: string;
  /** A package that node-gyp compiles where it is not found compiled. */
  readonly compiles?: string;
  /** Aborts the install, which the next one continues. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * @throws UserError where it fails, with the lines of its output that name the cause, and before anything is downloaded
 *   where node-gyp cannot work in the folder
 */
export async function installLocked({ folder, title, needs, compiles, signal }: Locked): Promise<void> {
  const stamp = join(folder, 'node_modules', '.installed');
  const wanted = await fingerprint(folder);
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;
  if (compiles) assertCompilable(folder, compiles);

  console.error(`▸ Installing ${title}`);
  const begun = Date.now();
  const seconds = (): string => `${Math.round((Date.now() - begun) / 1000)} s`;
  let output = '';
  const installing = start('npx', ['--yes', pnpm, 'install', '--frozen-lockfile', '--reporter=append-only'], {
    cwd: folder,
    env: { CI: 'true', PUPPETEER_SKIP_DOWNLOAD: '1', PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
    signal,
    onLine: (line) => (output += `${line}\n`),
  });
  const progress = setInterval(() => {
    console.error(`  ${seconds()}: ${output.match(/(?<=Progress: )[^\n]+/g)?.at(-1) ?? 'working'}`);
  }, 15_000);
  try {
    if ((await installing.ended) !== 0) {
      throw new UserError(
        `Nothing was installed in ${folder}.`,
        `It needs ${needs}. From its output:\n${tellingLines(output)}`,
      );
    }
  } finally {
    clearInterval(progress);
  }
  await writeFile(stamp, wanted);
  console.error(`✓ Installed (${seconds()})`);
}

function assertCompilable(folder: string, compiled: string): void {
  const found = breaking(folder).map((character) => JSON.stringify(character));
  if (found.length === 0) return;
  throw new UserError(
    `Nothing was installed in ${folder}: node-gyp, which may have to compile ${compiled}, breaks at ${found.join(' and ')} in a path.`,
    'Move this clone to a path without, or clone again there, and run the command again.',
  );
}

/**
 * The characters of a path at which node-gyp 8 or the make and shell behind it break: blanks and what a shell reads as
 * syntax. Tried one by one: `%`, `@`, `,`, brackets and the like pass, and so do letters beyond ASCII.
 */
export function breaking(path: string): readonly string[] {
  return [...new Set(path.replaceAll(sep, '/').match(/[\s#'"$()&;`|<>\\]/g))];
}

/** Changes with the lockfile and with the Node that native modules were built for. */
async function fingerprint(folder: string): Promise<string> {
  const hash = createHash('sha256').update(process.versions.modules);
  for (const file of ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml'])
    hash.update(await readFile(join(folder, file)));
  return hash.digest('hex');
}

/** Words of lines that name the cause: an unreachable host, a refused request, a missing program, a full disk. */
const telling = /ERR!|\bE[A-Z]{4,}\b|[Ee]rror\b|getaddrinfo|[Ff]ailed\b|not found|certificate|https?:\/\//;
/** Lines that only describe the machine or repeat the call stack. */
const noise = /gyp ERR! (System|command|cwd|node -v|node-gyp -v|not ok|stack\s+at )|^\s*at |Progress: /;

/**
 * The lines of a failed install that name its cause, and the last lines. A failed build of a native module ends with
 * dozens of lines about the machine, so the last lines alone do not have it.
 */
export function tellingLines(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() && !noise.test(line));
  const chosen = new Set([...lines.filter((line) => telling.test(line)).slice(-20), ...lines.slice(-3)]);
  return [...chosen].map((line) => `  │ ${line}`).join('\n');
}
