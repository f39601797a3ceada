/** `newsletter import`: sends a CSV file in bulk, with a journal to continue from and a file for rejected rows. */
import { rm } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import process from 'node:process';
import { Option, type Command } from '@commander-js/extra-typings';
import { ForbiddenError, type Client } from '@newsletter-kit/core';
import { UsageError, collect, notes, quote, wholeNumber } from '#command-line';
import {
  importSubscriptions,
  listCustomFields,
  requestFields,
  type ColumnTarget,
  type ImportProgress,
  type ImportResult,
  type KnownCustomField,
  type WordMeaning,
} from '@newsletter-kit/core/import';
import {
  CsvError,
  openFileJournal,
  readCsv,
  readKeepOut,
  type CsvSource,
  type FileJournal,
} from '@newsletter-kit/core/node';
import { apiUrlOption, connectToPublication, profileOption, publicationOption } from '../../connection.ts';
import { abortAfterGrace, type Context, exitCodes, InterruptedError } from '../../context.ts';
import { approveShare, findInvalid, leftOut, plan } from './plan.ts';
import { count, duration, jsonOption } from '../../output.ts';
import { openRejectFile } from './rejects.ts';
import { reportOf } from '../../user-facing-errors.ts';

export function define(command: Command, context: Context) {
  return command
    .argument('<file>', 'the CSV file, or - for stdin')
    .addOption(
      new Option(
        '--map <COLUMN=FIELD>',
        'the field that a column fills: email, utm_source, custom:First Name, …; or how it speaks of consent: status (by words), subscribed (true for those who want mails), left (filled for those who left); with nothing after =, the column is left out; repeatable',
      ).argParser(collect),
    )
    .addOption(
      new Option(
        '--means <WORD=MEANING>',
        'what a word of a status column means: subscribed, unconfirmed or left; with nothing before =, a blank cell; repeatable',
      ).argParser(collect),
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
        '--others <what>',
        'what to do with columns that match no field and have no --map: refuse the import, ignore them, or send them as custom fields; columns that may say who has left are none of them',
      )
        .choices(['refuse', 'ignore', 'custom'] as const)
        .default('refuse' as const),
    )
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
    .option('--yes', 'go on also where the import changes more than 10 % of the publication, and more than 100 people')
    .option('--delimiter <character>', 'separator of cells (default: detected in the header)')
    .option(
      '--encoding <name>',
      'character encoding, such as windows-1252 (default: by the byte order mark; UTF-8 where it is; else windows-1252)',
    )
    .option('--batch-size <number>', 'rows per request', wholeNumber(1, 1000), 1000)
    .addOption(profileOption())
    .addOption(apiUrlOption())
    .addOption(publicationOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      notes(
        'Columns that are named like a field of the API, like a custom field or "custom:NAME" need no --map. Exports of other services are known by their headings: whoever left, bounced, complained or never confirmed by the words of the file is left out, and no option brings in who left. After an interruption the same command continues and does not send rows again that the service has accepted. If several rows have the same address, the first one is imported. For stdin a journal is kept only with --journal, and rejected rows are written to stdin.rejects.csv.',
      ),
    )
    .action(async (path, options, self) => {
      const { interrupted } = context;
      const isStdin = path === '-';
      const columns = readMapping(options.map ?? []);
      const words = readWords(options.means ?? []);
      const lists = await Promise.all((options.suppress ?? []).map((file) => readKeepOut(file).catch(withFlags)));
      const keepOut = (address: string): string | undefined =>
        lists.map(({ reasonFor }) => reasonFor(address)).find((reason) => reason !== undefined);
      const { client } = await connectToPublication(self, context);
      const customFields = await knownCustomFields(client, interrupted);
      const source = await readCsv(isStdin ? addAbortSignal(interrupted, process.stdin) : path, {
        columns,
        words,
        unconfirmed: options.unconfirmed,
        dateOrder: options.dateOrder,
        others: options.others,
        customFields,
        delimiter: options.delimiter,
        encoding: options.encoding,
        ...(isStdin && { name: 'stdin' }),
      }).catch(withFlags);
      try {
        for (const text of aboutSource(source)) context.report.notice({ type: 'source', text });
        const job = { client, source, keepOut, batchSize: options.batchSize, context };
        if (options.plan === undefined) await send(path, options, job);
        else await plan({ ...job, known: options.plan === 'full' });
      } finally {
        await source.close();
      }
    });
}

