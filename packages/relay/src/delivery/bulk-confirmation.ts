/**
 * Confirms bulk creations. The API answers a bulk creation before it creates anything, and never reports the result of
 * each signup. So one scan of the publication's newest subscriptions, shared by all its batches and relays, marks every
 * signup found as delivered. Its position is stored with each page.
 */
import { continuationAt, NotFoundError, BadRequestError } from '@newsletter-kit/core';
import { neverAttempted, type OpenBatch, type ConfirmationScan } from '../store/signup-store.ts';
import type { DeliveryLane } from './lane.ts';
import { knownStatus, statusIn } from './status.ts';

/** A subscription as the list is read for: see `neededFields`. */
interface ReadSubscription {
  readonly email: string;
  readonly created: number;
}

/** Scans that start up to this many times `lookAfterMs` after a batch look for its signups; then each goes alone. */
const maxLooks = 2;

/** The scan of another relay counts as abandoned this many milliseconds after its last page. */
const leaseMs = 120_000;

type StartedScan = ConfirmationScan & { readonly startedAt: number };

/** @param lookAfterMs - milliseconds between a bulk creation and the first scan for it */
export function createBulkConfirmation(lane: DeliveryLane, lookAfterMs: number) {
  const { store, calls, log, events, now, publicationId, client, worker } = lane;
  /** When the last scan of this process started. */
  let lastScanAt = -Infinity;

  /** Batches that wait for confirmation, without those this process is sending. */
  async function openBatches(sending: ReadonlySet<string>): Promise<readonly OpenBatch[]> {
    return (await store.openBatches(publicationId)).filter(({ id }) => !sending.has(id));
  }

  /**
   * Stores the newest subscription before the first batch is sent: the scan ends there. With open batches, an earlier
   * scan or its end stays valid.
   */
  async function begin(): Promise<void> {
    const [open, lease] = await Promise.all([
      store.openBatches(publicationId),
      store.leaseScan(publicationId, now(), now() + leaseMs),
    ]);
    if (lease === null || (lease.scan && open.length > 0)) return;
    const [newest] = (
      await client.subscriptions.list(
        { publicationId, order_by: 'created', direction: 'desc', limit: 1 },
        { signal: worker.givenUp, background: true, reader: 'relay' },
      )
    ).items;
    await store.confirm(publicationId, [], now(), scanUntil((newest as ReadSubscription | undefined)?.created ?? 0));
  }

  /**
   * Scans to the end of the last scan, or until every open signup is confirmed.
   *
   * @returns when to run again, in milliseconds since the Unix epoch; null if no batch is open
   */
  async function run(sending: ReadonlySet<string>): Promise<number | null> {
    let open = await openBatches(sending);
    if (open.length === 0) return null;
    const lease = await store.leaseScan(publicationId, now(), now() + leaseMs);
    // Another relay scans, for every batch. It may end at any time: check again soon, not after its whole lease.
    if (lease === null) return now() + Math.min(lookAfterMs, leaseMs);
    const due = Math.min(...open.map((batch) => nextScanAt(batch)));
    const isRunning = lease.scan !== null && lease.scan.startedAt !== null;
    if (!isRunning && now() < due) return due;
    const scan = await scanFrom(lease.scan, open);
    if (scan === null) {
      await worker.write(() => store.releaseScan(publicationId));
      return now();
    }
    lastScanAt = scan.startedAt;
    open = await openBatches(sending);
    await end(open, scan);
    const left = await openBatches(sending);
    return left.length === 0 ? null : Math.max(now(), Math.min(...left.map((batch) => nextScanAt(batch))));
  }

  /** @returns null if no calls are left: the next scan continues after the last page read */
  async function scanFrom(stored: ConfirmationScan | null, open: readonly OpenBatch[]): Promise<StartedScan | null> {
    // Without a stored end, after an import for example, the scan ends at the oldest batch.
    const fallback = Math.floor(Math.min(...open.map(({ claimedAt }) => claimedAt)) / 1000) - 300;
    const base = stored ?? scanUntil(fallback);
    let scan: StartedScan = { ...base, startedAt: base.startedAt ?? now() };
    let missing = open.reduce((sum, batch) => sum + batch.open, 0);
    let confirmed = 0;
    for (;;) {
      if (!(await calls.take(1))) return null;
      const query = {
        publicationId,
        order_by: 'created',
        direction: 'desc',
        limit: 100,
        ...(scan.cursor !== null && continuationAt(scan.cursor)),
      } as const;
      let page;
      try {
        page = await client.subscriptions.list(query, { signal: worker.givenUp, background: true, reader: 'relay' });
      } catch (error) {
        // The cursor may have expired: scan again from the top, to the same end.
        if (scan.cursor === null || !(error instanceof BadRequestError || error instanceof NotFoundError)) throw error;
        scan = { ...scan, cursor: null, newest: null };
        continue;
      }
      const items = page.items as readonly ReadSubscription[];
      const newer = items.filter(({ created }) => created >= scan.until);
      const ended = newer.length < items.length || !page.hasMore;
      scan = {
        ...scan,
        newest: scan.newest ?? items[0]?.created ?? scan.until,
        cursor: ended ? null : await page.place(),
      };
      const found = newer.map((record) => ({ email: record.email, ...knownStatus(statusIn(record), now()) }));
      const seen = await worker.write(() => store.confirm(publicationId, found, now(), scan));
      if (!seen) return scan;
      for (const { form, dueAt, status } of seen)
        events.emit({ type: 'delivered', form, waitedMs: now() - dueAt, status });
      confirmed += seen.length;
      missing -= seen.length;
      if (ended || missing <= 0) break;
    }
    log.info(
      { confirmed, missing: Math.max(0, missing) },
      'read the list of subscriptions to confirm what was sent in bulk',
    );
    return scan;
  }

  /** When the next scan looks for a batch: each `lookAfterMs` after it was sent; now if the clock was set back. */
  function nextScanAt(batch: OpenBatch): number {
    if (isInFuture(batch)) return now();
    const scans = Math.max(0, Math.floor((Math.min(lastScanAt, now()) - sentAt(batch)) / lookAfterMs));
    return sentAt(batch) + (scans + 1) * lookAfterMs;
  }

  /** Whether a batch was sent in the future: the clock was set back. */
  function isInFuture(batch: OpenBatch): boolean {
    return sentAt(batch) > now() + lookAfterMs;
  }

  /** Ends the batches that are confirmed, and those for which this was the last scan; then lets other relays scan. */
  async function end(open: readonly OpenBatch[], scan: StartedScan): Promise<void> {
    if (worker.givenUp.aborted) return;
    for (const batch of open) {
      const last = scan.startedAt >= sentAt(batch) + maxLooks * lookAfterMs || isInFuture(batch);
      if (batch.open > 0 && !last) continue;
      const at = now();
      const interrupted = batch.sentAt === null;
      if (batch.open > 0)
        log.info(
          { signups: batch.open },
          interrupted
            ? 'the bulk creation was interrupted; sends it again'
            : 'sent in bulk and not found; each goes alone now',
        );
      // A second bulk creation is as safe as looking each up: with `tried` it never reactivates a subscription.
      const outcome = {
        state: 'waiting',
        at,
        nextAttemptAt: interrupted ? neverAttempted : at,
        reason: interrupted
          ? 'The bulk creation was interrupted.'
          : 'Sent in bulk; not among the newest subscriptions of the API.',
        tried: true,
      } as const;
      await worker.write(() => store.endBatch(batch.id, outcome));
    }
    const next = scanUntil(scan.newest ?? scan.until);
    await worker.write(async () => {
      await store.confirm(publicationId, [], now(), next);
      await store.releaseScan(publicationId);
    });
  }

  return { begin, run };
}

/** A scan that has not started. @param until - `created` of the newest subscription before it */
function scanUntil(until: number): ConfirmationScan {
  return { until, newest: null, cursor: null, startedAt: null };
}

/** When a batch was sent. If the process ended before it recorded that, when the batch was claimed. */
function sentAt({ sentAt: at, claimedAt }: OpenBatch): number {
  return at ?? claimedAt;
}
