/** Imports a CSV file: reads it, sends or plans its rows, and says what became of them. */
import { rm } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import process from 'node:process';
import { ForbiddenError, type Client } from '@newsletter-kit/core';
import { UsageError, quote } from '#command-line';
import {
  importSubscriptions,
  leftByText,
  listCustomFields,
  namesText,
  yesNoText,
  type ImportCounts,
  type ImportProgress,
  type ImportResult,
  type KnownCustomField,
  type TableRemedy,
} from '@newsletter-kit/core/import';
import {
  CsvError,
  openFileJournal,
  readCsv,
  readKeepOut,
  type CsvSource,
  type FileJournal,
} from '@newsletter-kit/core/node';
import { connectToPublication } from '../../connection.ts';
import { exitCodes, InterruptedError, type ExitCode, type Session } from '../../context.ts';
import { count, duration } from '../../output.ts';
import { exitCodeOf, reportOf } from '../../user-facing-errors.ts';
import { keepAnswers, withKept, type Answers } from './answers.ts';
import { pathsOf, type ImportOptions, type Job } from './job.ts';
import { approveShare, findInvalid, leftOut, plan } from './plan.ts';
import { openRejectFile } from './rejects.ts';

export async function importFile(options: ImportOptions, session: Session): Promise<ExitCode> {
  const answers = await withKept(pathsOf(options).answers, options.answers);
  const lists = await Promise.all(options.files.suppress.map((file) => readKeepOut(file, answers).catch(withFlags)));
  const keepOut = (address: string): string | undefined =>
    lists.map(({ reasonFor }) => reasonFor(address)).find((reason) => reason !== undefined);
  const { client } = await connectToPublication(options.connection, session);
  const source = await openSource(client, options, answers, session);
  try {
    for (const text of aboutSource(source)) session.report.notice({ type: 'source', text });
    const job: Job = { client, source, answers, keepOut, options };
    return await (options.plan === undefined ? send : plan)(job, session);
  } finally {
    await source.close();
  }
}

async function openSource(
  client: Client,
  { path, csv }: ImportOptions,
  answers: Answers,
  { interrupted }: Session,
): Promise<CsvSource> {
  const customFields = await knownCustomFields(client, interrupted);
  const isStdin = path === '-';
  return await readCsv(isStdin ? addAbortSignal(interrupted, process.stdin) : path, {
    ...csv,
    ...answers,
    customFields,
    ...(isStdin && { name: 'stdin' }),
  }).catch(withFlags);
}

/** Sends the rows of the file, and says what became of them. */
async function send(job: Job, session: Session): Promise<ExitCode> {
  const { report } = session;
  const { journal: path, rejects, invalid } = pathsOf(job.options);
  const journal = path === undefined ? undefined : await openFileJournal(path);
  if (journal?.resumes)
    report.notice({ type: 'resumed', text: `Continuing the import of ${path}.`, data: { journal: path } });
  const sending = sendRows(job, journal, session);
  try {
    await sending;
  } finally {
    await journal?.close();
  }
  const { result, startedAt, file } = await sending;
  const isComplete = result.outcome === 'complete';
  if (isComplete && job.options.files.journal === undefined && path !== undefined)
    await Promise.all([rm(path, { force: true }), rm(`${path}-lock`, { force: true })]);
  if (isComplete && result.accepted > 0) {
    const found = await findInvalid(job.client, startedAt, invalid, session.interrupted);
    report.notice({
      type: 'invalid',
      text: `${found ? `The service found ${count(found, 'address', 'addresses')} invalid: see ${invalid}. ` : ''}It may find more later: "newsletter export FILE --where status=invalid" lists them.`,
      data: { invalid: found ?? null, invalid_file: found ? invalid : null },
    });
  }
  const { read, accepted, rejected, resent, outcome } = result;
  const out = leftOut(result).join(', ');
  report.progress(
    {
      type: 'imported',
      text: `The service accepted ${count(accepted, 'row')} of ${count(read, 'row')}${out && `; ${out}: see ${file ?? rejects}`}.`,
      data: {
        outcome,
        ...countsOf(result),
        resent,
        reject_file: file,
        journal: isComplete ? null : (path ?? null),
      },
    },
    true,
  );
  if (!isComplete) return endEarly(result, path, session);
  return rejected > 0 ? exitCodes.needsAttention : exitCodes.done;
}

/** Says how to go on. @throws InterruptedError */
function endEarly(result: ImportResult, journal: string | undefined, { report }: Session): ExitCode {
  const next =
    journal === undefined
      ? 'Import the whole input again: rows that were accepted before are only updated.'
      : 'The same command continues from there.';
  if (result.outcome === 'interrupted')
    throw new InterruptedError(
      `Interrupted. ${next}${journal === undefined ? '' : ` ${journal} records what was sent.`}`,
    );
  const cause = 'error' in result ? reportOf(result.error) : null;
  const message = `${result.failed > 0 ? `${count(result.failed, 'row')} could not be sent.` : 'The import ended early.'}${cause === null ? '' : ` ${cause.message}`} ${next}`;
  report.failure({ type: 'ImportIncomplete', ...cause, message });
  return exitCodeOf('error' in result ? result.error : undefined);
}

