/** `newsletter import`: sends a CSV file in bulk, with a journal to continue from and a file for rejected rows. */
import { open, rm, type FileHandle } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import process from 'node:process';
import { Option, type Command } from '@commander-js/extra-typings';
import { ForbiddenError, type Client } from '@newsletter-kit/core';
import { UsageError, collect, notes, quote, wholeNumber } from '#command-line';
import {
  importSubscriptions,
  listCustomFields,
  requestFields,
  type ImportProgress,
  type ImportResult,
  type KnownCustomField,
  type Rejection,
} from '@newsletter-kit/core/import';
import { CsvError, openFileJournal, readCsv, type ColumnTarget } from '@newsletter-kit/core/node';
import { stringify } from 'csv-stringify/sync';
import { apiUrlOption, connectToPublication, profileOption, publicationOption } from '../connection.ts';
import { abortAfterGrace, type Context, exitCodes, InterruptedError } from '../context.ts';
import { count, duration, jsonOption } from '../output.ts';
import { reportOf } from '../user-facing-errors.ts';

export function define(command: Command, context: Context) {
  return command
    .argument('<file>', 'the CSV file, or - for stdin')
    .addOption(
      new Option(
        '--map <COLUMN=FIELD>',
        'the field that a column fills: email, utm_source, custom:First Name, …; with nothing after =, the column is left out; repeatable',
      ).argParser(collect),
    )
    .addOption(
      new Option(
        '--others <what>',
        'what to do with columns that match no field and have no --map: refuse the import, ignore them, or send them as custom fields',
      )
        .choices(['refuse', 'ignore', 'custom'] as const)
        .default('refuse' as const),
    )
    .option(
      '--journal <file>',
      'file that records what was sent (default: FILE.journal, deleted when the import is complete)',
    )
    .option('--rejects <file>', 'file for rejected rows and their reasons (default: FILE.rejects.csv)')
    .option('--delimiter <character>', 'separator of cells (default: detected in the header)')
    .option('--encoding <name>', 'character encoding, such as windows-1252 (default: UTF-8, or by the byte order mark)')
    .option('--batch-size <number>', 'rows per request', wholeNumber(1, 1000), 1000)
    .addOption(profileOption())
    .addOption(apiUrlOption())
    .addOption(publicationOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      notes(
        'Columns that are named like a field of the API, like a custom field or "custom:NAME" need no --map. After an interruption the same command continues and does not send rows again that the service has accepted. If several rows have the same address, the first one is imported. For stdin a journal is kept only with --journal, and rejected rows are written to stdin.rejects.csv.',
      ),
    )
    .action(async (path, options, self) => {
      const { report, interrupted, end } = context;
      const isStdin = path === '-';
      const columns = readMapping(options.map ?? []);
      const { client } = await connectToPublication(self, context);
      const customFields = await knownCustomFields(client, interrupted);
      const source = await readCsv(isStdin ? addAbortSignal(interrupted, process.stdin) : path, {
        columns,
        others: options.others,
        customFields,
        delimiter: options.delimiter,
        encoding: options.encoding,
        ...(isStdin && { name: 'stdin' }),
      }).catch(withFlags);
      const journalPath = options.journal ?? (isStdin ? undefined : `${path}.journal`);
      const rejectsPath = options.rejects ?? `${isStdin ? 'stdin' : path.replace(/\.csv$/i, '')}.rejects.csv`;
      const journal = journalPath === undefined ? undefined : await openFileJournal(journalPath);
      const rejects = await openRejectFile(rejectsPath, source.columns);
      const signal = abortAfterGrace(interrupted, () =>
        report.notice({
          type: 'stopping',
          text: 'Stopping: running requests have two seconds to finish. Press Ctrl-C again to stop at once.',
        }),
      );
      let result: ImportResult;
      try {
        if (journal?.resumes)
          report.notice({
            type: 'resumed',
            text: `Continuing the import of ${journalPath}.`,
            data: { journal: journalPath },
          });
        result = await importSubscriptions({
          engine: client.engine,
          source,
          ...(journal && { journal }),
          batchSize: options.batchSize,
          signal: interrupted,
          call: { timeoutMs: 120_000, stream: source, signal },
          onRejected: (rejection) => rejects.add(rejection),
          onProgress: (progress) => report.progress(progressOf(progress)),
        });
      } finally {
        await rejects.close();
        await journal?.close();
      }

      const file = rejects.rows > 0 ? rejectsPath : null;
      if (result.outcome === 'complete' && options.journal === undefined && journalPath !== undefined)
        await Promise.all([rm(journalPath, { force: true }), rm(`${journalPath}-lock`, { force: true })]);
      const { read, accepted, rejected, duplicates, failed, resent } = result;
      const left = [
        rejected > 0 && `${count(rejected, 'row')} rejected`,
        duplicates > 0 && `${count(duplicates, 'duplicate')} left out`,
      ]
        .filter(Boolean)
        .join(', ');
      const event = {
        type: 'imported',
        text: `The service accepted ${count(accepted, 'row')} of ${count(read, 'row')}${left && `; ${left}: see ${file ?? rejectsPath}`}.`,
        data: {
          outcome: result.outcome,
          read,
          accepted,
          rejected,
          duplicates,
          failed,
          resent,
          reject_file: file,
          journal: result.outcome === 'complete' ? null : (journalPath ?? null),
        },
      };
      report.progress(event, true);
      const next =
        journalPath === undefined
          ? 'Import the whole input again: rows that were accepted before are only updated.'
          : 'The same command continues from there.';
      if (result.outcome === 'interrupted')
        throw new InterruptedError(
          `Interrupted. ${next}${journalPath === undefined ? '' : ` ${journalPath} records what was sent.`}`,
        );
      if (result.outcome === 'incomplete') {
        const cause = reportOf(result.error);
        const message = `${failed > 0 ? `${count(failed, 'row')} could not be sent.` : 'The import ended early.'}${cause === null ? '' : ` ${cause.message}`} ${next}`;
        report.failure({ type: 'ImportIncomplete', ...cause, message });
        end(exitCodes.failed);
        return;
      }
      if (rejected > 0) end(exitCodes.needsAttention);
    });
}

