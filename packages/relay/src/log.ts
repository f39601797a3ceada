/** The log: one line per event, as JSON or plain text, with addresses and secrets removed. */
import { type DestinationStream, pino, type Logger } from 'pino';
import { redact } from '@newsletter-kit/core';
/** A pino logger. */
export type Log = Logger;

/** Options of {@link createLog}. */
export interface LogOptions {
  /** `fatal`, `error`, `warn`, `info`, `debug` or `silent`. Default `info`. */
  readonly level?: string | undefined;
  /** Removed from every line. */
  readonly secrets?: readonly string[] | undefined;
  /** Destination of the lines. Default: standard output, written synchronously. */
  readonly destination?: DestinationStream | undefined;
}

/**
 * No code logs an address or a key on purpose; the hook also removes those in messages of libraries and stack traces.
 */
export function createLog({ level = 'info', secrets = [], destination }: LogOptions = {}): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: (line) => redact(line, secrets) },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
}

/** A destination that writes lines for a person at a terminal: `12:00:01 info  delivered  signup=0190… attempt=1` */
export function plainLines(write: (text: string) => void): DestinationStream {
  return {
    write(line) {
      const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
      const details = Object.entries(rest).map(
        ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      );
      write(`${[String(time).slice(11, 19), String(level).padEnd(5), String(msg), ...details].join(' ')}\n`);
    },
  };
}
