/** Exports subscriptions page by page, and continues an interrupted export. */
import {
  BadRequestError,
  continuationAt,
  isRecord,
  nearMiss,
  placeOf,
  type Client,
  type Page,
  type Subscription,
  type SubscriptionListParams,
} from '@newsletter-kit/core';
import { listCustomFields } from '@newsletter-kit/core/import';
import { connectToPublication, type ConnectionOptions } from '../../connection.ts';
import { exitCodes, type ExitCode, type Session } from '../../context.ts';
import { count, rate, writeToStdout } from '../../output.ts';
import { UsageError } from '#command-line';
import { columnsOf, csv, type ExportColumn, type Format, type formatNames, ndjson } from './columns.ts';
import { openPartFile, type PartFile } from './file.ts';

/** The export pages by cursor. */
export type ExportQuery = Omit<SubscriptionListParams, 'page' | 'cursor'>;

export interface ExportOptions {
  readonly connection: ConnectionOptions;
  /** Undefined for stdout. */
  readonly path: string | undefined;
  readonly format: (typeof formatNames)[number];
  readonly query: ExportQuery;
  /** Headings of the columns to write, and values that columns must have. */
  readonly chosen: {
    readonly columns: readonly string[] | undefined;
    readonly where: readonly (readonly [heading: string, value: string])[];
  };
  /** Leaves cells unchanged that a spreadsheet would run as a formula. */
  readonly isRaw: boolean;
}

/** One export: its query, its format and where it is written. */
interface Job {
  readonly client: Client;
  readonly path: string | undefined;
  readonly query: ExportQuery;
  readonly format: Format;
  /** Whether a subscription is one of those to export. */
  readonly keeps: (subscription: Subscription) => boolean;
  readonly part: Omit<PartFile, 'finish' | 'close'>;
}

export async function exportSubscriptions(options: ExportOptions, session: Session): Promise<ExitCode> {
  const { path, query, isRaw, chosen } = options;
  const { client, apiUrl, publicationId } = await connectToPublication(options.connection, session);
  const expand = query.expand ?? [];
  const names = expand.includes('custom_fields')
    ? (await listCustomFields(client.engine, { call: { signal: session.interrupted } })).map(({ display }) => display)
    : [];
  const all = columnsOf(expand, names);
  const where = chosen.where.map(([heading, value]) => ({ column: columnNamed(heading, all), value }));
  const columns = chosen.columns?.map((heading) => columnNamed(heading, all));
  const format = options.format === 'csv' ? csv(columns ?? all, names, isRaw) : ndjson(columns);
  const keeps = (subscription: Subscription): boolean =>
    where.every(({ column, value }) => column.cell(subscription) === value);
  const identity = JSON.stringify([apiUrl, publicationId, query, chosen, options.format, format.head, isRaw]);
  const begun = Date.now();

  const part = path === undefined ? null : await openPartFile(path, identity);
  try {
    const exported = await writePages({ client, path, query, format, keeps, part: part ?? stdoutPart }, session);
    await part?.finish();
    for (const name of format.lost)
      session.report.notice({
        type: 'warning',
        text: `The custom field "${name}" was created during the export and has no column. Export again to include it.`,
        data: { custom_field: name },
      });
    session.report.progress(
      {
        type: 'exported',
        text: `Exported ${count(exported, 'subscription')}${path ? ` to ${path}` : ''} (${rate(exported, Date.now() - begun)}).`,
        data: { subscriptions: exported, file: path ?? null },
      },
      true,
    );
    return exitCodes.done;
  } finally {
    await part?.close();
  }
}

/** @throws UsageError where there is none */
function columnNamed(heading: string, columns: readonly ExportColumn[]): ExportColumn {
  const column = columns.find((each) => each.heading === heading);
  if (column) return column;
  const headings = columns.map((each) => each.heading);
  const meant = nearMiss(heading, headings);
  throw new UsageError(
    `There is no column "${heading}"${meant === undefined ? '' : `; did you mean "${meant}"?`} The columns are ${headings.join(', ')}; --expand adds others.`,
  );
}

/** What is written to stdout is never continued. */
const stdoutPart: Job['part'] = {
  resumed: null,
  write: writeToStdout,
  reached: () => Promise.resolve(),
  restart: () => Promise.resolve(),
};

/** @returns the number of subscriptions written @throws InterruptedError */
async function writePages(job: Job, session: Session): Promise<number> {
  const { path, format, keeps, part } = job;
  let done = part.resumed?.subscriptions ?? 0;
  const kept = (): string => {
    if (path === undefined)
      return `Interrupted after ${count(done, 'subscription')}; the output is incomplete. An export to a FILE can be continued.`;
    return done === 0
      ? 'Interrupted before the first page; nothing was written.'
      : `Interrupted after ${count(done, 'subscription')}. The same command continues from there; ${path}.part has the data so far.`;
  };
  return await session.reading(async () => {
    let page: Page<Subscription> | null = await resume(job, session);
    if (page === null) {
      done = 0;
      page = await begin(job, session);
    }
    for (; page !== null; page = await page.next()) {
      const records = recordsOf(page).filter(keeps);
      await part.write(format.lines(records));
      done += records.length;
      session.report.progress({
        type: 'progress',
        text: `Exported ${count(done, 'subscription')} …`,
        data: { subscriptions: done },
      });
      if (page.continuation !== null) await part.reached(placeOf(page.continuation), done);
    }
    return done;
  }, kept);
}

/** The page at the stored cursor; null where none is stored, or the service refuses it. */
async function resume({ client, query, part }: Job, session: Session): Promise<Page<Subscription> | null> {
  if (part.resumed === null) return null;
  const { subscriptions, cursor } = part.resumed;
  session.report.notice({
    type: 'resumed',
    text: `Continuing after ${count(subscriptions, 'subscription')} of an earlier run.`,
    data: { subscriptions },
  });
  try {
    return await client.subscriptions.list({ ...query, ...continuationAt(cursor) }, { signal: session.interrupted });
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    if (subscriptions > 0)
      session.report.notice({
        type: 'restarted',
        text: 'The service no longer accepts the stored cursor; the export starts over.',
      });
    return null;
  }
}

/** The first page, behind the head of the format. */
async function begin({ client, query, format, part }: Job, session: Session): Promise<Page<Subscription>> {
  await part.restart();
  await part.write(format.head);
  return await client.subscriptions.list(query, { signal: session.interrupted });
}

/** The subscriptions of a page; also those without an id, in their place at its end. */
function recordsOf({ items, leftOut }: Page<Subscription>): readonly Subscription[] {
  return [...items, ...(leftOut.filter(isRecord) as readonly object[] as readonly Subscription[])];
}
