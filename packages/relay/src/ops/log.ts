/** The log: one JSON line per event, in which no address and no key can stand. */
import { redact } from '@newsletter-kit/core';
import { pino, type DestinationStream, type Logger } from 'pino';

/** A pino logger. */
export type Log = Logger;

/** Options of {@link createLog}. */
export interface LogOptions {
  /** `fatal`, `error`, `warn`, `info`, `debug` or `silent`. Default `info`. */
  readonly level?: string | undefined;
  /** Taken out of every line, should one ever get in. */
  readonly secrets?: readonly string[] | undefined;
  /** Where lines go. Default: standard output, written at once. */
  readonly destination?: DestinationStream | undefined;
}

/**
 * Nothing logs an address or a key on purpose; the last hook makes sure of it, whatever a library or a stack trace
 * says.
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
