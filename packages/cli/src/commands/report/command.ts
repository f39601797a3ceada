/** `newsletter report sources`: which sources bring readers who stay. */
import process from 'node:process';
import { Option, type Command } from '@commander-js/extra-typings';
import { AbortedError, ApiError, type Client } from '@newsletter-kit/core';
import { UsageError, notes } from '#command-line';
import { replaceFile } from '@newsletter-kit/core/node';
import { createSourceReport, reportDimensions, type SourceReportInProgress } from '@newsletter-kit/core/report';
import { apiUrlOption, connectToPublication, profileOption, publicationOption } from '../../connection.ts';
import { type Context, InterruptedError } from '../../context.ts';
import { count, jsonOption, writeToStdout } from '../../output.ts';
import { readHistory } from './history-file.ts';
import { renderSourceReport } from './html.ts';
import { csvOf, tableOf } from './table.ts';

const formats = ['table', 'csv', 'json', 'html'] as const;
type Format = (typeof formats)[number];

/** Values in a table on the terminal; the other formats have more. */
const tableRows = 30;

export function define(command: Command, context: Context) {
  command.usage('sources [FILE]').addHelpText('after', notes('newsletter report sources --help prints the options.'));

  command
    .command('sources')
    .description('report which sources, campaigns and weeks bring readers who stay')
    .argument('[file]', 'the file to write; stdout if left out, or with -')
    .addOption(
      new Option(
        '--format <format>',
        'format of the output (default: by the extension of the file, otherwise table)',
      ).choices(formats),
    )
    .addOption(
      new Option('--by <what>', 'what a table or CSV lists; JSON and HTML have all')
        .choices(reportDimensions)
        .default('source' as const),
    )
    .option('--history <file>', 'history that newsletter watch --history keeps')
    .option('--stats', 'also read opens and clicks')
    .addOption(profileOption())
    .addOption(apiUrlOption())
    .addOption(publicationOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      notes(
        'Counts people, by what their subscriptions say of their source, and shows no figure of fewer than 20. Who is still there today is always known. Who was still there after 7, 30 and 90 days is known where newsletter watch --history FILE has kept a history since then.',
      ),
    )
    .action(async (file, { format, by, history, stats, json }, self) => {
      const { report } = context;
      const path = file === '-' ? undefined : file;
      const chosen = format ?? formatOf(path);
      if (path === undefined && json && format !== undefined)
        throw new UsageError('--format and --json both write to stdout: name a FILE, or leave one of them out.');
      const { client, apiUrl, publicationId } = await connectToPublication(self, context);
      const stored =
        history === undefined ? null : await readHistory(history, { of: `${apiUrl} ${publicationId}` }, report);
      if (history !== undefined && stored === null)
        throw new UsageError(`${history}: there is no such file. newsletter watch --history ${history} begins one.`);

      const sources = createSourceReport({
        at: Math.floor(client.engine.host.now() / 1000),
        history: stored?.history,
        ...(chosen === 'table' && path === undefined && !json && { largest: tableRows }),
      });
      await readAll(client, sources, stats === true, context);
      const result = sources.result();
      const texts: Readonly<Record<Format, () => string | Promise<string>>> = {
        table: () => tableOf(result, by, path === undefined ? (process.stdout.columns ?? 80) : 80),
        csv: () => csvOf(result, by),
        json: () => `${JSON.stringify(result, null, 2)}\n`,
        html: async () => renderSourceReport(result, { title: await nameOf(client, publicationId, context) }),
      };
      const text = await texts[chosen]();
      if (path !== undefined) {
        await replaceFile(path, text, 0o644);
        const { signedUp } = result.total;
        report.result({
          type: 'reported',
          text: `Reported ${count(signedUp, 'subscription')} to ${path}.`,
          data: { subscriptions: signedUp, file: path },
        });
      } else if (chosen === 'table') report.result({ type: 'report', text, data: { report: result } });
      else await writeToStdout(text);
    });
}

function formatOf(path = ''): Format {
  return formats.find((format) => path.toLowerCase().endsWith(`.${format}`)) ?? 'table';
}

/** Counts all subscriptions, page by page. @throws InterruptedError */
async function readAll(
  client: Client,
  sources: SourceReportInProgress,
  stats: boolean,
  { report, interrupted }: Context,
): Promise<void> {
  const expand = stats ? (['stats'] as const) : [];
  const query = { limit: 100, order_by: 'created', direction: 'asc', expand } as const;
  let done = 0;
  try {
    for await (const { items, leftOut } of client.subscriptions.list(query, { signal: interrupted }).pages()) {
      for (const subscription of [...items, ...leftOut]) sources.add(subscription);
      done += items.length + leftOut.length;
      report.progress({
        type: 'progress',
        text: `Read ${count(done, 'subscription')} …`,
        data: { subscriptions: done },
      });
    }
  } catch (error) {
    if (!(error instanceof AbortedError)) throw error;
    throw new InterruptedError(`Interrupted after ${count(done, 'subscription')}; nothing was written.`);
  }
}

/** The name of the publication; its id where the service does not list publications. */
async function nameOf(client: Client, publicationId: string, { interrupted }: Context): Promise<string> {
  try {
    for await (const { id, name } of client.publications.list({ limit: 100 }, { signal: interrupted }))
      if (id === publicationId) return name || publicationId;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  return publicationId;
}
