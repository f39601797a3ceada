/** What an import will do, before it does it, and what the service found out about its addresses after it. */
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { ForbiddenError, type Automation, type Client } from '@newsletter-kit/core';
import { secondsOf } from '@newsletter-kit/core/facts';
import { UsageError } from '#command-line';
import {
  countPeople,
  forecastImport,
  largeImport,
  type Forecast,
  type ImportCounts,
} from '@newsletter-kit/core/import';
import { replaceFile } from '@newsletter-kit/core/files';
import { stringify } from 'csv-stringify/sync';
import { exitCodes, InterruptedError, type ExitCode, type Session } from '../../context.ts';
import { count, duration, number } from '../../output.ts';
import type { Job } from './job.ts';

/** The rows that were left out, by what is done about them. */
export function leftOut({
  rejected,
  duplicates,
  left,
  unconfirmed,
}: Pick<ImportCounts, 'rejected' | 'duplicates' | 'left' | 'unconfirmed'>): readonly string[] {
  return [
    rejected > 0 && `${count(rejected, 'row')} rejected`,
    duplicates > 0 && `${count(duplicates, 'duplicate')} left out`,
    left > 0 && `${count(left, 'row')} of people who left kept out`,
    unconfirmed > 0 && `${count(unconfirmed, 'row')} of people who never confirmed kept out`,
  ].filter((text) => text !== false);
}

/** Says what an import would do; it sends nothing, and reads the publication only for a full plan. */
export async function plan({ client, source, keepOut, options }: Job, session: Session): Promise<ExitCode> {
  const { report, interrupted } = session;
  const known = options.plan === 'full';
  const forecast = await forecastImport({
    engine: client.engine,
    source,
    keepOut,
    known,
    batchSize: options.batchSize,
    signal: interrupted,
    call: { signal: interrupted },
    onProgress: ({ read }) => report.progress({ type: 'progress', text: `${count(read, 'row')} read`, data: { read } }),
    onCost: ({ by, requests, minutes, people }) =>
      report.notice({
        type: 'reading',
        text: `To see who is known already, ${count(requests, 'request')} ${by === 'list' ? 'read the whole list' : 'look up the rows one by one'} (about ${duration(minutes * 60_000)}); --plan=offline makes none.`,
        data: { by, requests, people: Number.isFinite(people) ? people : null },
      }),
  });
  if (interrupted.aborted) throw new InterruptedError('Interrupted. Nothing was sent.');
  const started = known && forecast.sent > 0 ? await startedAutomations(client, forecast) : [];
  const { leftOut: examples, confirmations, welcomes, minutes, ...data } = forecast;
  report.result({
    type: 'plan',
    text: [...linesOf(forecast), ...started].join('\n'),
    data: {
      ...data,
      known: data.known ?? null,
      confirmations,
      welcomes,
      minutes: Math.ceil(minutes),
      started,
      left_out: Object.fromEntries(
        Object.entries(examples).map(([kind, rows]) => [kind, rows.map(({ row, reason }) => ({ row, reason }))]),
      ),
    },
  });
  return exitCodes.done;
}

function linesOf(forecast: Forecast): readonly string[] {
  const { read, sent, known, requests, minutes, perMinute } = forecast;
  const { confirmations, welcomes, automations, leftOut: examples } = forecast;
  const range = ({ least, most }: { readonly least: number; readonly most: number }): string =>
    least === most ? number(most) : `${number(least)} to ${number(most)}, as the publication is set`;
  const out = leftOut(forecast);
  return [
    `Of ${count(read, 'row')}, ${number(sent)} would be sent${out.length > 0 ? `; ${out.join(', ')}` : ''}.`,
    known
      ? `New: ${number(known.fresh)}. Known: ${number(known.present)} updated, ${number(known.away)} who left and stay away${known.returning > 0 ? `, ${number(known.returning)} who come back because their row says so` : ''}.`
      : 'Who is known already was not read.',
    `Confirmation mails: ${range(confirmations)}. Welcome mails: ${range(welcomes)}.`,
    ...automations.map(({ id, rows }) => `Automation ${id}: named by ${count(rows, 'row')}.`),
    `${count(requests, 'request')}, about ${duration(minutes * 60_000)} at ${perMinute} a minute.`,
    ...Object.values(examples).flatMap((rows) =>
      rows.map(({ row, kind, reason }) => `  row ${row}: ${kind}: ${reason}`),
    ),
  ];
}

/** Automations that the import may start without being named. */
async function startedAutomations(client: Client, { automations }: Forecast): Promise<readonly string[]> {
  const named = new Set(automations.map(({ id }) => id));
  const started: Automation[] = [];
  try {
    for await (const automation of client.automations.list({ limit: 100 }))
      if (
        named.has(automation.id) ||
        (automation.status === 'live' && automation.trigger_events?.includes('signup') === true)
      )
        started.push(automation);
  } catch (error) {
    if (error instanceof ForbiddenError) return ['Which automations may start was not read: this key may not.'];
    throw error;
  }
  return started.map(({ id, name, status }) => `May start: ${name ?? id} (${id}, ${status ?? 'of unknown status'}).`);
}

/**
 * Asks before an import that changes much of a publication.
 *
 * @throws UsageError where nobody can be asked; InterruptedError where the answer is no
 */
export async function approveShare({ client, source, options }: Job, { interrupted }: Session): Promise<void> {
  const { mostRows: most } = source;
  if (most <= largeImport.people) return;
  const people = await countPeople({ engine: client.engine, call: { signal: interrupted } });
  if (people === 0 || (people !== undefined && most <= people * largeImport.share)) return;
  const problem = `This import changes up to ${count(most, 'person', 'people')}; the publication has ${people === undefined ? 'a number that the service does not state' : number(people)}.`;
  if (options.approval === 'required' || !process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(`${problem} See with --plan what it will do, then add --yes. Nothing was sent.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal
    .question(`${problem} Import it? [y/N] `, { signal: interrupted })
    .finally(() => terminal.close());
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new InterruptedError('Nothing was sent.');
}

/**
 * Writes the addresses that the service has found invalid since the import began.
 *
 * @returns their number; undefined where they could not be read
 */
export async function findInvalid(
  client: Client,
  startedAt: number,
  path: string,
  interrupted: AbortSignal,
): Promise<number | undefined> {
  const emails: string[] = [];
  try {
    const list = client.subscriptions.list(
      { status: 'invalid', order_by: 'created', direction: 'desc', limit: 100 },
      { signal: interrupted },
    );
    for await (const { email, created } of list) {
      if ((secondsOf(created) ?? 0) < Math.floor(startedAt)) break;
      if (typeof email === 'string') emails.push(email);
    }
  } catch {
    return undefined; // the import is complete, and the same list can be exported
  }
  if (emails.length > 0) await replaceFile(path, stringify([['email'], ...emails.map((email) => [email])]), 0o600);
  return emails.length;
}
