/** `newsletter export`: every subscription, page by page by cursor, to a file that is whole or to stdout. */
import {
  BadRequestError,
  type Client,
  type Page,
  type Subscription,
  type SubscriptionListParams,
} from '@newsletter-kit/core';
import { schemas } from '@newsletter-kit/core/schema';
import type { Call } from '../command/definition.ts';
import { exitCodes, type ExitCode } from '../command/exit-codes.ts';
import { commaSeparated } from '../command/parse.ts';
import { count, rate } from '../output/numbers.ts';
import { connect } from '../settings/connection.ts';
import type { exportOptions } from './command.ts';
import { csv, formatNames, ndjson, type Format, type FormatName } from './formats.ts';
import { openPartFile, type PartFile } from './part-file.ts';
import { writeToStdout } from './stdout.ts';

/** The export pages by cursor. */
type Query = Omit<SubscriptionListParams, 'page'>;

export async function run(call: Call<typeof exportOptions>): Promise<ExitCode> {
  const { options, operands, report } = call;
  const path = operands[0] === '-' ? undefined : operands[0];
  const problems: string[] = [];
  const formatName = readFormat(options.format, path, problems);
  const query = readQuery(options, problems);
  if (path === undefined && options.json)
    problems.push('Without a file the subscriptions go to stdout, where --json writes its events: name a FILE.');
  const { client, settings } = await connect(call, ['publicationId'], problems);
  const expand = query.expand ?? [];
  const names = formatName === 'csv' && expand.includes('custom_fields') ? await customFieldNames(client) : [];
  const format = formatName === 'csv' ? csv(expand, names, options.raw === true) : ndjson();
  const what = JSON.stringify([
    settings.apiUrl,
    settings.publicationId,
    query,
    formatName,
    format.head,
    options.raw === true,
  ]);
  const begun = Date.now();

  const part = path === undefined ? null : await openPartFile(path, what);
  try {
    const exported = part
      ? await toFile(call, client, query, format, part)
      : await toStdout(call, client, query, format);
    if (exported === null) return exitCodes.interrupted;
    await part?.finish();
    for (const name of format.lost) {
      report.notice({
        type: 'warning',
        text: `The custom field "${name}" came into being during the export and has no column; export again for it.`,
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
    return exitCodes.done;
  } finally {
    await part?.close();
  }
}

/** @returns how many there are in the file; null where it was interrupted, and the same command goes on */
async function toFile(
  { report, interrupted, operands }: Call<typeof exportOptions>,
  client: Client,
  query: Query,
  format: Format,
  part: PartFile,
): Promise<number | null> {
  let done = part.resumed?.subscriptions ?? 0;
  let page: Page<Subscription> | null = null;
  if (part.resumed) {
    report.notice({
      type: 'resumed',
      text: `Going on after ${count(done, 'subscription')} of an earlier run.`,
      data: { subscriptions: done },
    });
    page = await goOn(client, { ...query, cursor: part.resumed.cursor });
  }
  if (page === null) {
    if (done > 0)
      report.notice({
        type: 'restarted',
        text: 'The service no longer knows that place in the list; the export begins anew.',
      });
    done = 0;
    await part.restart();
    await part.write(format.head);
    page = await client.subscriptions.list(query);
  }
  for (; page !== null; page = await page.next()) {
    await part.write(format.lines(page.items));
    done += page.items.length;
    report.progress({
      type: 'progress',
      text: `Exported ${count(done, 'subscription')} …`,
      data: { subscriptions: done },
    });
    if (page.nextCursor === null) continue;
    await part.reached(page.nextCursor, done);
    if (interrupted.aborted) {
      report.notice({
        type: 'interrupted',
        text: `Interrupted after ${count(done, 'subscription')}. The same command goes on from there; ${operands[0]}.part is what there is so far.`,
        data: { subscriptions: done },
      });
      return null;
    }
  }
  return done;
}

/** The page at a place where an earlier run stopped; null where the service refuses the cursor. */
async function goOn(client: Client, query: Query): Promise<Page<Subscription> | null> {
  try {
    return await client.subscriptions.list(query);
  } catch (error) {
    if (error instanceof BadRequestError) return null;
    throw error;
  }
}

/** @returns how many were written; null where it was interrupted */
async function toStdout(
  { report, interrupted }: Call<typeof exportOptions>,
  client: Client,
  query: Query,
  format: Format,
): Promise<number | null> {
  let done = 0;
  await writeToStdout(format.head);
  for await (const page of client.subscriptions.list(query).pages()) {
    await writeToStdout(format.lines(page.items));
    done += page.items.length;
    report.progress({ type: 'progress', text: `Exported ${count(done, 'subscription')} …` });
    if (interrupted.aborted && page.hasMore) {
      report.failure(
        `Interrupted after ${count(done, 'subscription')}; what stdout got is not all. Name a FILE to be able to go on.`,
      );
      return null;
    }
  }
  return done;
}

async function customFieldNames(client: Client): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { display } of client.customFields.list()) names.push(display);
  return names;
}

function readFormat(given: string | undefined, path: string | undefined, problems: string[]): FormatName {
  const name = given ?? (/\.(ndjson|jsonl)$/i.test(path ?? '') ? 'ndjson' : 'csv');
  const known = formatNames.find((each) => each === name);
  if (!known) problems.push(`--format must be ${formatNames.join(' or ')}.`);
  return known ?? 'csv';
}

/** The query of the list, checked by its own schema, with problems told by the name of the option. */
function readQuery(options: Call<typeof exportOptions>['options'], problems: string[]): Query {
  const given = {
    limit: 100,
    order_by: 'created',
    direction: 'asc',
    expand: commaSeparated(options.expand),
    status: options.status,
    tier: options.tier,
    premium_tiers: options['premium-tier'],
    creation_date: options.created,
  };
  const flags: Readonly<Record<string, string>> = { premium_tiers: 'premium-tier', creation_date: 'created' };
  const set = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  );
  const checked = schemas['subscriptions.list'].query.safeParse(set);
  if (checked.success) return checked.data;
  for (const {
    path: [name],
    message,
  } of checked.error.issues)
    problems.push(`--${flags[String(name)] ?? String(name)}: ${message.replace(/^Invalid (input|option): /, '')}.`);
  return {};
}
