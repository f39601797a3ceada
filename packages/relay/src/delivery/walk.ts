/**
 * Confirms bulk creations. A bulk creation is answered before anything is created, and the API never says what became
 * of each signup. So one walk through the publication's newest subscriptions, shared by all its batches, settles every
 * signup it sees. Its place is stored with each page.
 */
import { NotFoundError, BadRequestError, type Client } from '@newsletter-kit/core';
import type { EventListener } from '../ops/events.ts';
import type { Log } from '../ops/log.ts';
import type { Tracing } from '../ops/tracing.ts';
import { neverAttempted, type OpenBatch, type SignupStore, type Walk } from '../store/signup-store.ts';
import type { Persistence } from './persistence.ts';

/** What a {@link BatchConfirmation} is made of. */
export interface BatchConfirmationOptions {
  readonly publicationId: string;
  readonly store: SignupStore;
  readonly client: Client;
  readonly log: Log;
  readonly onEvent: EventListener;
  readonly tracing: Tracing;
  readonly persistence: Persistence;
  readonly lookAfterMs: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** A signup that was in the list of no walk that began so many times `lookAfterMs` after its batch waits again. */
const looks = 2;

/** Another relay's walk counts as abandoned this many milliseconds after its last page. */
const leaseMs = 120_000;

export class BatchConfirmation {
  readonly #options: BatchConfirmationOptions;

  constructor(options: BatchConfirmationOptions) {
    this.#options = options;
  }

  /** Batches that wait for confirmation; those being sent by this process are left out. */
  async #open(sending: ReadonlySet<string>): Promise<readonly OpenBatch[]> {
    const { store, publicationId } = this.#options;
    return (await store.openBatches(publicationId)).filter(({ id }) => !sending.has(id));
  }

  /**
   * Notes the newest subscription there is before the first batch: the walk ends there. With batches open, an earlier
   * note or walk holds.
   */
  async begin(): Promise<void> {
    const { store, publicationId, client, now, signal } = this.#options;
    const [open, held] = await Promise.all([
      store.openBatches(publicationId),
      store.holdWalk(publicationId, now(), now() + leaseMs),
    ]);
    if (held === null || (held.walk && open.length > 0)) return;
    const [newest] = (
      await client.subscriptions.list(
        { publicationId, order_by: 'created', direction: 'desc', limit: 1 },
        { signal, background: true },
      )
    ).items;
    await store.confirm(publicationId, [], now(), walkUntil(newest?.created ?? 0));
  }

  /**
   * Walks as far as it must: to the place of the last walk, or until every open signup is confirmed.
   *
   * @returns when to come again, in milliseconds since the Unix epoch; null where no batch is open
   */
  async run(sending: ReadonlySet<string>): Promise<number | null> {
    const { store, publicationId, now, lookAfterMs } = this.#options;
    let open = await this.#open(sending);
    if (open.length === 0) return null;
    const held = await store.holdWalk(publicationId, now(), now() + leaseMs);
    if (held === null) return now() + leaseMs;
    const due = Math.min(now(), ...open.map(sentAt)) + lookAfterMs;
    const underWay = held.walk !== null && held.walk.startedAt !== null;
    if (!underWay && now() < due) return due;
    const walk = await this.#walk(held.walk, open);
    open = await this.#open(sending);
    await this.#end(open, walk);
    const left = await this.#open(sending);
    return left.length === 0 ? null : Math.max(now(), Math.min(...left.map(sentAt)) + lookAfterMs);
  }

  async #walk(stored: Walk | null, open: readonly OpenBatch[]): Promise<Walk> {
    const { store, publicationId, client, log, onEvent, tracing, persistence, now, signal } = this.#options;
    // Without a note of before – a batch taken over from an export, say – the oldest batch gives the end.
    const fallback = Math.floor(Math.min(...open.map(({ claimedAt }) => claimedAt)) / 1000) - 300;
    const base = stored ?? walkUntil(fallback);
    let walk: Walk = { ...base, startedAt: base.startedAt ?? now() };
    let missing = open.reduce((sum, batch) => sum + batch.open, 0);
    let confirmed = 0;
    for (;;) {
      const query = {
        publicationId,
        order_by: 'created',
        direction: 'desc',
        limit: 100,
        ...(walk.cursor !== null && { cursor: walk.cursor }),
      } as const;
      let page;
      try {
        page = await client.subscriptions.list(query, { signal, background: true });
      } catch (error) {
        // A cursor may be too old to go on with: from the top again, to the same end.
        if (walk.cursor === null || !(error instanceof BadRequestError || error instanceof NotFoundError)) throw error;
        walk = { ...walk, cursor: null, newest: null };
        continue;
      }
      const newer = page.items.filter(({ created }) => created >= walk.until);
      const ended = newer.length < page.items.length || page.nextCursor === null || !page.hasMore;
      walk = { ...walk, newest: walk.newest ?? page.items[0]?.created ?? walk.until, cursor: page.nextCursor };
      const emails = newer.map(({ email }) => email);
      const seen = await persistence.write(() => store.confirm(publicationId, emails, now(), walk));
      if (!seen) return walk;
      for (const signup of seen) {
        onEvent({ type: 'delivered', form: signup.form, waitedMs: now() - signup.receivedAt });
        tracing.confirmed(signup);
      }
      confirmed += seen.length;
      missing -= seen.length;
      if (ended || missing <= 0) break;
    }
    log.info(
      { confirmed, missing: Math.max(0, missing) },
      'read the list of subscriptions to confirm what was sent in bulk',
    );
    return walk;
  }

  /** Ends the batches that are confirmed, and those for which this walk was the last look. */
  async #end(open: readonly OpenBatch[], walk: Walk): Promise<void> {
    const { store, publicationId, persistence, now, lookAfterMs, signal, log } = this.#options;
    if (signal.aborted) return;
    for (const batch of open) {
      // Sent in the future: the clock was set back.
      const last = (walk.startedAt ?? 0) >= sentAt(batch) + looks * lookAfterMs || sentAt(batch) > now() + lookAfterMs;
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
      await persistence.write(() => store.endBatch(batch.id, outcome));
    }
    const next = walkUntil(walk.newest ?? walk.until);
    await persistence.write(() => store.confirm(publicationId, [], now(), next));
  }
}

/** A walk that has not begun. @param until - `created` of the newest subscription before it */
function walkUntil(until: number): Walk {
  return { until, newest: null, cursor: null, startedAt: null };
}

/** Where the process ended before it wrote that a batch was sent, the batch counts as sent when it was claimed. */
function sentAt({ sentAt: at, claimedAt }: OpenBatch): number {
  return at ?? claimedAt;
}
