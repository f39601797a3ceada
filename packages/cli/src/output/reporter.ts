/** Tells what happens: a line that counts up on a terminal, plain lines elsewhere, JSON lines for programs. */
import process from 'node:process';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Environment } from '../command/definition.ts';
import { progressLine, type ProgressLine } from './progress-line.ts';

/**
 * Something that happened: `type` and `data` for programs, `text` for people. No secrets; addresses only where they
 * were asked for.
 */
export interface Happening {
  readonly type: string;
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** How much of the whole is done, 0 to 1; draws a bar. */
  readonly share?: number;
}

export interface Reporter {
  /** What was asked for: stdout. */
  result(happening: Happening): void;
  /** What is good to know on the way: stderr. */
  notice(happening: Happening): void;
  /** How far it is: shown as often as a reader can bear. `last` always shows. */
  progress(happening: Happening, last?: boolean): void;
  /** What went wrong: stderr. */
  failure(text: string): void;
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

  const event = ({ type, data }: Pick<Happening, 'type' | 'data'>): void => {
    stdout.write(`${JSON.stringify({ type, ...data })}\n`);
  };
  const say = (stream: Writable, text: string): void => {
    line?.clear();
    stream.write(`${text}\n`);
  };

  return {
    result(happening) {
      if (json) event(happening);
      else say(stdout, happening.text);
    },
    notice(happening) {
      if (json) event(happening);
      else say(stderr, happening.text);
    },
    progress(happening, last = false) {
      if (!last && now() < nextProgress) return;
      nextProgress = now() + pace;
      if (json) event(happening);
      else if (line) line.show(happening.text, happening.share, last);
      else say(stderr, happening.text);
    },
    failure(text) {
      if (json) event({ type: 'error', data: { message: text } });
      // Logs go to stderr in every mode; styleText leaves colours out for NO_COLOR and where nobody sees them.
      say(stderr, `${styleText('red', 'newsletter:', { stream: stderr })} ${text}`);
    },
  };
}
