/** `newsletter export`: writes all subscriptions, page by page by cursor, to a file or to stdout. */
import { InvalidArgumentError, Option, type Command } from '@commander-js/extra-typings';
import { collectList, UsageError, collect, quote } from '#command-line';
import { connectionOf, withConnection } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { expandOption, expansions } from '../../expand-option.ts';
import { exportSubscriptions } from './export.ts';
import { formatNames } from './columns.ts';

export function define(command: Command, context: Context) {
  return withConnection(
    command
      .argument('[file]', 'the file to write; stdout if left out, or with -')
      .addOption(
        new Option(
          '--format <format>',
          'format of the output (default: by the extension of the file, otherwise csv)',
        ).choices(formatNames),
      )
      .addOption(expandOption('additional data'))
      .option('--columns <names>', 'only these columns, in this order; repeatable, or separated by commas', collectList)
      .option(
        '--where <COLUMN=VALUE>',
        'only subscriptions with this value in a column, such as status=active or utm_source=blog; repeatable',
        collect,
      )
      .option('--premium-tier <name>', 'only subscriptions with one of these premium tiers; repeatable', collect)
      .option('--created <YYYY/MM/DD>', 'only subscriptions created on this day (UTC)', readDay)
      .option('--raw', 'do not escape cells that a spreadsheet would run as formulas'),
    'FILE appears when the export is complete. Until then the data is in FILE.part, and after an interruption the same command continues. CSV has a column for each field and, with --expand custom_fields, a column "custom:NAME" for each custom field; a cell that begins like a formula (= + - @) gets a leading apostrophe. NDJSON has the records as the API returns them, and with --columns the cells of these.',
  ).action(async (file, options, self) => {
    const { premiumTier, created } = options;
    const path = file === '-' ? undefined : file;
    if (path === undefined && options.json)
      throw new UsageError(
        'Without a FILE the subscriptions are written to stdout, as are the events of --json: name a FILE.',
      );
    const where = readConditions(options.where ?? []);
    await context.run(exportSubscriptions, {
      connection: connectionOf(self),
      path,
      format: options.format ?? (/\.(ndjson|jsonl)$/i.test(path ?? '') ? 'ndjson' : 'csv'),
      query: {
        limit: 100,
        order_by: 'created',
        direction: 'asc',
        expand: expansions(options.expand),
        status: where.get('status'),
        tier: where.get('subscription_tier'),
        premium_tiers: premiumTier,
        creation_date: created,
      },
      chosen: { columns: options.columns, where: [...where] },
      isRaw: options.raw === true,
    });
  });
}

function readDay(text: string): string {
  if (/^\d{4}\/(0[1-9]|1[0-2])\/(0[1-9]|[12]\d|3[01])$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a day as YYYY/MM/DD.');
}

/** The value that each column must have. @throws UsageError */
function readConditions(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new UsageError(`--where ${quote(text)} must be COLUMN=VALUE, for example status=active.`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}
