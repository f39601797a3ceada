/**
 * A channel of its own for the result of a program that another one starts. Everything that the program and the
 * installers it calls print is progress: it goes to stderr and cannot damage the result.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { root } from './root.ts';

export interface ProgramOptions {
  /** Folder to run in; the root of the repository by default. */
  readonly cwd?: string;
  /** Node's options; none by default. */
  readonly execArgv?: readonly string[];
  /** Time limit in milliseconds; none by default. */
  readonly timeout?: number;
}

/** A program that gave no result. */
export class NoResult extends Error {
  override readonly name = 'NoResult';
  /** How it ended: `silent` is exit code 0 without a result. */
  readonly ending: 'failed' | 'timed out' | 'silent';
  /** What it printed, stdout and stderr. */
  readonly printed: string;

  constructor(file: string, ending: NoResult['ending'], printed: string) {
    super(`${file} gave no result: ${ending}.`);
    this.ending = ending;
    this.printed = printed;
  }
}

/** Sends the result to the program that started this one with {@link resultOf}; prints it if nothing did. */
export function sendResult(result: unknown): void {
  if (process.send) process.send(result);
  else process.stdout.write(`${JSON.stringify(result)}\n`);
}

/**
 * Runs a file that calls {@link sendResult}, and prints its output on stderr.
 *
 * @throws NoResult where it fails, takes too long, or ends without a result
 */
export async function resultOf<Result>(
  file: string,
  args: readonly string[] = [],
  { cwd = root, execArgv = [], timeout }: ProgramOptions = {},
): Promise<Result> {
  const program = fork(file, args, { cwd, execArgv: [...execArgv], timeout, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let printed = '';
  for (const stream of [program.stdout, program.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      process.stderr.write(text);
    });
  const results: unknown[] = [];
  program.on('message', (result) => results.push(result));
  const [code] = (await once(program, 'close')) as [number | null];
  if (program.killed) throw new NoResult(file, 'timed out', printed);
  if (code !== 0) throw new NoResult(file, 'failed', printed);
  if (results.length === 0) throw new NoResult(file, 'silent', printed);
  return results[0] as Result;
}
