/** Delivers a backlog in bulk: up to a thousand signups per call, confirmed later by a scan of the list. */
import { ApiError, type SubscriptionRequest } from '@newsletter-kit/core';
import { signupId } from '../store/signup-identity.ts';
import { StoreUnavailableError } from '../errors.ts';
import type { ClaimedSignup } from '../store/signup-store.ts';
import { ClaimSize } from '../queue/claim-size.ts';
import { backoffMs, decideRetry } from '../queue/retry.ts';
import { createBulkConfirmation } from './bulk-confirmation.ts';
import { callOptions, type DeliveryLane } from './lane.ts';
import { isFresh, toSubscriptionRequest } from './single-delivery.ts';

/** When signups are delivered in bulk, and when their arrival is confirmed. */
export interface BulkOptions {
  /** Number of signups never attempted from which on they are delivered in bulk. */
  readonly above: number;
  /** Milliseconds between a bulk creation and the reading of its list. Default 30,000. */
  readonly lookAfterMs?: number | undefined;
}

/** Signups claimed in one transaction: new posts have to wait for one of them. */
const largestClaim = 200;

/** How often a backlog below the threshold is counted again, in milliseconds. */
const countIntervalMs = 5000;

/** Longest time without bulk creations after one was refused, in milliseconds. */
const maxWithoutBulkMs = 30 * 60_000;

/** Time limit of a bulk creation, in milliseconds. */
const bulkTimeoutMs = 120_000;

const defaultLookAfterMs = 30_000;

/** Maximum of one call. The specification names none for bulk creation; this is the one of bulk update. */
const maxBatchSize = 1000;

/** With fewer signups a bulk creation saves no calls: it takes one to create and one to read the list. */
const minBatchSize = 10;

/** Less than the body size that web servers accept by default (1 MB). */
const maxBatchBytes = 1_000_000;

export type BulkDelivery = ReturnType<typeof createBulkDelivery>;

