/** The log: one line per event, as JSON or plain text, with addresses and secrets removed. */
import { type DestinationStream, pino, type Logger } from 'pino';
import { redact } from '@newsletter-kit/core';
/** A pino logger. */
export type Log = Logger;

/** Options of {@link createLog}. */
export interface LogOptions {
  /** `fatal`, `error`, `warn`, `info`, `debug` or `silent`. Default `info`. */
  readonly level?: string | undefined;
  /** Removed from every line but its own sentence. */
  readonly secrets?: readonly string[] | undefined;
  /** Removed from errors alone, because the relay's own sentences may contain them. */
  readonly weakSecrets?: readonly string[] | undefined;
  /** Destination of the lines. Default: standard output, written synchronously. */
  readonly destination?: DestinationStream | undefined;
}

/** Before and behind the message of a line, which pino writes last. */
const messagePart = /^(.*)(,"msg":"(?:[^"\\]|\\.)*"\}\s*)$/s;

/**
 * A line of the log without addresses and secrets. Its message is a sentence of the relay's own, in which a secret that
 * is also a word would leave a gap that tells it.
 */
export function redactLine(line: string, secrets: readonly string[]): string {
  const [, fields = line, message = ''] = messagePart.exec(line) ?? [];
  return redact(fields, secrets) + redact(message);
}

/**
 * No code logs an address or a key on purpose; the hook also removes those in messages of libraries and stack traces.
 */
export function createLog({ level = 'info', secrets = [], weakSecrets = [], destination }: LogOptions = {}): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {
        err: (error: Error): unknown => JSON.parse(redact(JSON.stringify(pino.stdSerializers.err(error)), weakSecrets)),
      },
      hooks: { streamWrite: (line) => redactLine(line, secrets) },
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
