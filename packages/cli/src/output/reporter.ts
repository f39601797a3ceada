/** Reports events: a line that counts up on a terminal, plain lines elsewhere, JSON lines for programs. */
import { once } from 'node:events';
import process from 'node:process';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Environment } from '../context.ts';
import type { ErrorReport } from '../user-facing-errors.ts';
import { progressLine, type ProgressLine } from './progress-line.ts';

/** An event: `type` and `data` for programs, `text` for people. No secrets; addresses only where requested. */
export interface ReportedEvent {
  readonly type: string;
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** How much of the whole is done, 0 to 1; draws a bar. */
  readonly share?: number;
}

export interface Reporter {
  /** The result of the command: stdout. */
  result(reported: ReportedEvent): void;
  /** A message before the result: stderr, or an event on stdout with `--json`. */
  notice(reported: ReportedEvent): void;
  /** Progress, at most as often as the output allows; `last` is always shown. */
  progress(reported: ReportedEvent, last?: boolean): void;
  /** An error: stderr; with `--json` as one line `{"error": …}`. */
  failure(error: ErrorReport): void;
}

export interface ReporterOptions {
  readonly json: boolean;
  readonly env: Environment;
  readonly stdout?: Writable & { readonly isTTY?: boolean };
  readonly stderr?: Writable & { readonly isTTY?: boolean };
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/** Milliseconds between two lines of progress. */
const paces = { json: 1000, live: 100, plain: 5000 } as const;

export function createReporter({
  json,
  env,
  stdout = process.stdout,
  stderr = process.stderr,
  now = Date.now,
}: ReporterOptions): Reporter {
  const live = !json && stderr.isTTY === true && !env['CI'] && env['TERM'] !== 'dumb';
  const line: ProgressLine | null = live ? progressLine(stderr) : null;
  const pace = paces[json ? 'json' : live ? 'live' : 'plain'];
  let nextProgress = 0;

  const event = ({ type, data }: Pick<ReportedEvent, 'type' | 'data'>): void => {
    stdout.write(`${JSON.stringify({ type, ...data })}\n`);
  };
  const printLine = (stream: Writable, text: string): void => {
    line?.clear();
    stream.write(`${text}\n`);
  };

  return {
    result(reported) {
      if (json) event(reported);
      else printLine(stdout, reported.text);
    },
    notice(reported) {
      if (json) event(reported);
      else printLine(stderr, reported.text);
    },
    progress(reported, last = false) {
      if (!last && now() < nextProgress) return;
      nextProgress = now() + pace;
      if (json) event(reported);
      else if (line) line.show(reported.text, reported.share, last);
      else printLine(stderr, reported.text);
    },
    failure(error) {
      // styleText leaves colours out for NO_COLOR and where stderr is not a terminal.
      if (json) stderr.write(`${JSON.stringify({ error })}\n`);
      else printLine(stderr, `${styleText('red', 'newsletter:', { stream: stderr })} ${error.message}`);
    },
  };
}

/** Writes to stdout no faster than it is read. */
export async function writeToStdout(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
