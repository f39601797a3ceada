/** The pipeline of an import: read ▸ check ▸ tell apart ▸ batch ▸ send ▸ write down. Both imports run through it. */
import type { Engine } from '../engine/engine.ts';
import type { Host, Signal } from '../engine/host.ts';
import { AddressSet } from './address-set.ts';
import { divide, utf8Length, type Batch, type Entry } from './batch.ts';
import { meaningOf } from './failure.ts';
import { hashText, hex, type Digest } from '../hash.ts';
import { memoryJournal, type ImportMode, type Journal } from './journal.ts';
import { Ledger, readLedger } from './ledger.ts';
import { Tally, type ImportProgress } from './progress.ts';
import { pull } from './pull.ts';
import { checkRequest } from './request.ts';
import { numbered, type ImportRow, type ImportSource, type Rejection, type Rows } from './source.ts';

/** What both imports take. */
export interface CommonOptions {
  /** Where the rows come from: subscriptions as the API takes them, or what a reader such as `readCsv` gives. */
  readonly source: Rows | ImportSource;
  /** The engine's calls, its clock and its die. */
  readonly engine: Pick<Engine, 'call' | 'host'>;
  /** Where the import is written down. Default: in memory, so that a crash means to start over. */
  readonly journal?: Journal | undefined;
  /** The publication. Default: that of the engine. */
  readonly publicationId?: string | undefined;
  /** Calls under way at once; at least 1. */
  readonly concurrency?: number | undefined;
  /** Failed calls in succession after which the import gives up for now. Default 5. */
  readonly giveUpAfter?: number | undefined;
  /** Ends the import: nothing more is read, what is under way is finished and written down. */
  readonly signal?: Signal | undefined;
  /** Called after each call and now and then while rows are skipped. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /**
   * Called with every row that is left out, in no particular order between runs of calls; waited for. A later run of
   * the same import calls it again for all of them, so a file of rejected rows is written anew by each run and whole
   * after each.
   */
  readonly onRejected?: ((rejection: Rejection) => void | Promise<void>) | undefined;
}

/** How an import, or this run of it, ended. Counts are those of all runs together. */
export interface ImportResult extends Pick<
  ImportProgress,
  'read' | 'accepted' | 'rejected' | 'duplicates' | 'failed' | 'batches'
> {
  /**
   * - `complete` – every row was taken, rejected or a duplicate
   * - `interrupted` – the signal ended it
   * - `incomplete` – calls failed; `error` says how
   *
   * After the last two, the same call with the same journal goes on.
   */
  readonly outcome: 'complete' | 'interrupted' | 'incomplete';
  /** The last error of a call whose rows the service has not taken. */
  readonly error?: unknown;
  /** Rows that earlier runs had dealt with. */
  readonly resumed: number;
  /** Rows sent once more because an earlier run never learned whether they were taken. */
  readonly resent: number;
  /** Ids of the imports the service runs, oldest first; empty where rows went one by one. */
  readonly importIds: readonly string[];
}

/** What is particular to one kind of import. */
export interface Course {
  readonly mode: ImportMode;
  /** Most rows of a call, and most bytes of it as JSON. */
  readonly limit: number;
  readonly bytes: number;
  readonly concurrency: number;
  /** Sends a batch; resolves with the id to write down and what to do once it is written. */
  readonly send: (
    batch: Batch,
  ) => Promise<{ readonly id: string | undefined; readonly tell: () => void | Promise<void> }>;
  /** Told of a batch that failed in this run. */
  readonly failed: (batch: Batch, error: unknown) => void | Promise<void>;
}

/**
 * Rows the service may refuse one after the other, before it has taken a single one, until the import takes it for a
 * mistake.
 */
const refusedFromTheStart = 25;

/** Rows between two reports while nothing is sent. */
const silence = 10_000;

/**
 * @throws JournalError, SourceChangedError, and whatever the source, the journal or a callback throws; in each case
 *   after what was under way is finished
 */
