/** `newsletter import`: sends a CSV file in bulk, with a journal to continue from and a file for rejected rows. */
import { Option, type Command } from '@commander-js/extra-typings';
import { UsageError, collect, quote, wholeNumber } from '#command-line';
import { requestFields, type ColumnTarget } from '@newsletter-kit/core/import';
import { connectionOf, withConnection } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { answersIn } from './answers.ts';
import { importFile } from './import.ts';

export function define(command: Command, context: Context) {
  return withConnection(
    withColumns(command.argument('<file>', 'the CSV file, or - for stdin'))
      .option(
        '--journal <file>',
        'file that records what was sent (default: FILE.journal, deleted when the import is complete)',
      )
      .option('--rejects <file>', 'file for rejected rows and their reasons (default: FILE.rejects.csv)')
      .option(
        '--suppress <file>',
        'people who must not come in: addresses, MD5, SHA-1 or SHA-256 hashes of them, one a line or in a column, or an export of which those who left; repeatable',
        collect,
      )
      .addOption(
        new Option(
          '--plan [how]',
          'say what the import would do, and send nothing; "offline" makes no request to find out who is known',
        )
          .choices(['full', 'offline'] as const)
          .preset('full' as const),
      )
      .option(
        '--yes',
        'go on also where the import changes more than 10 % of the publication, and more than 100 people',
      )
      .option(
        '--delimiter <character>',
        'separator of cells (default: the sign that cuts the first rows into the most equal number of cells)',
      )
      .option(
        '--encoding <name>',
        'character encoding, such as windows-1252 (default: UTF-16 by its byte order mark or its NULs; UTF-8 where it is; else windows-1252, if every byte is one of its characters)',
      )
      .option('--batch-size <number>', 'rows per request', wholeNumber(1, 1000), 1000),
    'Columns that are named like a field of the API, like a custom field or "custom:NAME" need no --map, nor does the column whose cells are addresses. Exports of other services are known by their headings: whoever left, bounced, complained or never confirmed by the words of the file is left out, and no option brings in who left. After an interruption the same command continues and does not send rows again that the service has accepted. If several rows have the same address, the first one is imported. For stdin a journal is kept only with --journal, and rejected rows are written to stdin.rejects.csv.',
  ).action(async (path, options, self) => {
    const { unconfirmed, dateOrder, decimalMark, others, delimiter, encoding } = options;
    await context.run(importFile, {
      connection: connectionOf(self),
      path,
      csv: {
        columns: readMapping(options.map ?? []),
        unconfirmed,
        dateOrder,
        decimalMark,
        others,
        delimiter,
        encoding,
      },
      answers: answersIn(options),
      files: { journal: options.journal, rejects: options.rejects, suppress: options.suppress ?? [] },
      plan: options.plan,
      approval: options.yes ? 'given' : options.json ? 'required' : 'asked',
      batchSize: options.batchSize,
    });
  });
}

/** The options that say how the columns of the file are read. */
function withColumns(command: Command<[string]>) {
  return command
    .option(
      '--map <COLUMN=FIELD>',
      'the field that a column fills: email, utm_source, custom:First Name, …; with nothing after =, the column is left out; repeatable',
      collect,
    )
    .option(
      '--left-by <COLUMN: VALUE=MEANING, …>',
      'a column by which people leave, and what its values say: subscribed, unconfirmed or left; (blank) stands for empty cells and (filled) for all other values; repeatable',
      collect,
    )
    .option('--nobody-left-by <COLUMN, …>', 'columns by which nobody leaves; repeatable', collect)
    .option(
      '--yes-no <VALUE=yes, VALUE=no>',
      'what the values of yes/no fields say in words that are not known; repeatable',
      collect,
    )
    .addOption(
      new Option(
        '--unconfirmed <what>',
        'people who by the file never confirmed: leave them out, or ask each again by a confirmation mail',
      )
        .choices(['leave', 'confirm'] as const)
        .default('leave' as const),
    )
    .addOption(
      new Option(
        '--date-order <order>',
        'order of day and month in dates such as 01/02/2026 (default: that of the column, where one of its dates shows it)',
      ).choices(['dmy', 'mdy'] as const),
    )
    .addOption(
      new Option(
        '--decimal-mark <mark>',
        'decimal mark of numbers such as 1.234 (default: that of the column, where one of its numbers shows it)',
      ).choices(['.', ','] as const),
    )
    .addOption(
      new Option(
        '--others <what>',
        'what to do with columns that match no field and have no --map: refuse the import, ignore them, or send them as custom fields (default: refuse; ignore for the export of a known service)',
      ).choices(['refuse', 'ignore', 'custom'] as const),
    );
}

/** Reads `--map "E-mail=email"` into the target of each column. @throws UsageError that names every wrong entry */
function readMapping(pairs: readonly string[]): Readonly<Record<string, ColumnTarget>> {
  const problems: string[] = [];
  const mapping = Object.fromEntries(
    pairs.flatMap((text): (readonly [string, ColumnTarget])[] => {
      const at = text.lastIndexOf('=');
      const [column, target] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
      if (at < 1) {
        problems.push(
          `--map ${quote(text)} must be COLUMN=FIELD, for example --map "E-mail=email" or --map "First Name=custom:First Name".`,
        );
        return [];
      }
      if (target === '') return [[column, null]];
      if (isTarget(target)) return [[column, target]];
      problems.push(
        `--map: ${quote(target)} is not a field of a subscription. A custom field is written ${quote(`custom:${target}`)}; the others are ${fieldNames.join(', ')}.`,
      );
      return [];
    }),
  );
  if (problems.length > 0) throw new UsageError(problems);
  return mapping;
}

const fieldNames = Object.keys(requestFields).filter((name) => name !== 'custom_fields');

function isTarget(target: string): target is Exclude<ColumnTarget, null> {
  return fieldNames.includes(target) || /^custom:./.test(target);
}
