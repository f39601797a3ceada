/** `newsletter sync`: plans and applies changes between the newsletter and the contacts in PostgreSQL. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import {
  AbortedError,
  NetworkError,
  RateLimitError,
  ServerError,
  TimeoutError,
  TransportError,
  type Client,
} from '@newsletter-kit/core';
import { UsageError, notes, quote, wholeNumber } from '#command-line';
import { UpdatePendingError } from '@newsletter-kit/core/import';
import { applySync, planSync, readSyncState, type SyncPlan } from '@newsletter-kit/core/sync';
import {
  apiUrlOption,
  connectToPublication,
  profileOption,
  publicationOption,
  readSettings,
  requirePublication,
} from '../../connection.ts';
import { abortAfterGrace, type Context, type ExitCode, exitCodes, InterruptedError } from '../../context.ts';
import { count, jsonOption, number, writeToStdout } from '../../output.ts';
import { readConfig, type SyncConfig } from './config.ts';
import { openDatabase, type StoredRun, type SyncDatabase } from './database.ts';
import { SyncError } from './postgres.ts';
import {
  appliedSummary,
  countFindings,
  planSummary,
  progressText,
  refusalKey,
  refusedFinding,
  reportChanges,
  reportFindings,
  reportHeld,
  statusText,
  type LastRun,
} from './report.ts';
import { reportOf } from '../../user-facing-errors.ts';

/** The context of a subcommand. */
interface SyncCall extends Context {
  readonly command: CommandUnknownOpts;
  readonly isJson: boolean;
}

/** The configuration and the database. */
interface Settings {
  readonly config: SyncConfig;
  readonly databaseUrl: string;
}

/** Refused contacts that are stored, so that the next run does not report them as new. */
const mostRefused = 10_000;

export function define(command: Command, context: Context) {
  command
    .usage('plan | apply | status [options]')
    .addHelpText(
      'after',
      notes(
        'apply creates three tables, newsletter_sync_tokens, newsletter_sync_state and newsletter_sync_consent, in the schema that the configuration names. If a run is interrupted or killed, the next run completes it.',
        'Exit codes: 0 done · 1 failed · 2 there are findings, or the plan is held back · 3 interrupted; the next run completes it. With apply --every, later runs list only new findings, and Ctrl-C between two runs ends with 0.',
      ),
    );

  withSharedOptions(command, 'plan')
    .description('read both sides and print what apply would do; writes nothing')
    .option('--contacts <file>', 'read the contacts from an NDJSON file instead of the database')
    .option(
      '--changes <number>',
      'maximum number of changes to list (default: 20; all with --json)',
      wholeNumber(0, 999_999_999),
    )
    .action(async (options, self) => {
      const call = { ...context, command: self, isJson: options.json === true };
      const settings = await readSyncSettings(options, context, options.contacts === undefined);
      const mostChanges = options.changes ?? (options.json ? Number.MAX_SAFE_INTEGER : 20);
      context.end(await plan(call, settings, { contacts: options.contacts, mostChanges }));
    });

  withSharedOptions(command, 'apply')
    .description('plan, then write the changes: subscriptions first, then contacts')
    .option('--every <seconds>', 'repeat until Ctrl-C, with this pause between runs', wholeNumber(1, 86_400))
    .option('--accept', 'carry out a plan that is held back; applies to the first run only')
    .action(async (options, self) => {
      const call = { ...context, command: self, isJson: options.json === true };
      const settings = await readSyncSettings(options, context, true);
      context.end(await apply(call, settings, { accept: options.accept === true, seconds: options.every }));
    });

  withSharedOptions(command, 'status')
    .description('print the last run, the reason if it was held back, and the open findings')
    .option('--consent', 'print every opt-out and unsubscription that the sync has seen, as NDJSON')
    .action(async (options, self) => {
      const call = { ...context, command: self, isJson: options.json === true };
      const settings = await readSyncSettings(options, context, true);
      context.end(await status(call, settings, options.consent === true));
    });
}

function withSharedOptions(command: Command, name: string) {
  return command
    .command(name)
    .option('--config <file>', 'JSON file with the mapping and the contacts table', 'newsletter-sync.json')
    .option(
      '--database <url>',
      'PostgreSQL database of the contacts; use the variable for a URL with a password (env: DATABASE_URL)',
    )
    .addOption(profileOption())
    .addOption(apiUrlOption())
    .addOption(publicationOption())
    .addOption(jsonOption());
}

/** @throws UsageError that names every problem of the configuration and of the database's URL */
async function readSyncSettings(
  options: { readonly config: string; readonly database?: string | undefined },
  { env }: Context,
  needsDatabase: boolean,
): Promise<Settings> {
  const problems: string[] = [];
  const databaseUrl = needsDatabase ? readDatabaseUrl(options.database, env['DATABASE_URL'], problems) : '';
  const config = await readConfig(options.config, needsDatabase).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    problems.push(...error.problems);
    return null;
  });
  if (!config || problems.length > 0) throw new UsageError(problems);
  return { config, databaseUrl };
}

