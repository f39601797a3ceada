/** `newsletter sync`: plans and applies changes between the newsletter and the contacts in PostgreSQL. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  AbortedError,
  NetworkError,
  RateLimitError,
  ServerError,
  TimeoutError,
  TransportError,
  type Client,
} from '@newsletter-kit/core';
import { UpdatePendingError } from '@newsletter-kit/core/import';
import { applySync, planSync, readSyncState, type SyncPlan } from '@newsletter-kit/core/sync';
import type { Call } from '../command/definition.ts';
import { exitCodes, type ExitCode } from '../command/exit-codes.ts';
import { Mistake } from '../command/mistake.ts';
import { quote, wholeNumber } from '../command/parse.ts';
import { writeToStdout } from '../export/stdout.ts';
import { count, number } from '../output/numbers.ts';
import { connect } from '../settings/connection.ts';
import { readLogin } from '../settings/kept-login.ts';
import { readSettings } from '../settings/settings.ts';
import type { syncOptions } from './command.ts';
import { readConfig, type SyncConfig } from './config.ts';
import { openDatabase, SyncError, type StoredRun, type SyncDatabase } from './database.ts';
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

type SyncCall = Call<typeof syncOptions>;

interface Settings {
  readonly config: SyncConfig;
  readonly databaseUrl: string;
  readonly seconds: number | null;
  readonly mostChanges: number;
}

/** The actions, with the options that belong to one of them alone. */
const actions = {
  plan: { options: ['changes', 'contacts'], run: plan },
  apply: { options: ['every', 'accept'], run: apply },
  status: { options: ['consent'], run: status },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly options: readonly (keyof typeof syncOptions)[];
      run(call: SyncCall, settings: Settings, problems: readonly string[]): Promise<ExitCode>;
    }
  >
>;

/** Refused contacts whose repetition is noticed. */
const mostRefused = 10_000;

