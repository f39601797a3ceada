/** `newsletter export`: writes all subscriptions, page by page by cursor, to a file or to stdout. */
import { Option, type Command } from '@commander-js/extra-typings';
import {
  AbortedError,
  BadRequestError,
  continuationAt,
  isRecord,
  placeOf,
  type Client,
  type Page,
  type Subscription,
  type SubscriptionListParams,
} from '@newsletter-kit/core';
import { collectList, UsageError, collect, notes } from '#command-line';
import { operation } from '@newsletter-kit/core/contract';
import { listCustomFields } from '@newsletter-kit/core/import';
import { schemas } from '@newsletter-kit/core/schema';
import { apiUrlOption, connectToPublication, profileOption, publicationOption } from '../../connection.ts';
import { type Context, InterruptedError } from '../../context.ts';
import { csv, type Format, formatNames, ndjson, openPartFile, type PartFile } from './file.ts';
import { count, jsonOption, rate, writeToStdout } from '../../output.ts';

/** The export pages by cursor. */
type ExportQuery = Omit<SubscriptionListParams, 'page' | 'cursor'>;

/** One export: its query and its format. */
interface Export extends Context {
  readonly client: Client;
  readonly query: ExportQuery;
  readonly format: Format;
}

export function define(command: Command, context: Context) {
  const { query } = schemas['subscriptions.list'];
  return command
    .argument('[file]', 'the file to write; stdout if left out, or with -')
    .addOption(
      new Option(
        '--format <format>',
        'format of the output (default: by the extension of the file, otherwise csv)',
      ).choices(formatNames),
    )
    .addOption(
      new Option(
        '--expand <what>',
        `additional data: ${operation('subscriptions.list').expand.join(', ')}; repeatable`,
      ).argParser(collectList),
    )
    .addOption(
      new Option('--status <status>', 'only subscriptions with this status').choices(
        query.shape.status.def.innerType.options,
      ),
    )
    .addOption(
      new Option('--tier <tier>', 'only subscriptions with this tier').choices(query.shape.tier.def.innerType.options),
    )
    .addOption(
      new Option('--premium-tier <name>', 'only subscriptions with one of these premium tiers; repeatable').argParser(
        collect,
      ),
    )
    .option('--created <YYYY/MM/DD>', 'only subscriptions created on this day (UTC)')
    .option('--raw', 'do not escape cells that a spreadsheet would run as formulas')
    .addOption(profileOption())
    .addOption(apiUrlOption())
    .addOption(publicationOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      notes(
        'FILE appears when the export is complete. Until then the data is in FILE.part, and after an interruption the same command continues. CSV has a column for each field and, with --expand custom_fields, a column "custom:NAME" for each custom field; a cell that begins like a formula (= + - @) gets a leading apostrophe. NDJSON has the records as the API returns them.',
      ),
    )
    .action(async (file, options, self) => {
      const path = file === '-' ? undefined : file;
      const { report } = context;
      const formatName = options.format ?? (/\.(ndjson|jsonl)$/i.test(path ?? '') ? 'ndjson' : 'csv');
      const query = readQuery(options);
      if (path === undefined && options.json)
        throw new UsageError(
          'Without a FILE the subscriptions are written to stdout, as are the events of --json: name a FILE.',
        );
      const { client, apiUrl, publicationId } = await connectToPublication(self, context);
      const expand = query.expand ?? [];
      const isRaw = options.raw === true;
      const names =
        formatName === 'csv' && expand.includes('custom_fields')
          ? await customFieldNames(client, context.interrupted)
          : [];
      const format = formatName === 'csv' ? csv(expand, names, isRaw) : ndjson();
      const identity = JSON.stringify([apiUrl, publicationId, query, formatName, format.head, isRaw]);
      const begun = Date.now();

      const job: Export = { ...context, client, query, format };
      const part = path === undefined ? null : await openPartFile(path, identity);
      try {
        const exported = part && path !== undefined ? await toFile(job, path, part) : await toStdout(job);
        await part?.finish();
        for (const name of format.lost) {
          report.notice({
            type: 'warning',
            text: `The custom field "${name}" was created during the export and has no column. Export again to include it.`,
            data: { custom_field: name },
          });
        }
        const where = path ? ` to ${path}` : '';
        report.progress(
          {
            type: 'exported',
            text: `Exported ${count(exported, 'subscription')}${where} (${rate(exported, Date.now() - begun)}).`,
            data: { subscriptions: exported, file: path ?? null },
          },
          true,
        );
      } finally {
        await part?.close();
      }
    });
}