/** Names the flags that would mend the error. */
function withFlags(error: unknown): never {
  if (!(error instanceof CsvError) || error.remedies.length === 0) throw error;
  const flags = error.remedies.map((remedy) =>
    remedy.option === 'columns'
      ? `--map ${JSON.stringify(`${remedy.column}=${remedy.target ?? ''}`)}`
      : `--${remedy.option} ${remedy.value}`,
  );
  throw new UsageError(`${error.problem}: ${flags.join(' or ')}.`);
}

/** Undefined where key or login may not read them: cells are texts then. */
async function knownCustomFields(client: Client, signal: AbortSignal): Promise<KnownCustomField[] | undefined> {
  try {
    return await listCustomFields(client.engine, { call: { signal } });
  } catch (error) {
    if (error instanceof ForbiddenError) return undefined;
    throw error;
  }
}

function progressOf(progress: ImportProgress) {
  const { read, accepted, rejected, duplicates, failed, total, rowsPerSecond, secondsLeft } = progress;
  const done = accepted + rejected + duplicates;
  const parts = [
    `${count(done, 'row')}${total === undefined ? '' : ` of about ${count(total, 'row')}`}`,
    rejected > 0 && `${count(rejected, 'row')} rejected`,
    failed > 0 && `${count(failed, 'row')} to be sent again`,
    rowsPerSecond > 0 && `${Math.round(rowsPerSecond)} a second`,
    secondsLeft !== undefined && `${duration(secondsLeft * 1000)} left`,
  ];
  return {
    type: 'progress',
    text: parts.filter(Boolean).join(' · '),
    ...(total !== undefined && total > 0 && { share: Math.min(1, done / total) }),
    data: {
      read,
      accepted,
      rejected,
      duplicates,
      failed,
      total: total ?? null,
      rows_per_second: Math.round(rowsPerSecond),
      seconds_left: secondsLeft === undefined ? null : Math.round(secondsLeft),
    },
  };
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

/** The file of the rejected rows. It is created with the first row. */
interface RejectFile {
  add(rejection: Rejection): Promise<void>;
  /** Rows in the file. */
  readonly rows: number;
  close(): Promise<void>;
}

/**
 * Writes rejected rows to a CSV file, unchanged, each with its number and the reason.
 *
 * @param columns - the columns of the source
 */
async function openRejectFile(path: string, columns: readonly string[]): Promise<RejectFile> {
  let file: FileHandle | null = null;
  let rows = 0;
  // Every run reports all rejected rows again.
  await rm(path, { force: true });
  // Cells stay unchanged, formulas too: the user corrects this file and imports it.
  const write = (cells: readonly string[]) => file?.appendFile(stringify([cells]));
  return {
    get rows() {
      return rows;
    },
    async add({ row, kind, reason, original }) {
      if (file === null) {
        file = await open(path, 'w', 0o600);
        await write(['row', 'kind', 'reason', ...columns]);
      }
      rows += 1;
      await write([String(row), kind, reason, ...columns.map((column) => cellOf(original, column))]);
    },
    async close() {
      await file?.sync();
      await file?.close();
    },
  };
}

function cellOf(original: unknown, column: string): string {
  if (typeof original !== 'object' || original === null) return '';
  const value: unknown = Object.entries(original).find(([name]) => name === column)?.[1];
  return typeof value === 'string' ? value : '';
}