/** @param bulk - null: never in bulk. Batches of an earlier configuration are confirmed all the same */
export function createBulkDelivery(lane: DeliveryLane, bulk: BulkOptions | null) {
  const { store, calls, log, events, health, secrets, now, random } = lane;
  const { publicationId, forms, client, circuits, backoff, worker } = lane;
  const names = Object.keys(forms);
  const claims = new ClaimSize(largestClaim, log);
  const batches = worker.inFlight.part();
  const confirmations = worker.inFlight.part();
  const confirmation = createBulkConfirmation(lane, bulk?.lookAfterMs ?? defaultLookAfterMs);
  /** Ids of the batches that this process is sending. */
  const sending = new Set<string>();
  /** From the threshold on, until fewer than {@link minBatchSize} are left. */
  let hasBacklog = false;
  let nextCountAt = 0;
  let nextConfirmationAt = 0;
  /** Consecutive refused bulk creations. */
  let refusals = 0;

  async function sendBatch(): Promise<void> {
    const id = signupId(now());
    const subscriptions: SubscriptionRequest[] = [];
    const signups: ClaimedSignup[] = [];
    sending.add(id);
    try {
      await confirmation.begin();
      await fillBatch(id, subscriptions, signups);
      if (signups.length === 0) return;
      await client.subscriptions.bulkCreate(
        { publicationId, subscriptions },
        {
          ...callOptions(lane),
          timeoutMs: bulkTimeoutMs,
          background: !signups.some((each) => isFresh(each, now())),
        },
      );
      await worker.write(() => store.batchSent(id, now()));
      circuits.recordSuccess();
      refusals = 0;
      log.info({ signups: signups.length }, 'sent in bulk');
    } catch (error) {
      await batchFailed(id, signups, error);
    } finally {
      sending.delete(id);
      nextConfirmationAt = Math.min(nextConfirmationAt, now());
    }
  }

  /**
   * Claims in several transactions, so that new posts are answered in between.
   *
   * @param subscriptions - gets the requests that fit into one body, and `signups` their signups, in the same order
   */
  async function fillBatch(id: string, subscriptions: SubscriptionRequest[], signups: ClaimedSignup[]): Promise<void> {
    let bytes = 0;
    while (signups.length < maxBatchSize && !worker.stopping.aborted) {
      const batch = { id, publicationId };
      const limit = Math.min(claims.size, maxBatchSize - signups.length);
      const claimed = await claims.claim(limit, (most) =>
        store.claim({ forms: names, limit: most, now: now(), batch }),
      );
      const rest = claimed.filter((signup) => {
        const request = toSubscriptionRequest(signup, forms[signup.form]);
        const added = Buffer.byteLength(JSON.stringify(request)) + 1;
        if (bytes + added > maxBatchBytes) return true;
        bytes += added;
        subscriptions.push(request);
        signups.push(signup);
        return false;
      });
      if (rest.length > 0) await store.release(rest.map((signup) => signup.id));
      if (rest.length > 0 || claimed.length < limit) break;
    }
    claims.grow();
  }

  async function batchFailed(id: string, signups: readonly ClaimedSignup[], error: unknown): Promise<void> {
    // The store failed while signups were claimed; the loop tries again.
    if (error instanceof StoreUnavailableError) return health.failed('claim', error);
    const decision = decideRetry(error, secrets);
    const isRefused = decision.kind === 'deadLetter' || isListForbidden(error, signups);
    if (isRefused) avoidBulk();
    if (isRefused && signups.length > 0)
      log.warn({ reason: decision.reason, signups: signups.length }, 'refused in bulk; each goes alone');
    if (decision.kind === 'retry' && !isRefused) {
      circuits.recordFailure(decision);
      for (const { form } of signups) events.emit({ type: 'retryScheduled', form, cause: decision.cause });
      // The confirmation finds out whether the batch arrived.
      if (decision.mayHaveArrived) return worker.write(() => store.batchSent(id, now()));
      await worker.write(() => store.release(signups.map((signup) => signup.id)));
    }
    const at = now();
    const outcome = { state: 'waiting', at, nextAttemptAt: at, reason: decision.reason, tried: false } as const;
    await worker.write(() => store.endBatch(id, outcome));
  }

  /** Delivers one by one for a while, which doubles with each refused bulk creation. */
  function avoidBulk(): void {
    nextCountAt = now() + Math.min(maxWithoutBulkMs, countIntervalMs * 2 ** refusals);
    refusals += 1;
    hasBacklog = false;
  }

  async function confirm(): Promise<void> {
    try {
      nextConfirmationAt = (await confirmation.run(sending)) ?? Number.POSITIVE_INFINITY;
      // An interrupted batch is part of the backlog again.
      if (refusals === 0) nextCountAt = now();
    } catch (error) {
      nextConfirmationAt = now() + backoff.firstMs;
      if (error instanceof StoreUnavailableError) return health.failed('claim', error);
      const decision = decideRetry(error, secrets);
      if (decision.kind === 'retry' && decision.aborted) return;
      log.warn(
        { reason: decision.reason },
        'the list of subscriptions cannot be read to confirm what was sent in bulk',
      );
      if (decision.kind === 'retry') {
        circuits.recordFailure(decision);
        nextConfirmationAt = now() + backoffMs(3, decision.retryAfterMs, backoff, random);
      } else nextConfirmationAt = now() + backoff.maxMs;
    }
  }

  return {
    /** Whether a batch is being sent. */
    get isSending(): boolean {
      return batches.size > 0;
    },
    /** When the next confirmation is due, in milliseconds since the Unix epoch; null if none is, or one is running. */
    get nextConfirmationAt(): number | null {
      return confirmations.size === 0 && Number.isFinite(nextConfirmationAt) ? nextConfirmationAt : null;
    },
    /** Whether signups are to be delivered in bulk now. */
    async hasBacklog(): Promise<boolean> {
      if (!bulk || circuits.isFailing || now() < nextCountAt) return false;
      const threshold = hasBacklog ? minBatchSize : bulk.above;
      hasBacklog = (await store.backlog(names, threshold)) >= threshold;
      if (!hasBacklog) nextCountAt = now() + countIntervalMs;
      return hasBacklog;
    },
    /** Starts to send a batch, unless one is being sent. */
    async startBatch(): Promise<void> {
      // It reads the list, and creates.
      if (batches.size === 0 && (await calls.take(2))) batches.add(sendBatch());
    },
    /** Starts a confirmation if one is due. */
    startConfirmation(): void {
      if (confirmations.size === 0 && now() >= nextConfirmationAt) confirmations.add(confirm());
    },
    /** Counts and confirms at once: the clock was set back to `at`. */
    clockWasSetBack(at: number): void {
      nextCountAt = nextConfirmationAt = at;
    },
  };
}

/** Whether the key may not read the list of subscriptions; the bulk creation itself was not sent then. */
function isListForbidden(error: unknown, signups: readonly ClaimedSignup[]): boolean {
  return error instanceof ApiError && error.status === 403 && signups.length === 0;
}
