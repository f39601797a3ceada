/** `newsletter sync apply`: plans a run and carries it out, once or again and again. */
import { UpdatePendingError } from '@newsletter-kit/core/import';
import { applySync, stateAfter } from '@newsletter-kit/core/sync';
import { exitCodes, type ExitCode, type Session } from '../../context.ts';
import { failureOf, isTransient } from '../../user-facing-errors.ts';
import type { SyncDatabase } from './database.ts';
import type { ChangeCount } from './planned-run.ts';
import { SyncError } from './postgres.ts';
import {
  appliedSummary,
  progressText,
  refusalKey,
  refusedFinding,
  reportFindings,
  reportHeld,
  type LastRun,
  type SyncFinding,
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
  const { every } = options;
  const sync = await connectBoth(options, session);
  const run = async (isFirst: boolean): Promise<ExitCode> =>
    await withDatabase(sync, (database) => applyOnce(sync, database, options, isFirst));
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

/**
 * One run. It carries out the plan part by part, each in this order, so that the next run completes one that was
 * interrupted at any point.
 */
async function applyOnce(
  sync: SyncSession,
  database: SyncDatabase,
  { accept, isJson }: ApplyOptions,
  isFirst: boolean,
): Promise<ExitCode> {
  await database.prepare();
  const { planned, lastRun, before } = await planRun(sync, database, isFirst && accept);
  const progress = progressOf(sync, planned.size);
  const known = new Set(lastRun?.refused);
  const failures: SyncFinding[] = [];
  const inNewsletter = { subscriptionsUpdated: 0, subscriptionsCreated: 0, failed: 0 };
  const {
    client: { engine },
    publicationId,
    session: { report },
  } = sync;
  const { mapping, held, counts } = planned;
  let { state } = planned;
  let { asked } = before;
  const refused: string[] = [];
  await sync.session.writing(
    async (signal) => {
      for await (const part of planned.parts()) {
        await database.writer.noteConsent(part); // 1. What was decided, and who is asked: nobody is asked twice.
        asked = [...asked, ...part.subscriptionCreates.map(({ key }) => key)];
        if (part.subscriptionCreates.length > 0) await database.finish({ state: { ...before, asked }, lastRun });
        const onWritten = progress('newsletter');
        const applied = await applySync({
          engine,
          publicationId,
          plan: { ...part, mapping },
          onProgress: ({ done }) => onWritten(done),
          call: { signal },
        }).catch(explainPending); // 2. The newsletter.
        const changes = { ...applied, versions: part.versions, mapping };
        const refusals = await database.writer.write(changes, progress('contacts')); // 3. Contacts with their tokens.
        state = stateAfter(state, applied);
        inNewsletter.subscriptionsUpdated += applied.updated;
        inNewsletter.subscriptionsCreated += applied.created;
        inNewsletter.failed += applied.failed;
        failures.push(...applied.findings, ...refusals.map((refusal) => refusedFinding(refusal, known)));
        refused.push(...refusals.slice(0, mostRefused - refused.length).map(refusalKey));
      }
    },
    () => 'Interrupted while writing. What was written stays; the next run completes the rest.',
  );
  async function* findings(): AsyncGenerator<readonly SyncFinding[]> {
    yield* planned.findings();
    yield failures;
  }
  const found = await reportFindings(report, findings(), { isJson, onlyNew: !isFirst });
  const at = new Date(engine.host.now()).toISOString();
  const written = { ...database.writer.done, ...inNewsletter };
  const run: LastRun = { at, held, counts, written, findings: found, refused };
  await database.finish({ state, lastRun: run }); // 4. The state.
  report.result(appliedSummary(run));
  reportHeld(report, planned);
  return held || Object.keys(found).length > 0 ? exitCodes.needsAttention : exitCodes.done;
}

/**
 * How far the writing of both sides is, over all parts.
 *
 * @returns gives for a side what is told how many changes of a part are done there
 */
function progressOf({ session: { interrupted, report } }: SyncSession, size: ChangeCount) {
  const written = { newsletter: 0, contacts: 0 };
  return (side: keyof ChangeCount): ((changes: number) => void) => {
    const [before, of] = [written[side], size[side]];
    return (changes) => {
      const done = (written[side] = before + changes);
      if (side === 'newsletter' || done < of) interrupted.throwIfAborted();
      report.progress(progressText({ phase: side === 'newsletter' ? 'writing' : 'contacts_written', done, of }));
    };
  };
}

function explainPending(error: unknown): never {
  if (!(error instanceof UpdatePendingError)) throw error;
  throw new SyncError('The newsletter service is still processing a bulk update: run the command again later.', true);
}
