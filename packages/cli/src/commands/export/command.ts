/** `newsletter export`: writes all subscriptions, page by page by cursor, to a file or to stdout. */
import { Option, type Command } from '@commander-js/extra-typings';
import { collectList, UsageError, collect } from '#command-line';
import { operation } from '@newsletter-kit/core/contract';
import { schemas } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import { connectionOf, withConnection } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { exportSubscriptions, type ExportQuery } from './export.ts';
import { formatNames } from './file.ts';

export function define(command: Command, context: Context) {
  const { query } = schemas['subscriptions.list'];
  return withConnection(
    command
      .argument('[file]', 'the file to write; stdout if left out, or with -')
      .addOption(
        new Option(
          '--format <format>',
          'format of the output (default: by the extension of the file, otherwise csv)',
        ).choices(formatNames),
      )
      .option(
        '--expand <what>',
        `additional data: ${operation('subscriptions.list').expand.join(', ')}; repeatable`,
        collectList,
      )
      .addOption(
        new Option('--status <status>', 'only subscriptions with this status')
          .choices(query.shape.status.def.innerType.options)
          .argParser(asGiven),
      )
      .addOption(
        new Option('--tier <tier>', 'only subscriptions with this tier')
          .choices(query.shape.tier.def.innerType.options)
          .argParser(asGiven),
      )
      .option('--premium-tier <name>', 'only subscriptions with one of these premium tiers; repeatable', collect)
      .option('--created <YYYY/MM/DD>', 'only subscriptions created on this day (UTC)')
      .option('--raw', 'do not escape cells that a spreadsheet would run as formulas'),
    'FILE appears when the export is complete. Until then the data is in FILE.part, and after an interruption the same command continues. CSV has a column for each field and, with --expand custom_fields, a column "custom:NAME" for each custom field; a cell that begins like a formula (= + - @) gets a leading apostrophe. NDJSON has the records as the API returns them.',
  ).action(async (file, options, self) => {
    const path = file === '-' ? undefined : file;
    const query = readQuery(options);
    if (path === undefined && options.json)
      throw new UsageError(
        'Without a FILE the subscriptions are written to stdout, as are the events of --json: name a FILE.',
      );
    await context.run(exportSubscriptions, {
      connection: connectionOf(self),
      path,
      format: options.format ?? (/\.(ndjson|jsonl)$/i.test(path ?? '') ? 'ndjson' : 'csv'),
      query,
      isRaw: options.raw === true,
    });
  });
}

/** The specification does not show these values, so that others are sent too. */
const asGiven = (value: string): string => value;

interface Filters {
  readonly expand?: readonly string[];
  readonly status?: string;
  readonly tier?: string;
  readonly premiumTier?: readonly string[];
  readonly created?: string;
}

/**
 * The query of the list. What is wrong in other options than these, the client says.
 *
 * @throws UsageError that names the wrong options
 */
function readQuery({ expand, status, tier, premiumTier, created }: Filters): ExportQuery {
  const { shape } = schemas['subscriptions.list'].query;
  const checked = z.safeParse(
    z.object({ expand: shape.expand, 'premium-tier': shape.premium_tiers, created: shape.creation_date }),
    { expand, 'premium-tier': premiumTier, created },
  );
  if (!checked.success)
    throw new UsageError(
      checked.error.issues.map(
        ({ path: [name], message }) => `--${String(name)}: ${message.replace(/^Invalid (input|option): /, '')}.`,
      ),
    );
  return {
    limit: 100,
    order_by: 'created',
    direction: 'asc',
    expand: checked.data.expand,
    status,
    tier,
    premium_tiers: premiumTier,
    creation_date: created,
  };
}
