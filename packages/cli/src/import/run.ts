/**
 * `newsletter import`: a CSV file to the service, in bulk, with a journal to go on from and a file for what was left
 * out.
 */
import { rm } from 'node:fs/promises';
import { ForbiddenError, type Client, type CustomField } from '@newsletter-kit/core';
import { importSubscriptions, type ImportProgress, type ImportResult } from '@newsletter-kit/core/import';
import { CsvError, openFileJournal, readCsv } from '@newsletter-kit/core/node';
import type { Call } from '../command/definition.ts';
import { exitCodes, type ExitCode } from '../command/exit-codes.ts';
import { Mistake } from '../command/mistake.ts';
import { wholeNumber } from '../command/parse.ts';
import { count, duration } from '../output/numbers.ts';
import { connect } from '../settings/connection.ts';
import type { importOptions } from './command.ts';
import { readMapping } from './mapping.ts';
import { rejectFile } from './reject-file.ts';

const othersChoices = ['refuse', 'ignore', 'custom'] as const;

export async function run(call: Call<typeof importOptions>): Promise<ExitCode> {
  const { options, operands, report, interrupted } = call;
  const [path = ''] = operands;
  const problems: string[] = [];
  const columns = readMapping(options.map ?? [], problems);
  const others = othersChoices.find((choice) => choice === (options.others ?? 'refuse'));
  if (!others) problems.push(`--others must be ${othersChoices.join(', ')}.`);
  const batchSize = wholeNumber(
    '--batch-size',
    options['batch-size'],
    { fallback: 1000, least: 1, most: 1000 },
    problems,
  );
  const { client } = await connect(call, ['publicationId'], problems);

  const customFields = await kindsOfCustomFields(client);
  const source = await readCsv(path, {
    columns,
    others,
    customFields,
    delimiter: options.delimiter,
    encoding: options.encoding,
  }).catch(onTheCommandLine);
  const [journalPath, rejectsPath] = [
    options.journal ?? `${path}.journal`,
    options.rejects ?? `${path.replace(/\.csv$/i, '')}.rejects.csv`,
  ];
  const journal = await openFileJournal(journalPath);
  const rejects = await rejectFile(rejectsPath, source.columns);
  let result: ImportResult;
  try {
    if (journal.resumes)
      report.notice({
        type: 'resumed',
        text: `Going on with the import that ${journalPath} tells of.`,
        data: { journal: journalPath },
      });
    result = await importSubscriptions({
      engine: client.engine,
      source,
      journal,
      batchSize,
      signal: interrupted,
      onRejected: (rejection) => rejects.add(rejection),
      onProgress: (progress) => report.progress(inWords(progress)),
    });
  } finally {
    await rejects.close();
    await journal.close();
  }

  const file = rejects.rows > 0 ? rejectsPath : null;
  if (result.outcome === 'complete' && options.journal === undefined)
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
    text: `${count(accepted, 'row')} of ${count(read, 'row')} taken by the service${left && `; ${left}: see ${file ?? rejectsPath}`}.`,
    data: {
      outcome: result.outcome,
      read,
      accepted,
      rejected,
      duplicates,
      failed,
      resent,
      reject_file: file,
      journal: result.outcome === 'complete' ? null : journalPath,
    },
  };
  report.progress(event, true);
  if (result.outcome === 'interrupted') {
    report.notice({
      type: 'interrupted',
      text: `Interrupted. The same command goes on from there; ${journalPath} knows how far it came.`,
    });
    return exitCodes.interrupted;
  }
  if (result.outcome === 'incomplete') {
    const why = result.error instanceof Error ? ` ${result.error.message}` : '';
    report.failure(
      `${failed > 0 ? `${count(failed, 'row')} could not be sent.` : 'The import ended early.'}${why} The same command goes on from there.`,
    );
    return exitCodes.failed;
  }
  return rejected > 0 ? exitCodes.needsAttention : exitCodes.done;
}

/** The reader speaks of its own options where it says what to do. */
function onTheCommandLine(error: unknown): never {
  if (!(error instanceof CsvError) || !/\b(columns|others|encoding): /.test(error.message)) throw error;
  throw new Mistake(
    `${error.message} On the command line these are --map "COLUMN=FIELD", --map "COLUMN=" to leave one out, --others and --encoding.`,
  );
}

/** Undefined where key or login may not read them: cells are texts then. */
async function kindsOfCustomFields(client: Client): Promise<readonly CustomField[] | undefined> {
  try {
    const fields: CustomField[] = [];
    for await (const field of client.customFields.list()) fields.push(field);
    return fields;
  } catch (error) {
    if (error instanceof ForbiddenError) return undefined;
    throw error;
  }
}

function inWords(progress: ImportProgress) {
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
