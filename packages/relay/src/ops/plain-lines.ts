/** Log lines for a person at a terminal instead of a machine. */
import type { DestinationStream } from 'pino';

/** `12:00:01 info  delivered  signup=0190… attempt=1` */
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