export async function runImport(options: CommonOptions, course: Course): Promise<ImportResult> {
  const source = asSource(options.source);
  const {
    engine: { host },
    signal,
    journal = memoryJournal(),
    giveUpAfter = 5,
  } = options;
  const ledger = await openLedger(journal, course.mode, source.fingerprint, host);
  const known = new AddressSet(ledger.seed);
  const tally = new Tally(() => host.monotonic(), source.total);
  tally.counts.batches = ledger.batches;
  const { counts } = tally;

  let stop: { readonly error: unknown; readonly thrown: boolean } | undefined;
  let lastFailure: unknown;
  let failuresInSuccession = 0;
  let refusedSoFar = 0;
  const importIds = [...ledger.importIds];
  const report = (): void => options.onProgress?.(tally.progress());

  async function reject(rejection: Rejection): Promise<void> {
    counts[rejection.kind === 'duplicate' ? 'duplicates' : 'rejected'] += 1;
    await options.onRejected?.(rejection);
  }

  async function deliver(batch: Batch): Promise<void> {
    const { first, last, entries } = batch;
    const end = entries.at(-1);
    if (!end) return;
    await journal.append({ type: 'sending', first, last, rows: entries.length, digest: hex(end.digest) });
    let sent: Awaited<ReturnType<Course['send']>>;
    try {
      sent = await course.send(batch);
    } catch (error) {
      return handle(batch, error);
    }
    await journal.append({
      type: 'accepted',
      first,
      last,
      rows: entries.length,
      ...(sent.id !== undefined && { id: sent.id }),
    });
    failuresInSuccession = 0;
    counts.accepted += entries.length;
    counts.batches += 1;
    if (batch.resent) tally.resent += entries.length;
    if (course.mode === 'bulk' && sent.id !== undefined) importIds.push(sent.id);
    await sent.tell();
    report();
  }

  async function handle(batch: Batch, error: unknown): Promise<void> {
    const meaning = meaningOf(error);
    const { first, last, entries } = batch;
    const [only] = entries;
    if (meaning.kind === 'refused' && only && entries.length === 1) {
      await journal.append({ type: 'refused', first, last, reason: meaning.reason });
      await reject({ row: only.row, kind: 'refused', reason: meaning.reason, original: only.original });
      refusedSoFar += 1;
      if (counts.accepted === 0 && refusedSoFar >= refusedFromTheStart) halt(error, false);
      return report();
    }
    if (meaning.kind === 'refused' || (meaning.kind === 'fatal' && !batch.resent))
      await journal.append({ type: 'released', first, last });
    if (meaning.kind === 'refused') {
      for (const part of divide(batch, meaning.said)) {
        if (stop || signal?.aborted) return;
        await deliver(part);
      }
      return;
    }
    lastFailure = error;
    counts.failed += entries.length;
    failuresInSuccession += 1;
    if (meaning.kind === 'fatal' || failuresInSuccession >= giveUpAfter) halt(error, false);
    await course.failed(batch, error);
    report();
  }

  /** The first reason to stop counts. */
  function halt(error: unknown, thrown: boolean): void {
    stop ??= { error, thrown };
  }

  const flights = new Set<Promise<void>>();
  async function dispatch(batch: Batch): Promise<void> {
    const concurrency = Math.max(1, options.concurrency ?? course.concurrency);
    while (flights.size >= concurrency) await Promise.race(flights);
    if (stop || signal?.aborted) return;
    const flight: Promise<void> = deliver(batch)
      .catch((error: unknown) => halt(error, true))
      .finally(() => flights.delete(flight));
    flights.add(flight);
  }

  const rows = pull<ImportRow>(source.rows, signal);
  let ended = false;
  try {
    let digest = ledger.seed;
    let ordinal = 0;
    let open = newBatch(1);
    const flush = async (): Promise<void> => {
      const { first, entries, resent } = open;
      const last = entries.at(-1)?.ordinal;
      if (last === undefined) return;
      open = newBatch(last + 1);
      await dispatch({ first, last, entries, resent });
    };

    for (;;) {
      const pulled = rows.next();
      const next = pulled && 'then' in pulled ? await pulled : pulled;
      ended = next?.done === true;
      if (!next || next.done === true || stop) break;
      ordinal += 1;
      counts.read += 1;
      const { row, subscription, problem, original = subscription } = numbered(next.value, ordinal);
      const checked = problem === undefined ? checkRequest(subscription) : { problem };
      const text = 'request' in checked ? JSON.stringify(checked.request) : '';
      digest = hashText(text, digest);
      ledger.checkRow(ordinal, digest);
      const settled = ledger.isSettled(ordinal);
      if (settled) {
        if (open.entries.length > 0) await flush();
        open.first = ordinal + 1;
        tally.resumed += 1;
        if (ordinal % silence === 0) report();
      } else tally.start();

      if ('problem' in checked) {
        await reject({ row, kind: 'invalid', reason: checked.problem, original });
        continue;
      }
      const { request } = checked;
      const before = known.add(request.email, row);
      if (before !== undefined) {
        await reject({ row, kind: 'duplicate', reason: `row ${before} has the same address`, original });
        continue;
      }
      if (settled) {
        const reason = ledger.refusal(ordinal);
        if (reason === undefined) counts.accepted += 1;
        else await reject({ row, kind: 'refused', reason, original });
        continue;
      }

      const bytes = utf8Length(text) + 1;
      if (!open.resent && open.entries.length > 0 && open.bytes + bytes > course.bytes) await flush();
      open.resent ||= ledger.lostAround(ordinal) !== undefined;
      open.entries.push({ ordinal, row, request, original, digest } satisfies Entry);
      open.bytes += bytes;
      // What was lost goes out again exactly as it was.
      if (ledger.endsBatch(ordinal) || (!open.resent && open.entries.length >= course.limit)) await flush();
    }
    if (ended && !stop) {
      ledger.checkEnd(ordinal);
      await flush();
    }
  } catch (error) {
    halt(error, true);
  }
  while (flights.size > 0) await Promise.race(flights);
  if (!ended) await rows.close().catch((error: unknown) => halt(error, true));
  if (stop?.thrown) throw stop.error;
  report();

  const complete =
    ended && counts.failed === 0 && counts.accepted + counts.rejected + counts.duplicates === counts.read;
  const error = stop?.error ?? lastFailure;
  const { read, accepted, rejected, duplicates, failed, batches } = counts;
  return {
    outcome: complete ? 'complete' : signal?.aborted && !stop ? 'interrupted' : 'incomplete',
    ...(error !== undefined && { error }),
    read,
    accepted,
    rejected,
    duplicates,
    failed,
    batches,
    importIds,
    resumed: tally.resumed,
    resent: tally.resent,
  };
}

function newBatch(first: number): { first: number; entries: Entry[]; bytes: number; resent: boolean } {
  return { first, entries: [], bytes: 0, resent: false };
}

function asSource(source: Rows | ImportSource): ImportSource {
  return 'rows' in source ? source : { rows: source };
}

async function openLedger(
  journal: Journal,
  mode: ImportMode,
  fingerprint: string | undefined,
  { random }: Pick<Host, 'random'>,
): Promise<Ledger> {
  const ledger = await readLedger(journal);
  if (ledger) {
    ledger.checkStart(mode, fingerprint);
    return ledger;
  }
  const word = (): number => Math.floor(random() * 2 ** 32) | 0;
  const seed: Digest = [word(), word(), word(), word()];
  const begun = { type: 'started', version: 1, mode, seed, ...(fingerprint !== undefined && { fingerprint }) } as const;
  await journal.append(begun);
  return new Ledger(begun);
}