/** @returns the number of subscriptions in the file @throws InterruptedError */
async function toFile(job: Export, path: string, part: PartFile): Promise<number> {
  const { client, query, format, report, interrupted } = job;
  let done = part.resumed?.subscriptions ?? 0;
  try {
    let page: Page<Subscription> | null = null;
    if (part.resumed) {
      report.notice({
        type: 'resumed',
        text: `Continuing after ${count(done, 'subscription')} of an earlier run.`,
        data: { subscriptions: done },
      });
      page = await resume(job, part.resumed.cursor);
    }
    if (page === null) {
      if (done > 0)
        report.notice({
          type: 'restarted',
          text: 'The service no longer accepts the stored cursor; the export starts over.',
        });
      done = 0;
      await part.restart();
      await part.write(format.head);
      page = await client.subscriptions.list(query, { signal: interrupted });
    }
    for (; page !== null; page = await page.next()) {
      const records = recordsOf(page);
      await part.write(format.lines(records));
      done += records.length;
      report.progress({
        type: 'progress',
        text: `Exported ${count(done, 'subscription')} …`,
        data: { subscriptions: done },
      });
      if (page.continuation !== null) await part.reached(placeOf(page.continuation), done);
    }
    return done;
  } catch (error) {
    if (!(error instanceof AbortedError)) throw error;
    throw new InterruptedError(
      done === 0
        ? 'Interrupted before the first page; nothing was written.'
        : `Interrupted after ${count(done, 'subscription')}. The same command continues from there; ${path}.part has the data so far.`,
    );
  }
}

/** The subscriptions of a page; also those without an id, in their place at its end. */
function recordsOf({ items, leftOut }: Page<Subscription>): readonly Subscription[] {
  return [...items, ...(leftOut.filter(isRecord) as readonly object[] as readonly Subscription[])];
}

/** The page at the stored cursor; null where the service refuses the cursor. */
async function resume({ client, query, interrupted }: Export, cursor: string): Promise<Page<Subscription> | null> {
  try {
    return await client.subscriptions.list({ ...query, ...continuationAt(cursor) }, { signal: interrupted });
  } catch (error) {
    if (error instanceof BadRequestError) return null;
    throw error;
  }
}

/** @returns the number of subscriptions written @throws InterruptedError */
async function toStdout({ client, query, format, report, interrupted }: Export): Promise<number> {
  let done = 0;
  try {
    await writeToStdout(format.head);
    for await (const page of client.subscriptions.list(query, { signal: interrupted }).pages()) {
      const records = recordsOf(page);
      await writeToStdout(format.lines(records));
      done += records.length;
      report.progress({ type: 'progress', text: `Exported ${count(done, 'subscription')} …` });
    }
    return done;
  } catch (error) {
    if (!(error instanceof AbortedError)) throw error;
    throw new InterruptedError(
      `Interrupted after ${count(done, 'subscription')}; the output is incomplete. An export to a FILE can be continued.`,
    );
  }
}

async function customFieldNames(client: Client, signal: AbortSignal): Promise<readonly string[]> {
  return (await listCustomFields(client.engine, { call: { signal } })).map(({ display }) => display);
}

interface Filters {
  readonly expand?: readonly string[];
  readonly status?: string;
  readonly tier?: string;
  readonly premiumTier?: readonly string[];
  readonly created?: string;
}

/** The query of the list, checked by its schema. @throws UsageError that names the wrong options */
function readQuery({ expand, status, tier, premiumTier, created }: Filters): ExportQuery {
  const filters = {
    limit: 100,
    order_by: 'created',
    direction: 'asc',
    expand,
    status,
    tier,
    premium_tiers: premiumTier,
    creation_date: created,
  };
  const flags: Readonly<Record<string, string>> = { premium_tiers: 'premium-tier', creation_date: 'created' };
  const set = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  const checked = schemas['subscriptions.list'].query.safeParse(set);
  if (checked.success) return checked.data;
  throw new UsageError(
    checked.error.issues.map(
      ({ path: [name], message }) =>
        `--${flags[String(name)] ?? String(name)}: ${message.replace(/^Invalid (input|option): /, '')}.`,
    ),
  );
}