/** What a plan and an import need. */
interface Job {
  readonly client: Client;
  readonly source: CsvSource;
  readonly keepOut: (address: string) => string | undefined;
  readonly batchSize: number;
  readonly context: Context;
}

interface SendOptions {
  readonly journal?: string;
  readonly rejects?: string;
  readonly yes?: true;
  readonly json?: true;
}

/** Sends the rows of the file; `-` is stdin. */
async function send(path: string, options: SendOptions, job: Job): Promise<void> {
  const { client, context } = job;
  const { report, interrupted, end } = context;
  const isStdin = path === '-';
  const journalPath = options.journal ?? (isStdin ? undefined : `${path}.journal`);
  const rejectsPath = options.rejects ?? `${isStdin ? 'stdin' : path.replace(/\.csv$/i, '')}.rejects.csv`;
  const journal = journalPath === undefined ? undefined : await openFileJournal(journalPath);
  if (journal?.resumes)
    report.notice({
      type: 'resumed',
      text: `Continuing the import of ${journalPath}.`,
      data: { journal: journalPath },
    });
  let sent: Sent;
  try {
    sent = await sendRows(job, options, rejectsPath, journal);
  } finally {
    await journal?.close();
  }
  const { result, startedAt, file } = sent;
  if (result.outcome === 'complete' && options.journal === undefined && journalPath !== undefined)
    await Promise.all([rm(journalPath, { force: true }), rm(`${journalPath}-lock`, { force: true })]);
  const { read, accepted, rejected, duplicates, left, unconfirmed, failed, resent } = result;
  const out = leftOut(result).join(', ');
  const invalidPath = rejectsPath.replace(/(?:\.rejects)?\.csv$/, '.invalid.csv');
  const invalid =
    result.outcome === 'complete' && accepted > 0
      ? await findInvalid(client, startedAt, invalidPath, interrupted)
      : undefined;
  if (result.outcome === 'complete' && accepted > 0)
    report.notice({
      type: 'invalid',
      text: `${invalid ? `The service found ${count(invalid, 'address', 'addresses')} invalid: see ${invalidPath}. ` : ''}It may find more later: "newsletter export FILE --status invalid" lists them.`,
      data: { invalid: invalid ?? null, invalid_file: invalid ? invalidPath : null },
    });
  const event = {
    type: 'imported',
    text: `The service accepted ${count(accepted, 'row')} of ${count(read, 'row')}${out && `; ${out}: see ${file ?? rejectsPath}`}.`,
    data: {
      outcome: result.outcome,
      read,
      accepted,
      rejected,
      duplicates,
      left,
      unconfirmed,
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
}

interface Sent {
  readonly result: ImportResult;
  /** When the first row was sent, in seconds since 1970. */
  readonly startedAt: number;
  /** The file of the rows that were left out; null where there are none. */
  readonly file: string | null;
}

/** Sends the rows to the service, where a large import was approved. */
async function sendRows(
  { client, source, keepOut, batchSize, context }: Job,
  { yes, json }: SendOptions,
  rejectsPath: string,
  journal: FileJournal | undefined,
): Promise<Sent> {
  const { report, interrupted } = context;
  if (yes !== true && journal?.resumes !== true) await approveShare(client, source.mostRows, context, json === true);
  const startedAt = Date.now() / 1000;
  const rejects = await openRejectFile(rejectsPath, source.columns);
  const signal = abortAfterGrace(interrupted, () =>
    report.notice({
      type: 'stopping',
      text: 'Stopping: running requests have two seconds to finish. Press Ctrl-C again to stop at once.',
    }),
  );
  try {
    const result = await importSubscriptions({
      engine: client.engine,
      source,
      ...(journal && { journal }),
      batchSize,
      signal: interrupted,
      keepOut,
      call: { timeoutMs: 120_000, stream: source, signal },
      onRejected: (rejection) => rejects.add(rejection),
      onProgress: (progress) => report.progress(progressOf(progress)),
    });
    return { result, startedAt, file: rejects.rows > 0 ? rejectsPath : null };
  } finally {
    await rejects.close();
  }
}

/** Names the flags that would mend the error. */
function withFlags(error: unknown): never {
  if (!(error instanceof CsvError) || error.remedies.length === 0) throw error;
  const flags = error.remedies.map((remedy) => {
    if (remedy.option === 'columns') return `--map ${JSON.stringify(`${remedy.column}=${remedy.target ?? ''}`)}`;
    return remedy.option === 'words'
      ? `--means ${JSON.stringify(`${remedy.word}=${remedy.meaning}`)}`
      : `--${remedy.option} ${remedy.value}`;
  });
  throw new UsageError(`${error.problem}: ${flags.join(' or ')}.`);
}

/** What was recognised in the file, and what of it is not sent. */
function aboutSource({ service, consentColumns, unusedColumns, encoding }: CsvSource): readonly string[] {
  const names = (columns: readonly string[]): string => columns.map(quote).join(', ');
  return [
    encoding === 'windows-1252' && 'The file is no UTF-8 and is read as windows-1252.',
    service !== undefined && `The file is an export of ${service}.`,
    consentColumns.length > 0 && `Who may get mails is read from ${names(consentColumns)}.`,
    unusedColumns.length > 0 && `Left out, because a subscription has no field for it: ${names(unusedColumns)}.`,
  ].filter((text) => text !== false);
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
  const { read, accepted, rejected, duplicates, left, unconfirmed, failed, total, rowsPerSecond, secondsLeft } =
    progress;
  const done = accepted + rejected + duplicates + left + unconfirmed;
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
      left,
      unconfirmed,
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
        `--map: ${quote(target)} is not a field of a subscription. A custom field is written ${quote(`custom:${target}`)}; the others are ${fieldNames.join(', ')}; of consent speak status, subscribed and left.`,
      );
      return [];
    }),
  );
  if (problems.length > 0) throw new UsageError(problems);
  return mapping;
}

const meanings = ['subscribed', 'unconfirmed', 'left'] as const satisfies readonly WordMeaning[];

/** Reads `--means "Abgemeldet=left"`. @throws UsageError that names every wrong entry */
function readWords(pairs: readonly string[]): Readonly<Record<string, WordMeaning>> {
  const entries = pairs.map((text) => {
    const at = text.lastIndexOf('=');
    return [
      text.slice(0, Math.max(0, at)).trim(),
      meanings.find((meaning) => meaning === text.slice(at + 1).trim()),
    ] as const;
  });
  const wrong = pairs.filter((_, index) => entries[index]?.[1] === undefined);
  if (wrong.length > 0)
    throw new UsageError(
      wrong.map(
        (text) => `--means ${quote(text)} must be WORD=MEANING, with subscribed, unconfirmed or left as the meaning.`,
      ),
    );
  return Object.fromEntries(entries.flatMap(([word, meaning]) => (meaning ? [[word, meaning]] : [])));
}

const fieldNames = Object.keys(requestFields).filter((name) => name !== 'custom_fields');

function isTarget(target: string): target is Exclude<ColumnTarget, null> {
  return [...fieldNames, 'status', 'subscribed', 'left'].includes(target) || /^custom:./.test(target);
}