/** The URL may hold a password: no problem repeats it. */
function readDatabaseUrl(flag: string | undefined, variable: string | undefined, problems: string[]): string {
  const url = flag?.trim() || variable?.trim() || '';
  const source = flag?.trim() ? '--database' : 'DATABASE_URL';
  if (url === '')
    problems.push('DATABASE_URL is missing: set it (or --database) to the PostgreSQL database of the contacts.');
  else if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol))
    problems.push(`${source} must be a URL such as postgres://user:password@host:5432/database.`);
  return url;
}

async function plan(
  call: SyncCall,
  settings: Settings,
  { contacts, mostChanges }: { readonly contacts: string | undefined; readonly mostChanges: number },
): Promise<ExitCode> {
  const { report } = call;
  const { client, publicationId } = await connectToPublication(call.command, call);
  const database = contacts === undefined ? await open(settings, publicationId) : null;
  try {
    const source = database ?? {
      read: () => Promise.resolve(null),
      contacts: () => readRecords(contacts ?? ''),
    };
    const planned = await read(call, settings, client, publicationId, source, false);
    reportChanges(report, planned.plan, mostChanges);
    reportFindings(report, planned.plan.findings, call.isJson);
    report.result(planSummary(planned.plan));
    reportHeld(report, planned.plan);
    return planned.plan.held || planned.plan.findings.length > 0 ? exitCodes.needsAttention : exitCodes.done;
  } finally {
    await database?.close();
  }
}

/** The records of an NDJSON file. */
async function* readRecords(path: string): AsyncGenerator {
  let line = 0;
  const input = createReadStream(path);
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      if (text.trim() === '') continue;
      let record: unknown;
      try {
        record = JSON.parse(text);
      } catch {
        throw new UsageError(`${path}: line ${line} is not valid JSON. Write one contact per line (NDJSON).`);
      }
      yield record;
    }
  } finally {
    input.destroy();
  }
}

async function apply(
  call: SyncCall,
  settings: Settings,
  { accept, seconds }: { readonly accept: boolean; readonly seconds: number | undefined },
): Promise<ExitCode> {
  const { report, interrupted, command } = call;
  const { client, publicationId } = await connectToPublication(command, call);
  if (seconds === undefined) return await applyOnce(call, settings, client, publicationId, { accept });
  for (let isFirst = true; ; isFirst = false) {
    try {
      await applyOnce(call, settings, client, publicationId, { accept: isFirst && accept, onlyNew: !isFirst });
    } catch (error) {
      if (!isTransient(error)) throw error;
      report.failure({ type: error.name, ...reportOf(error), message: `${error.message} The next run tries again.` });
    }
    if (interrupted.aborted) return exitCodes.done;
    await client.engine.host.sleep(seconds * 1000, interrupted).catch((error: unknown) => {
      if (!(error instanceof TransportError)) throw error;
    });
    if (interrupted.aborted) return exitCodes.done;
  }
}

/** Failures that the next run may not have. */
function isTransient(error: unknown): error is Error {
  return error instanceof SyncError
    ? error.isTransient
    : error instanceof NetworkError ||
        error instanceof TimeoutError ||
        error instanceof ServerError ||
        error instanceof RateLimitError;
}

/**
 * One run. It writes in this order, so that the next run completes one that was interrupted at any point: consent
 * records, the newsletter, contacts with their tokens, the state.
 *
 * @param options - `onlyNew` leaves findings out that an earlier run has reported
 */
