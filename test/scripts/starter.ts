/** Runs the starter as a person at a terminal would, and reads what it says. */
import { spawn, type ChildProcess } from 'node:child_process';
import { root } from '../../scripts/chain/root.ts';

export interface Started {
  readonly child: ChildProcess;
  /** Everything printed so far. */
  output(): string;
  /** Resolves once the output matches; rejects where the command ends before. */
  says(pattern: RegExp): Promise<void>;
  /** Resolves to the exit code. */
  readonly ended: Promise<number | null>;
}

/**
 * @param args - what follows `node scripts/run.mjs`
 * @param env - added to the environment; undefined takes a variable away
 * @param folder - the checkout to run in
 */
export function starter(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  folder = root,
): Started {
  const child = spawn(process.execPath, ['scripts/run.mjs', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let output = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      for (const look of waiting) look();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    output: () => output,
    ended,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(output)) resolve();
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`It ended without saying ${pattern}:\n${output}`)));
      }),
  };
}
