/**
 * The request log as lines for a terminal: what was asked, how it was answered, why, and what would have been taken.
 */
import type { LogEntry } from '../control/log.ts';

const shown = 100;

export function requestLines(entries: readonly LogEntry[]): readonly string[] {
  const left = entries.length - shown;
  return [...(left > 0 ? [`  … ${left} more before`] : []), ...entries.slice(-shown).flatMap(linesOf)];
}

function linesOf({ time, method, path, query, operation, status, reasons, nearest }: LogEntry): string[] {
  const search = Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const answer = status === 0 ? 'no answer' : String(status);
  return [
    `  ${time.slice(11, 23)}  ${method} ${path}${search && `?${search}`} → ${answer}${operation === null ? '' : `  (${operation})`}`,
    ...reasons.map((reason) => `      ${reason}`),
    ...(nearest
      ? [
          `      Nearest: ${nearest.request}${nearest.change.map(({ field, to }, index) => `${index === 0 ? ' with ' : ', '}${field} ${JSON.stringify(to)}`).join('')}`,
        ]
      : []),
  ];
}
