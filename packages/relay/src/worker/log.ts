/** The log of a Worker: the JSON lines of a machine's log on the console, with addresses and secrets removed. */
import { pino } from 'pino';
import { type Log, type LogOptions, redactLine } from '../log.ts';

/** Bundlers for Workers take pino's build for browsers. */
export function createConsoleLog({ level = 'info', secrets = [] }: Omit<LogOptions, 'destination'>): Log {
  const write = (line: object): void => {
    const { time, msg, ...rest }: { time?: number; msg?: string } = line;
    const text = JSON.stringify({ ...rest, time: new Date(time ?? 0).toISOString(), msg });
    // oxlint-disable-next-line no-console -- The log of a Worker is its console.
    console.log(redactLine(text, secrets));
  };
  return pino({
    level,
    browser: { asObject: true, serialize: true, formatters: { level: (label) => ({ level: label }) }, write },
  });
}
