/** Runs the starter and the npm scripts as in a terminal, and captures their output. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from '../../scripts/root.ts';

/** Major version of a Node. */
function majorOf(node: string): number {
  return Number.parseInt(execFileSync(node, ['--version'], { encoding: 'utf8' }).slice(1), 10);
}

/** A Node of this machine, older than the given major version. */
export function findNodeBefore(major: number): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin']
    .map((folder) => join(folder, 'node'))
    .find((node) => existsSync(node) && majorOf(node) < major);
}

export interface Started {
  readonly child: ChildProcess;
  /** Everything printed so far. */
  output(): string;
  /** The output to stdout only. */
  stdout(): string;
  /** Resolves once the output matches; rejects where the command ends before. */
  says(pattern: RegExp): Promise<void>;
  /** Resolves to the exit code. */
  readonly ended: Promise<number | null>;
}

/**
 * @param args - what follows `node scripts/run.mjs`
 * @param env - added to the environment; undefined removes a variable
 * @param folder - the checkout to run in
 * @param node - the Node that runs it
 */
export function starter(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  folder = root,
  node = process.execPath,
): Started {
  const child = spawn(node, ['scripts/run.mjs', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  return follow(child);
}

/**
 * Runs an npm script of this repository.
 *
 * @param args - what follows `npm run`, for example `['relay', '--', 'serve']`
 * @param folder - where npm is called
 */
export function npmRun(
  args: readonly string[],
  { env = {}, folder = root }: { env?: Readonly<Record<string, string>>; folder?: string } = {},
): Started {
  const child = spawn('npm', ['--prefix', root, 'run', '--silent', ...args], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    shell: process.platform === 'win32',
  });
  return follow(child);
}

function follow(child: ChildProcess): Started {
  let output = '';
  let stdout = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (stream === child.stdout) stdout += chunk.toString();
      for (const look of waiting) look();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    output: () => output,
    stdout: () => stdout,
    ended,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(output)) resolve();
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`It ended without printing ${pattern}:\n${output}`)));
      }),
  };
}