async function applyOnce(
  call: SyncCall,
  settings: Settings,
  client: Client,
  publicationId: string,
  { accept, onlyNew = false }: { readonly accept: boolean; readonly onlyNew?: boolean },
): Promise<ExitCode> {
  const { report, interrupted } = call;
  const database = await open(settings, publicationId);
  try {
    if (!(await database.lock()))
      throw new UsageError(
        `Another run of the sync ${quote(settings.config.name)} is running: wait until it ends, or give this one a "name" of its own in the configuration.`,
      );
    await database.prepare();
    const planned = await read(call, settings, client, publicationId, database, accept);
    if (interrupted.aborted) throw new InterruptedError(beforeWriting);
    const { plan: toApply, lastRun: before } = planned;

    const contactWrites = toApply.pairs.flatMap((pair) => pair.contactWrites);
    await database.noteConsent(
      toApply.pairs.flatMap(({ consent }) => consent),
      contactWrites,
    );
    const signal = abortAfterGrace(interrupted, () =>
      report.notice({
        type: 'stopping',
        text: 'Stopping: running requests have two seconds to finish. Press Ctrl-C again to stop at once.',
      }),
    );
    const applied = await applySync({
      engine: client.engine,
      publicationId,
      plan: toApply,
      onProgress(progress) {
        stopWhereInterrupted();
        report.progress(progressText(progress));
      },
      call: { signal },
    }).catch((error: unknown) => {
      if (error instanceof AbortedError && interrupted.aborted) throw new InterruptedError(whileWriting);
      if (error instanceof UpdatePendingError)
        throw new SyncError(
          'The newsletter service is still processing a bulk update: run the command again later.',
          true,
        );
      throw error;
    });
    const total = applied.contactUpdates.length + applied.contactCreates.length;
    const contacts = await database.write(
      { updates: applied.contactUpdates, creates: applied.contactCreates },
      (done) => {
        if (done < total) stopWhereInterrupted();
        report.progress({
          type: 'progress',
          text: `${count(done, 'contact')} of ${number(total)} written`,
          share: done / total,
          data: { phase: 'contacts_written', done, of: total },
        });
      },
    );

    const known = new Set(before?.refused);
    const findings = [...applied.findings, ...contacts.refused.map((refusal) => refusedFinding(refusal, known))];
    const { refused, ...counts } = contacts;
    const written = new Set(contactWrites.map(({ id }) => id));
    const lastRun: LastRun = {
      at: new Date(client.engine.host.now()).toISOString(),
      held: toApply.held,
      counts: toApply.counts,
      written: {
        ...counts,
        refused: refused.length,
        subscriptionsUpdated: applied.updated,
        subscriptionsCreated: applied.created,
        failed: applied.failed,
      },
      findings: countFindings(findings),
      refused: refused.slice(0, mostRefused).map(refusalKey),
    };
    await database.finish({
      state: toApply.state,
      lastRun,
      consent: applied.consent.filter(({ contactId }) => contactId === null || !written.has(contactId)),
    });
    reportFindings(report, onlyNew ? findings.filter(({ isNew }) => isNew) : findings, call.isJson);
    report.result(appliedSummary(lastRun));
    reportHeld(report, toApply);
    return toApply.held || findings.length > 0 ? exitCodes.needsAttention : exitCodes.done;
  } finally {
    await database.close();
  }

  function stopWhereInterrupted(): void {
    if (interrupted.aborted) throw new InterruptedError(whileWriting);
  }
}

const beforeWriting = 'Interrupted before anything was written.';
const whileWriting = 'Interrupted while writing. What was written stays; the next run completes the rest.';

/** Reads both sides and plans. @throws InterruptedError */
async function read(
  { report, interrupted }: SyncCall,
  { config }: Settings,
  client: Client,
  publicationId: string,
  source: { read(): Promise<Pick<StoredRun, 'state' | 'lastRun'> | null>; contacts(): AsyncIterable<unknown> },
  accept: boolean,
): Promise<{ readonly plan: SyncPlan; readonly lastRun: LastRun | null }> {
  const stored = await source.read();
  try {
    const made = await planSync({
      engine: client.engine,
      publicationId,
      mapping: config.mapping,
      contacts: source.contacts(),
      state: readSyncState(stored?.state),
      accept,
      onProgress: (progress) => report.progress(progressText(progress)),
      call: { signal: interrupted },
    });
    return { plan: made, lastRun: toLastRun(stored?.lastRun) };
  } catch (error) {
    if (error instanceof AbortedError && interrupted.aborted) throw new InterruptedError(beforeWriting);
    throw error;
  }
}

async function status(
  { command, env, report }: SyncCall,
  settings: Settings,
  printsConsent: boolean,
): Promise<ExitCode> {
  const { publicationId } = await readSettings(command, env);
  const database = await open(settings, requirePublication(publicationId));
  try {
    if (printsConsent) {
      for await (const line of database.consentTrail()) await writeToStdout(`${JSON.stringify(line)}\n`);
      return exitCodes.done;
    }
    const stored = await database.read();
    const lastRun = toLastRun(stored.lastRun);
    const { watermark } = readSyncState(stored.state);
    report.result(statusText(settings.config.name, { lastRun, tokens: stored.tokens, watermark }, Date.now()));
    return lastRun && (lastRun.held || Object.keys(lastRun.findings).length > 0)
      ? exitCodes.needsAttention
      : exitCodes.done;
  } finally {
    await database.close();
  }
}

function open({ config, databaseUrl }: Settings, publicationId: string): Promise<SyncDatabase> {
  return openDatabase(databaseUrl, config, `${publicationId} ${config.name}`);
}

/** The stored run; null for other data. */
function toLastRun(stored: unknown): LastRun | null {
  return typeof stored === 'object' && stored !== null && 'at' in stored && 'written' in stored
    ? (stored as LastRun)
    : null;
}
