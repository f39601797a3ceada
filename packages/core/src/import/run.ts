/** Runs an import: opens the journal, reads rows into batches, delivers them, and sums up the result. */
import type { Host } from '../engine/host.ts';
import type { Digest } from '../hash.ts';
import { BatchReader } from './batch-reader.ts';
import { Delivery } from './delivery.ts';
import { memoryJournal, readResumeState, ResumeState, type ImportMode, type Journal } from './journal.ts';
import { ProgressCounter } from './progress.ts';
import { pull, type ImportRow, type ImportSource, type Rows } from './source.ts';
import type { CommonOptions, ImportResult, ImportSettings } from './types.ts';

/**
 * Runs an import.
 *
 * @throws JournalError, SourceChangedError, and the errors of the source, the journal and the callbacks; in each case
 *   after all calls in flight have ended
 */
export async function runImport(options: CommonOptions, settings: ImportSettings): Promise<ImportResult> {
  const source = asSource(options.source);
  const { host } = options.engine;
  const journal = options.journal ?? memoryJournal();
  const resume = await openJournal(journal, settings.mode, source.fingerprint, host);
  const progress = new ProgressCounter(() => host.monotonic(), source.total);
  progress.counts.batches = resume.batches;
  const delivery = new Delivery({ options, settings, journal, progress, importIds: resume.importIds });

  const ended = await readAll(source, new BatchReader({ settings, resume, progress, delivery }), delivery, options);
  if (delivery.stopReason?.isThrown) throw delivery.stopReason.error;
  delivery.reportProgress();
  return resultOf(ended, options, progress, delivery);
}

/** Reads the source to its end and waits for all calls in flight. @returns whether the source ended */
async function readAll(
  source: ImportSource,
  reader: BatchReader,
  delivery: Delivery,
  { signal }: CommonOptions,
): Promise<boolean> {
  const rows = pull<ImportRow>(source.rows, signal);
  let ended = false;
  try {
    ended = await reader.read(rows);
    if (ended && !delivery.stopReason) await reader.finish();
  } catch (error) {
    delivery.stop(error, true);
  }
  await delivery.drain();
  if (!ended) await rows.close().catch((error: unknown) => delivery.stop(error, true));
  return ended;
}

function resultOf(
  ended: boolean,
  { signal }: CommonOptions,
  { counts, resumed, resent }: ProgressCounter,
  { stopReason, lastFailure, importIds }: Delivery,
): ImportResult {
  const { read, accepted, rejected, duplicates, failed, batches } = counts;
  const isComplete = ended && failed === 0 && accepted + rejected + duplicates === read;
  const error = stopReason?.error ?? lastFailure;
  return {
    outcome: isComplete ? 'complete' : signal?.aborted && !stopReason ? 'interrupted' : 'incomplete',
    ...(error !== undefined && { error }),
    read,
    accepted,
    rejected,
    duplicates,
    failed,
    batches,
    importIds,
    resumed,
    resent,
  };
}

function asSource(source: Rows | ImportSource): ImportSource {
  return 'rows' in source ? source : { rows: source };
}

/** Reads the state of earlier runs from the journal, or writes the first record of a new import. */
async function openJournal(
  journal: Journal,
  mode: ImportMode,
  fingerprint: string | undefined,
  { random }: Pick<Host, 'random'>,
): Promise<ResumeState> {
  const resume = await readResumeState(journal);
  if (resume) {
    resume.checkStart(mode, fingerprint);
    return resume;
  }
  const word = (): number => Math.floor(random() * 2 ** 32) | 0;
  const seed: Digest = [word(), word(), word(), word()];
  const started = {
    type: 'started',
    version: 1,
    mode,
    seed,
    ...(fingerprint !== undefined && { fingerprint }),
  } as const;
  await journal.append(started);
  return new ResumeState(started);
}