/**
 * Sends the rows to the service, where a large import was approved.
 *
 * @returns the result; when the first row was sent, in seconds since 1970; and the file of the rows that were left out
 */
async function sendRows(job: Job, journal: FileJournal | undefined, session: Session) {
  const { client, source, answers, keepOut, options } = job;
  if (options.approval !== 'given' && journal?.resumes !== true) await approveShare(job, session);
  const startedAt = Date.now() / 1000;
  const { rejects: path, answers: kept } = pathsOf(options);
  const isGiven = Object.values(options.answers).some((given) => Object.keys(given).length > 0);
  if (kept !== undefined && isGiven) await keepAnswers(kept, answers);
  const rejects = await openRejectFile(path, source.columns);
  try {
    const result = await importSubscriptions({
      engine: client.engine,
      source,
      ...(journal && { journal }),
      batchSize: options.batchSize,
      signal: session.interrupted,
      keepOut,
      call: { timeoutMs: 120_000, stream: source, signal: session.abortAfterGrace() },
      onRejected: (rejection) => rejects.add(rejection),
      onProgress: (progress) => session.report.progress(progressOf(progress)),
    });
    return { result, startedAt, file: rejects.rows > 0 ? path : null };
  } finally {
    await rejects.close();
  }
}

/** Names the flags that would mend the error. */
function withFlags(error: unknown): never {
  if (!(error instanceof CsvError) || error.remedies.length === 0) throw error;
  const asked = error.remedies.map(({ option }) => askedFor[option]).find((words) => words !== undefined);
  if (asked === undefined) throw new UsageError(`${error.problem}: ${error.remedies.map(flagOf).join(' or ')}.`);
  throw new UsageError([`${error.problem}${asked} for each "?":`, ...error.remedies.map(lineOf)].join('\n  '));
}

/** What an answer is written in. */
const askedFor: Readonly<Partial<Record<TableRemedy['option'], string>>> = {
  leftBy: ', with left, subscribed or unconfirmed',
  nobodyLeftBy: ', with left, subscribed or unconfirmed',
  yesNo: '. Write yes or no',
};

/** An answer to a question about columns, and when it is the right one. */
function lineOf(remedy: TableRemedy, index: number, all: readonly TableRemedy[]): string {
  const before = all[index - 1];
  if (remedy.option === 'columns') return `  or, if it is about something else, ${flagOf(remedy)}`;
  if (remedy.option !== 'nobodyLeftBy')
    return `${'value' in remedy && before?.option === remedy.option ? '  or ' : ''}${flagOf(remedy)}`;
  const hasValues = (column: string): boolean => all.some((each) => each.option === 'leftBy' && each.column === column);
  if (before?.option === 'leftBy' && remedy.columns.join() === before.column)
    return `  or, if nobody leaves by it, ${flagOf(remedy)}`;
  const otherwise = '; if somebody does, --left-by "COLUMN: VALUE = left, VALUE = subscribed"';
  return `if nobody leaves by them, ${flagOf(remedy)}${remedy.columns.every(hasValues) ? '' : otherwise}`;
}

function flagOf(remedy: TableRemedy): string {
  const flag = `--${remedy.option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  switch (remedy.option) {
    case 'columns':
      return `--map ${inShell(`${remedy.column}=${remedy.target ?? ''}`)}`;
    case 'leftBy':
      return `${flag} ${inShell(leftByText(remedy.column, remedy.values))}`;
    case 'yesNo':
      return `${flag} ${inShell(yesNoText(remedy.values))}`;
    case 'nobodyLeftBy':
      return `${flag} ${inShell(namesText(remedy.columns))}`;
    default:
      return `${flag} ${remedy.value}`;
  }
}

const inShell = (text: string): string =>
  /["$`\\!]/.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;

/** What was recognised in the file, and what of it is not sent. */
function aboutSource(source: CsvSource): readonly string[] {
  const { service, consentColumns, unusedColumns, encoding, headerRow, controlLines } = source;
  const names = (columns: readonly string[]): string => columns.map(quote).join(', ');
  return [
    encoding === 'windows-1252' && 'The file is no UTF-8 and is read as windows-1252.',
    headerRow > 1 && `Row ${headerRow} names the columns. What stands above it is not read.`,
    controlLines.length > 0 &&
      `Control characters were left out of line ${controlLines.slice(0, 10).join(', ')}${controlLines.length > 10 ? ` and ${controlLines.length - 10} more` : ''}.`,
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

const counts = ['read', 'accepted', 'rejected', 'duplicates', 'left', 'unconfirmed', 'failed'] as const;

const countsOf = (all: ImportCounts): Readonly<Record<string, number>> =>
  Object.fromEntries(counts.map((name) => [name, all[name]]));

function progressOf(progress: ImportProgress) {
  const { accepted, rejected, duplicates, left, unconfirmed, failed, total, rowsPerSecond, secondsLeft } = progress;
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
      ...countsOf(progress),
      total: total ?? null,
      rows_per_second: Math.round(rowsPerSecond),
      seconds_left: secondsLeft === undefined ? null : Math.round(secondsLeft),
    },
  };
}
