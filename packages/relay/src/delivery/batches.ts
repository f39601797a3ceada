/**
 * Sends a backlog in bulk. A bulk creation answers before anything is created, and never tells what became of each. So
 * all of a batch go on waiting, and are settled as they are seen among the newest subscriptions; who is not seen goes
 * alone, which harms nobody the API has already.
 */
import { setImmediate as others, setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@newsletter-kit/core';
import type { Form } from '../admission/form.ts';
import type { Notice } from '../ops/happening.ts';
import type { Log } from '../ops/log.ts';
import type { ClaimedSignup, SignupStore } from '../store/signup-store.ts';
import { arrived, largestBatch, toBatch, type Batch, type BulkOptions } from './bulk.ts';
import type { Flow } from './flow.ts';
import type { Ledger } from './ledger.ts';
import { UnderWay } from './under-way.ts';
import { judge } from './verdict.ts';

/** What {@link Batches} are made of. */
export interface BatchesOptions {
  readonly store: SignupStore;
  readonly client: Client;
  readonly forms: Readonly<Record<string, Form>>;
  readonly log: Log;
  readonly notice: Notice;
  readonly secrets: readonly string[];
  readonly bulk: BulkOptions;
  /** Longest pause the API may ask for in its answer, in milliseconds. */
  readonly longestAskedMs: number;
  readonly now: () => number;
  readonly flow: Flow;
  readonly ledger: Ledger;
  /** Where delivery stops, nobody looks out any more. */
  readonly stopping: AbortSignal;
  /** Gives up on what is under way. */
  readonly givenUp: AbortSignal;
  /** Told when something has ended. */
  readonly ended: () => void;
}

/** How often is looked whether a backlog has grown. */
const backlogMs = 5000;

/** Signups claimed in one go: the process does nothing else meanwhile. Whole times in a batch. */
const claimedAtOnce = 200;

/** Longest that all go alone after bulk was refused so often that it seems to be none of this API's. */
const longestAloneMs = 30 * 60_000;

/** Looks at who of a batch has arrived. */
const looks = 2;

const lookAfterMs = 30_000;

export class Batches {
  readonly #options: BatchesOptions;
  /** Bulk creations under way. */
  readonly #creations: UnderWay;
  /** Who looks out for the signups of an earlier batch. */
  readonly #lookouts: UnderWay;
  #nextBacklogLook = 0;
  /** Batches refused for good since the last that was taken. */
  #refused = 0;

  constructor(options: BatchesOptions) {
    this.#options = options;
    this.#creations = new UnderWay(options.ended);
    this.#lookouts = new UnderWay(options.ended);
  }

  /** Above a backlog, one batch after the other; a few go alone meanwhile, and show what the API says of them. */
  async take(now: number): Promise<void> {
    const { store, forms, bulk, flow } = this.#options;
    if (flow.fails || this.#creations.size > 0 || now < this.#nextBacklogLook) return;
    if ((await store.backlog(bulk.above, now)) < bulk.above) {
      this.#nextBacklogLook = now + backlogMs;
      return;
    }
    const claimed = await this.#claim(now);
    const batch = toBatch(claimed, forms, Math.min(bulk.above, largestBatch) / 2);
    const taken = new Set(batch?.signups);
    await store.release(claimed.filter((signup) => !taken.has(signup)).map(({ id }) => id));
    if (batch) this.#creations.add(this.#deliver(batch));
    else this.#nextBacklogLook = now + backlogMs;
  }

  /** In parts, between which visitors get their answers. */
  async #claim(now: number): Promise<ClaimedSignup[]> {
    const { store } = this.#options;
    const claimed: ClaimedSignup[] = [];
    try {
      for (;;) {
        const part = await store.claim(claimedAtOnce, now);
        claimed.push(...part);
        if (part.length < claimedAtOnce || claimed.length === largestBatch) return claimed;
        await others();
      }
    } catch (error) {
      await store.release(claimed.map(({ id }) => id));
      throw error;
    }
  }

  /** Waits for what is under way by now. */
  async end(): Promise<void> {
    await Promise.all([this.#creations.end(), this.#lookouts.end()]);
  }

  async #deliver(batch: Batch): Promise<void> {
    const { client, log, bulk, flow, longestAskedMs, now, givenUp } = this.#options;
    await others();
    const sentAt = now();
    try {
      const options = { signal: givenUp, retry: { retries: 0, maxRetryAfterMs: longestAskedMs }, timeoutMs: 120_000 };
      await client.subscriptions.bulkCreate(
        { publicationId: batch.publicationId, subscriptions: batch.subscriptions },
        options,
      );
    } catch (error) {
      return this.#failed(batch, error);
    }
    flow.succeeded();
    this.#refused = 0;
    log.info({ signups: batch.signups.length }, 'sent in bulk');
    const lookMs = bulk.lookAfterMs ?? lookAfterMs;
    await this.#putOff(batch, now() + (looks + 1) * lookMs, 'Sent in bulk; not seen at the API yet.');
    this.#lookouts.add(this.#lookOut(batch, sentAt, lookMs));
  }

  async #failed(batch: Batch, error: unknown): Promise<void> {
    const { flow, log, notice, now, secrets, store } = this.#options;
    const verdict = judge(error, secrets);
    if (verdict.kind === 'dead') {
      log.warn({ reason: verdict.reason, signups: batch.signups.length }, 'refused in bulk; each goes alone');
      // The first may have been refused for one of its signups; an API that takes no bulk is not asked for it all the
      // time.
      if (this.#refused > 0) this.#nextBacklogLook = now() + Math.min(longestAloneMs, backlogMs * 2 ** this.#refused);
      this.#refused += 1;
      return this.#putOff(batch, now(), verdict.reason);
    }
    if (verdict.kind === 'wait') {
      flow.stall(verdict);
      notice({ what: 'putOff', trouble: verdict.trouble });
    }
    await store.release(batch.signups.map(({ id }) => id));
  }

  async #putOff({ signups }: Batch, nextAttemptAt: number, reason: string): Promise<void> {
    const { ledger, now } = this.#options;
    await ledger.settle(
      signups.map(({ id }) => id),
      { state: 'waiting', at: now(), nextAttemptAt, reason },
    );
  }

  async #lookOut(batch: Batch, sentAt: number, lookMs: number): Promise<void> {
    const { client, ledger, log, notice, now, secrets, stopping, givenUp } = this.#options;
    let missing = batch;
    for (let look = 1; look <= looks && missing.signups.length > 0; look += 1) {
      await sleep(lookMs, undefined, { signal: stopping }).catch(() => undefined);
      if (stopping.aborted) return;
      try {
        const seen = new Set(await arrived(client, missing, sentAt, givenUp));
        await ledger.settle(
          [...seen].map(({ id }) => id),
          { state: 'delivered', at: now() },
        );
        for (const { form, receivedAt } of seen) notice({ what: 'delivered', form, waitedMs: now() - receivedAt });
        missing = { ...missing, signups: missing.signups.filter((signup) => !seen.has(signup)) };
        log.info({ delivered: seen.size, missing: missing.signups.length }, 'looked who has arrived');
      } catch (error) {
        // Nothing depends on it: who is not seen goes alone.
        log.warn({ reason: judge(error, secrets).kind }, 'could not look who has arrived');
      }
    }
  }
}
