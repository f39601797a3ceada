/** `newsletter sync apply`: plans a run and carries it out, once or again and again. */
import { UpdatePendingError } from '@newsletter-kit/core/import';
import { applySync, type AppliedSync, type SyncPlan } from '@newsletter-kit/core/sync';
import { UsageError, quote } from '#command-line';
import { exitCodes, type ExitCode, type Session } from '../../context.ts';
import { count, number } from '../../output.ts';
import { failureOf, isTransient } from '../../user-facing-errors.ts';
import type { WriteResult } from './contact-writer.ts';
import type { SyncDatabase } from './database.ts';
import { SyncError } from './postgres.ts';
import {
  appliedSummary,
  countFindings,
  progressText,
  refusalKey,
  refusedFinding,
  reportFindings,
  reportHeld,
  type LastRun,
} from './report.ts';
import { connectBoth, planRun, withDatabase, type SyncOptions, type SyncSession } from './session.ts';

export interface ApplyOptions extends SyncOptions {
  /** Seconds between two runs; undefined for a single one. */
  readonly every: number | undefined;
  /** Carries out a plan that is held back, in the first run. */
  readonly accept: boolean;
}

/** Refused contacts that are stored, so that the next run does not report them as new. */
const mostRefused = 10_000;

export async function apply(options: ApplyOptions, session: Session): Promise<ExitCode> {
  const { every, accept } = options;
  const sync = await connectBoth(options, session);
  const run = async (isFirst: boolean): Promise<ExitCode> =>
    await withDatabase(sync, sync.publicationId, (database) =>
      applyOnce(sync, database, { accept: isFirst && accept, onlyNew: !isFirst, isJson: options.isJson }),
    );
  if (every === undefined) return await run(true);
  let isFirst = true;
  do {
    try {
      await run(isFirst);
    } catch (error) {
      if (!isTransient(error)) throw error;
      session.report.failure(failureOf(error, ' The next run tries again.'));
    }
    isFirst = false;
  } while (await session.pause(sync.client.engine.host, every * 1000));
  return exitCodes.done;
}

interface RunOptions {
  readonly accept: boolean;
  /** Leaves findings out that an earlier run has reported. */
  readonly onlyNew: boolean;
  readonly isJson: boolean;
}

/** One run. It writes in this order, so that the next run completes one that was interrupted at any point. */
async function applyOnce(sync: SyncSession, database: SyncDatabase, options: RunOptions): Promise<ExitCode> {
  await prepare(sync, database);
  const { plan, lastRun } = await planRun(sync, database, options.accept);
  await database.writer.noteConsent(plan); // 1. What was decided.
  const { applied, contacts } = await sync.session.writing(
    async (signal) => {
      const done = await writeNewsletter(sync, plan, signal); // 2. The newsletter.
      return { applied: done, contacts: await writeContacts(sync, database, done) }; // 3. Contacts with their tokens.
    },
    () => 'Interrupted while writing. What was written stays; the next run completes the rest.',
  );
  const known = new Set(lastRun?.refused);
  const findings = [...applied.findings, ...contacts.refused.map((refusal) => refusedFinding(refusal, known))];
  const run: LastRun = {
    at: new Date(sync.client.engine.host.now()).toISOString(),
    held: plan.held,
    counts: plan.counts,
    written: countWritten(applied, contacts),
    findings: countFindings(findings),
    refused: contacts.refused.slice(0, mostRefused).map(refusalKey),
  };
  const written = new Set(plan.pairs.flatMap(({ contactWrites }) => contactWrites.map(({ id }) => id)));
  await database.finish({
    state: plan.state, // 4. The state.
    lastRun: run,
    consent: applied.consent.filter(({ contactId }) => contactId === null || !written.has(contactId)),
  });
  const { report } = sync.session;
  reportFindings(report, options.onlyNew ? findings.filter(({ isNew }) => isNew) : findings, options.isJson);
  report.result(appliedSummary(run));
  reportHeld(report, plan);
  return plan.held || findings.length > 0 ? exitCodes.needsAttention : exitCodes.done;
}

/** @throws UsageError where another run of the same sync is running */
async function prepare({ config }: SyncSession, database: SyncDatabase): Promise<void> {
  if (!(await database.lock()))
    throw new UsageError(
      `Another run of the sync ${quote(config.name)} is running: wait until it ends, or give this one a "name" of its own in the configuration.`,
    );
  await database.prepare();
}

async function writeNewsletter(
  { session, client, publicationId }: SyncSession,
  plan: SyncPlan,
  signal: AbortSignal,
): Promise<AppliedSync> {
  return await applySync({
    engine: client.engine,
    publicationId,
    plan,
    onProgress(progress) {
      session.interrupted.throwIfAborted();
      session.report.progress(progressText(progress));
    },
    call: { signal },
  }).catch((error: unknown) => {
    if (!(error instanceof UpdatePendingError)) throw error;
    throw new SyncError('The newsletter service is still processing a bulk update: run the command again later.', true);
  });
}

async function writeContacts(
  { session }: SyncSession,
  database: SyncDatabase,
  { contactUpdates: updates, contactCreates: creates }: AppliedSync,
): Promise<WriteResult> {
  const total = updates.length + creates.length;
  return await database.writer.write({ updates, creates }, (done) => {
    if (done < total) session.interrupted.throwIfAborted();
    session.report.progress({
      type: 'progress',
      text: `${count(done, 'contact')} of ${number(total)} written`,
      share: done / total,
      data: { phase: 'contacts_written', done, of: total },
    });
  });
}

/** The counts that are stored of a run. */
function countWritten(applied: AppliedSync, { refused, ...counts }: WriteResult): LastRun['written'] {
  return {
    ...counts,
    refused: refused.length,
    subscriptionsUpdated: applied.updated,
    subscriptionsCreated: applied.created,
    failed: applied.failed,
  };
}