export async function run(call: SyncCall): Promise<ExitCode> {
  const { options, operands, env } = call;
  const [name = ''] = operands;
  const problems: string[] = [];
  const action = Object.entries(actions).find(([each]) => each === name)?.[1];
  if (!action) throw new Mistake(`There is no action ${quote(name)}: newsletter sync plan, apply or status.`);
  for (const [other, { options: own }] of Object.entries(actions))
    for (const option of own)
      if (other !== name && options[option] !== undefined) problems.push(`--${option} is an option of sync ${other}.`);
  const seconds =
    options.every === undefined
      ? null
      : wholeNumber('--every', options.every, { fallback: 60, least: 1, most: 86_400 }, problems);
  const fallback = options.json ? Number.MAX_SAFE_INTEGER : 20;
  const mostChanges = wholeNumber('--changes', options.changes, { fallback, least: 0, most: 999_999_999 }, problems);
  const needsTable = options.contacts === undefined;
  const databaseUrl = needsTable ? readDatabaseUrl(options.database, env['DATABASE_URL'], problems) : '';
  const config = await readConfig(options.config ?? 'newsletter-sync.json', needsTable).catch((error: unknown) => {
    if (!(error instanceof Mistake)) throw error;
    problems.push(...error.problems);
    return null;
  });
  if (!config) throw new Mistake(problems);
  return await action.run(call, { config, databaseUrl, seconds, mostChanges }, problems);
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

async function plan(call: SyncCall, settings: Settings, problems: readonly string[]): Promise<ExitCode> {
  const { options, report } = call;
  const { client, settings: connection } = await connect(call, ['publicationId'], problems);
  const { publicationId } = connection;
  const database = options.contacts === undefined ? await open(settings, publicationId) : null;
  try {
    const source = database ?? {
      read: () => Promise.resolve(null),
      contacts: () => readRecords(options.contacts ?? ''),
    };
    const planned = await read(call, settings, client, publicationId, source, false);
    if (!planned) return exitCodes.interrupted;
    reportChanges(report, planned.plan, settings.mostChanges);
    reportFindings(report, planned.plan.findings, options.json === true);
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
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    if (text.trim() === '') continue;
    let record: unknown;
    try {
      record = JSON.parse(text);
    } catch {
      throw new Mistake(`${path}: line ${line} is not valid JSON. Write one contact a line (NDJSON).`);
    }
    yield record;
  }
}

async function apply(call: SyncCall, settings: Settings, problems: readonly string[]): Promise<ExitCode> {
  const { report, interrupted, options } = call;
  const { client, settings: connection } = await connect(call, ['publicationId'], problems);
  const { seconds } = settings;
  if (seconds === null)
    return await applyOnce(call, settings, client, connection.publicationId, { accept: options.accept });
  for (let isFirst = true; ; isFirst = false) {
    try {
      const accept = isFirst && options.accept;
      await applyOnce(call, settings, client, connection.publicationId, { accept, onlyNew: !isFirst });
    } catch (error) {
      if (!isTransient(error)) throw error;
      report.failure(`${error.message} The next run tries again.`);
    }
    if (interrupted.aborted) return exitCodes.done;
    await client.engine.host.sleep(seconds * 1000, interrupted).catch((error: unknown) => {
      if (!(error instanceof TransportError)) throw error;
    });
    if (interrupted.aborted) return exitCodes.done;
  }
}

/** Failures that may be over by the next run. */
function isTransient(error: unknown): error is Error {
  return error instanceof SyncError
    ? error.isTransient
    : error instanceof NetworkError ||
        error instanceof TimeoutError ||
        error instanceof ServerError ||
        error instanceof RateLimitError;
}

/**
 * One run. The order makes a run that ends anywhere come to the same end with the next one: consent records, the
 * newsletter, contacts with their tokens, the state.
 *
 * @param options - `onlyNew` leaves findings out that an earlier run has reported
 */
async function applyOnce(
  call: SyncCall,
  settings: Settings,
  client: Client,
  publicationId: string,
  { accept = false, onlyNew = false }: { readonly accept?: boolean | undefined; readonly onlyNew?: boolean },
): Promise<ExitCode> {
  const { options, report } = call;
  const database = await open(settings, publicationId);
  try {
    if (!(await database.lock()))
      throw new Mistake(
        `Another run of the sync ${quote(settings.config.name)} is under way: wait until it ends, or give this one a "name" of its own in the configuration.`,
      );
    await database.prepare();
    const planned = await read(call, settings, client, publicationId, database, accept);
    // From here on everything is carried out, also after Ctrl-C.
    if (!planned || call.interrupted.aborted) return exitCodes.interrupted;
    const { plan: toApply, lastRun: before } = planned;

    const contactWrites = toApply.pairs.flatMap((pair) => pair.contactWrites);
    await database.noteConsent(
      toApply.pairs.flatMap(({ consent }) => consent),
      contactWrites,
    );
    const applied = await applySync({
      engine: client.engine,
      publicationId,
      plan: toApply,
      onProgress: (progress) => report.progress(progressText(progress)),
    }).catch((error: unknown) => {
      if (error instanceof UpdatePendingError)
        throw new SyncError('The newsletter is still at work on a bulk update: run the command again later.', true);
      throw error;
    });
    const total = applied.contactUpdates.length + applied.contactCreates.length;
    const contacts = await database.write(
      { updates: applied.contactUpdates, creates: applied.contactCreates },
      (done) =>
        report.progress({
          type: 'progress',
          text: `${count(done, 'contact')} of ${number(total)} written`,
          share: done / total,
          data: { phase: 'contacts_written', done, of: total },
        }),
    );

    const told = new Set(before?.refused);
    const findings = [...applied.findings, ...contacts.refused.map((refusal) => refusedFinding(refusal, told))];
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
    reportFindings(report, onlyNew ? findings.filter(({ isNew }) => isNew) : findings, options.json === true);
    report.result(appliedSummary(lastRun));
    reportHeld(report, toApply);
    return toApply.held || findings.length > 0 ? exitCodes.needsAttention : exitCodes.done;
  } finally {
    await database.close();
  }
}

/** Reads both sides and plans; null after Ctrl-C. */
async function read(
  { report, interrupted }: SyncCall,
  { config }: Settings,
  client: Client,
  publicationId: string,
  source: { read(): Promise<Pick<StoredRun, 'state' | 'lastRun'> | null>; contacts(): AsyncIterable<unknown> },
  accept: boolean,
): Promise<{ readonly plan: SyncPlan; readonly lastRun: LastRun | null } | null> {
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
    if (!(error instanceof AbortedError && interrupted.aborted)) throw error;
    report.notice({ type: 'interrupted', text: 'Interrupted before anything was written.' });
    return null;
  }
}

async function status(call: SyncCall, settings: Settings, problems: readonly string[]): Promise<ExitCode> {
  const { options, env, report } = call;
  const kept = (await readLogin(env)) ?? {};
  const { publicationId } = readSettings<'publicationId'>(['publicationId'], { flags: options, env, kept, problems });
  const database = await open(settings, publicationId);
  try {
    if (options.consent) {
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

/** What this command stored; anything else counts as no run. */
function toLastRun(stored: unknown): LastRun | null {
  return typeof stored === 'object' && stored !== null && 'at' in stored && 'written' in stored
    ? (stored as LastRun)
    : null;
}
