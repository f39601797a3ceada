/**
 * The output of a command: a line that counts up on a terminal, plain lines elsewhere, JSON lines for programs; and the
 * format of numbers and durations.
 */
import { once } from 'node:events';
import process from 'node:process';
import { clearLine, cursorTo } from 'node:readline';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { Option } from '@commander-js/extra-typings';

export const jsonOption = () =>
  new Option('--json', 'print events as JSON lines on stdout and errors as JSON on stderr');

/** An event: `type` and `data` for programs, `text` for people. No secrets; addresses only where requested. */
export interface ReportedEvent {
  readonly type: string;
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** How much of the whole is done, 0 to 1; draws a bar. */
  readonly share?: number;
}

/** An error as `--json` prints it, under the key `error`. */
export interface ErrorReport {
  /** Class of the error: `UsageError`, `RateLimitError`, `NetworkError`, … */
  readonly type: string;
  readonly message: string;
  /** The operation that was called, or method and path. */
  readonly operation?: string;
  /** Status of the service's answer. */
  readonly status?: number;
  /** The service's own messages. */
  readonly errors?: readonly unknown[];
  /** What is wrong with the call, one sentence each. */
  readonly problems?: readonly string[];
  /** Code of the operating system or the network, such as `ENOENT` or `ECONNREFUSED`. */
  readonly code?: string;
  /** How long the service asks to wait, in milliseconds. */
  readonly retry_after_ms?: number;
  readonly request_id?: string;
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
  readonly env: Readonly<Record<string, string | undefined>>;
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
  const line = live ? progressLine(stderr) : null;
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

/** Characters of the bar. */
const barWidth = 20;

/** A progress line at the bottom of a terminal, rewritten in place; with a bar where the total is known. */
function progressLine(stream: Writable & { readonly columns?: number }) {
  let shown = false;
  /** Clears the line, so that other output can be written. */
  function clear(): void {
    if (!shown) return;
    cursorTo(stream, 0);
    clearLine(stream, 0);
    shown = false;
  }
  return {
    /**
     * @param share - 0 to 1, for the bar
     * @param keep - keeps the text and continues on the next line
     */
    show(text: string, share: number | undefined, keep: boolean): void {
      clear();
      const line = share === undefined ? text : `${bar(share)} ${text}`;
      // A wrapped line could not be cleared.
      stream.write(keep ? `${text}\n` : line.slice(0, (stream.columns ?? 80) - 1));
      shown = !keep;
    },
    clear,
  };
}

function bar(share: number): string {
  const full = Math.round(Math.max(0, Math.min(1, share)) * barWidth);
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${String(Math.floor(share * 100)).padStart(3)} %`;
}

const grouped = new Intl.NumberFormat('en');

export function count(amount: number, singular: string, plural = `${singular}s`): string {
  return `${number(amount)} ${amount === 1 ? singular : plural}`;
}

/** `1,234`. */
export function number(amount: number): string {
  return grouped.format(amount);
}

/** `2 h 5 min`, `40 s`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/** `1,234 a second`, or a minute where the rate is below one. */
export function rate(amount: number, ms: number): string {
  const perSecond = ms > 0 ? (amount * 1000) / ms : 0;
  return perSecond >= 1
    ? `${grouped.format(Math.round(perSecond))} a second`
    : `${grouped.format(Math.round(perSecond * 60))} a minute`;
}
