/**
 * `newsletter-sandbox exec -- CMD`: runs a command against a fresh sandbox and, where it failed, prints its requests.
 */
import type { Sandbox } from '../sandbox.ts';
import { environmentOf, runCommand } from './child-process.ts';
import type { ServerOptions } from './options.ts';
import { serve } from './serve.ts';
import type { LogEntry } from '../control/request-log.ts';

/**
 * Runs the command against a fresh sandbox. Where the command fails, prints its requests on stderr.
 *
 * @returns the exit code to end with: the command's own, 128 and its number for a signal, 127 where it could not be
 *   started
 */
export async function execute(options: ServerOptions, command: readonly [string, ...string[]]): Promise<number> {
  const { address, controlToken, sandbox, stop } = await serve({ ...options, fresh: true });
  try {
    const ended = await runCommand(command, environmentOf(address, controlToken));
    if (ended.code !== 0)
      process.stderr.write(
        `newsletter-sandbox: the command ${ended.how}${ended.started ? '.' : ''}${ended.started ? ` ${report(sandbox)}` : ''}\n`,
      );
    return ended.code;
  } finally {
    await stop();
  }
}

function report(sandbox: Sandbox): string {
  const entries = sandbox.requests();
  if (entries.length > 0) return ['Its requests:', ...requestLines(entries)].join('\n');
  return 'It sent no request to the sandbox. The address of the sandbox is in NEWSLETTER_API_URL, the key in NEWSLETTER_API_KEY, the publication in NEWSLETTER_PUBLICATION_ID.';
}

/** Requests printed. */
const shown = 100;

/** Formats log entries as lines for a terminal. */
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
          `      Nearest valid request: ${nearest.request}${nearest.change.map(({ field, to }, index) => `${index === 0 ? ' with ' : ', '}${field} ${JSON.stringify(to)}`).join('')}`,
        ]
      : []),
  ];
}
