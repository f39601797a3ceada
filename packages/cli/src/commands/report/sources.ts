/** Reports which sources bring readers who stay, in one of four formats. */
import process from 'node:process';
import { ApiError, type Client } from '@newsletter-kit/core';
import { UsageError } from '#command-line';
import { replaceFile } from '@newsletter-kit/core/files';
import {
  createSourceReport,
  type reportDimensions,
  type SourceReport,
  type SourceReportInProgress,
} from '@newsletter-kit/core/report';
import { connectToPublication, type ConnectionOptions } from '../../connection.ts';
import { exitCodes, type ExitCode, type Session } from '../../context.ts';
import { count, writeToStdout } from '../../output.ts';
import { readHistory } from './history-file.ts';
import { renderSourceReport } from './html.ts';
import { csvOf, tableOf } from './table.ts';

export const formats = ['table', 'csv', 'json', 'html'] as const;

/** Values in a table on the terminal; the other formats have more. */
const tableRows = 30;

export interface SourcesOptions {
  readonly connection: ConnectionOptions;
  /** Undefined for stdout. */
  readonly path: string | undefined;
  readonly format: (typeof formats)[number];
  readonly by: (typeof reportDimensions)[number];
  readonly history: string | undefined;
  readonly stats: boolean;
  readonly isJson: boolean;
}

export async function reportSources(options: SourcesOptions, session: Session): Promise<ExitCode> {
  const { path, format, history } = options;
  const { report } = session;
  const { client, apiUrl, publicationId } = await connectToPublication(options.connection, session);
  const stored =
    history === undefined ? null : await readHistory(history, { of: `${apiUrl} ${publicationId}` }, report);
  if (history !== undefined && stored === null)
    throw new UsageError(`${history}: there is no such file. newsletter watch --history ${history} begins one.`);

  const sources = createSourceReport({
    at: Math.floor(client.engine.host.now() / 1000),
    history: stored?.history,
    ...(format === 'table' && path === undefined && !options.isJson && { largest: tableRows }),
  });
  await readAll(client, sources, options.stats ? ['stats'] : [], session);
  const result = sources.result();
  const text = await textOf(result, options, () => nameOf(client, publicationId, session));
  if (path !== undefined) {
    await replaceFile(path, text, 0o644);
    const { signedUp } = result.total;
    report.result({
      type: 'reported',
      text: `Reported ${count(signedUp, 'subscription')} to ${path}.`,
      data: { subscriptions: signedUp, file: path },
    });
  } else if (format === 'table') report.result({ type: 'report', text, data: { report: result } });
  else await writeToStdout(text);
  return exitCodes.done;
}

async function textOf(
  result: SourceReport,
  { path, format, by }: SourcesOptions,
  title: () => Promise<string>,
): Promise<string> {
  if (format === 'csv') return csvOf(result, by);
  if (format === 'json') return `${JSON.stringify(result, null, 2)}\n`;
  if (format === 'html') return renderSourceReport(result, { title: await title() });
  return tableOf(result, by, path === undefined ? (process.stdout.columns ?? 80) : 80);
}

/** Counts all subscriptions, page by page. @throws InterruptedError */
async function readAll(
  client: Client,
  sources: SourceReportInProgress,
  expand: readonly 'stats'[],
  session: Session,
): Promise<void> {
  const query = { limit: 100, order_by: 'created', direction: 'asc', expand } as const;
  let done = 0;
  await session.reading(
    async () => {
      const call = { signal: session.interrupted };
      for await (const { items, leftOut } of client.subscriptions.list(query, call).pages()) {
        for (const subscription of [...items, ...leftOut]) sources.add(subscription);
        done += items.length + leftOut.length;
        session.report.progress({
          type: 'progress',
          text: `Read ${count(done, 'subscription')} …`,
          data: { subscriptions: done },
        });
      }
    },
    () => `Interrupted after ${count(done, 'subscription')}; nothing was written.`,
  );
}

/** The name of the publication; its id where the service does not list publications. */
async function nameOf(client: Client, publicationId: string, { interrupted }: Session): Promise<string> {
  try {
    for await (const { id, name } of client.publications.list({ limit: 100 }, { signal: interrupted }))
      if (id === publicationId) return name || publicationId;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  return publicationId;
}
