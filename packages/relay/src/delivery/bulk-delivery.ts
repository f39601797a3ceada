/** Delivers a backlog in bulk: up to a thousand signups per call, confirmed later by a scan of the list. */
import { ApiError, type SubscriptionRequest } from '@newsletter-kit/core';
import type { Form } from '../config/form.ts';
import { signupId } from '../store/signup-identity.ts';
import { StoreUnavailableError } from '../errors.ts';
import type { ClaimedSignup } from '../store/signup-store.ts';
import { ClaimSize } from '../queue/claim-size.ts';
import { backoffMs, decideRetry } from '../queue/retry.ts';
import { BulkConfirmation } from './bulk-confirmation.ts';
import type { InFlight } from '../queue/worker.ts';
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

export class BulkDelivery {
  readonly #lane: DeliveryLane;
  /** Null: never in bulk. Batches of an earlier configuration are confirmed all the same. */
  readonly #bulk: BulkOptions | null;
  readonly #forms: readonly string[];
  readonly #batches: InFlight;
  readonly #confirmations: InFlight;
  readonly #confirmation: BulkConfirmation;
  /** Ids of the batches that this process is sending. */
  readonly #sending = new Set<string>();
  /** Whether there is a backlog: from the threshold on, until fewer than {@link minBatchSize} are left. */
  #hasBacklog = false;
  #nextCountAt = 0;
  #nextConfirmationAt = 0;
  readonly #claims: ClaimSize;
  /** Consecutive refused bulk creations. */
  #refusals = 0;

  constructor(lane: DeliveryLane, bulk: BulkOptions | null) {
    this.#lane = lane;
    this.#bulk = bulk;
    this.#forms = Object.keys(lane.forms);
    this.#claims = new ClaimSize(largestClaim, lane.context.log);
    this.#batches = lane.worker.inFlight.part();
    this.#confirmations = lane.worker.inFlight.part();
    this.#confirmation = new BulkConfirmation(lane, bulk?.lookAfterMs ?? defaultLookAfterMs);
  }

  /** Whether a batch is being sent. */
  get isSending(): boolean {
    return this.#batches.size > 0;
  }

  /** When the next confirmation is due, in milliseconds since the Unix epoch; null if none is, or one is running. */
  get nextConfirmationAt(): number | null {
    return this.#confirmations.size === 0 && Number.isFinite(this.#nextConfirmationAt)
      ? this.#nextConfirmationAt
      : null;
  }

  /** Whether signups are to be delivered in bulk now. */
  async hasBacklog(): Promise<boolean> {
    const { context, circuits } = this.#lane;
    const { store, now } = context;
    const bulk = this.#bulk;
    if (!bulk || circuits.isFailing || now() < this.#nextCountAt) return false;
    const threshold = this.#hasBacklog ? minBatchSize : bulk.above;
    this.#hasBacklog = (await store.backlog(this.#forms, threshold)) >= threshold;
    if (!this.#hasBacklog) this.#nextCountAt = now() + countIntervalMs;
    return this.#hasBacklog;
  }

  /** Starts to send a batch, unless one is being sent. */
  async startBatch(): Promise<void> {
    // It reads the list, and creates.
    if (!this.isSending && (await this.#lane.context.calls.take(2))) this.#batches.add(this.#sendBatch());
  }

  /** Starts a confirmation if one is due. */
  startConfirmation(): void {
    if (this.#confirmations.size === 0 && this.#lane.context.now() >= this.#nextConfirmationAt)
      this.#confirmations.add(this.#confirm());
  }

  /** Counts and confirms at once: the clock was set back to `now`. */
  clockWasSetBack(now: number): void {
    this.#nextCountAt = this.#nextConfirmationAt = now;
  }

  async #sendBatch(): Promise<void> {
    const { context, client, worker, circuits, publicationId } = this.#lane;
    const { store, log, now } = context;
    const id = signupId(now());
    const body = new BatchBody();
    const signups: ClaimedSignup[] = [];
    this.#sending.add(id);
    try {
      await this.#confirmation.begin();
      await this.#fillBatch(id, body, signups);
      if (signups.length === 0) return;
      await client.subscriptions.bulkCreate(
        { publicationId, subscriptions: body.subscriptions },
        {
          ...callOptions(this.#lane),
          timeoutMs: bulkTimeoutMs,
          background: !signups.some((each) => isFresh(each, now())),
        },
      );
      await worker.write(() => store.batchSent(id, now()));
      circuits.recordSuccess();
      this.#refusals = 0;
      log.info({ signups: signups.length }, 'sent in bulk');
    } catch (error) {
      await this.#batchFailed(id, signups, error);
    } finally {
      this.#sending.delete(id);
      this.#nextConfirmationAt = Math.min(this.#nextConfirmationAt, now());
    }
  }

  /** Claims in several transactions, so that new posts are answered in between. */
  async #fillBatch(id: string, body: BatchBody, signups: ClaimedSignup[]): Promise<void> {
    const { context, forms, publicationId, worker } = this.#lane;
    const { store, now } = context;
    while (signups.length < maxBatchSize && !worker.stopping.aborted) {
      const batch = { id, publicationId };
      const limit = Math.min(this.#claims.size, maxBatchSize - signups.length);
      const claimed = await this.#claims.claim(limit, (most) =>
        store.claim({ forms: this.#forms, limit: most, now: now(), batch }),
      );
      const rest = claimed.filter((signup) => {
        const form = forms[signup.form];
        const fits = form !== undefined && body.add(signup, form);
        if (fits) signups.push(signup);
        return !fits;
      });
      if (rest.length > 0) await store.release(rest.map((signup) => signup.id));
      if (rest.length > 0 || claimed.length < limit) break;
    }
    this.#claims.grow();
  }

  async #batchFailed(id: string, signups: readonly ClaimedSignup[], error: unknown): Promise<void> {
    const { context, circuits, worker } = this.#lane;
    const { store, log, events, now, secrets, health } = context;
    // The store failed while signups were claimed; the loop tries again.
    if (!isApiFailure(error)) return health.failed('claim', error);
    const decision = decideRetry(error, secrets);
    const isRefused = decision.kind === 'deadLetter' || isListForbidden(error, signups);
    if (isRefused) this.#avoidBulk();
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
  #avoidBulk(): void {
    this.#nextCountAt = this.#lane.context.now() + Math.min(maxWithoutBulkMs, countIntervalMs * 2 ** this.#refusals);
    this.#refusals += 1;
    this.#hasBacklog = false;
  }

  async #confirm(): Promise<void> {
    const { context, circuits, backoff } = this.#lane;
    const { now, log, secrets, health, random } = context;
    try {
      this.#nextConfirmationAt = (await this.#confirmation.run(this.#sending)) ?? Number.POSITIVE_INFINITY;
      // An interrupted batch is part of the backlog again.
      if (this.#refusals === 0) this.#nextCountAt = now();
    } catch (error) {
      this.#nextConfirmationAt = now() + backoff.firstMs;
      if (!isApiFailure(error)) return health.failed('claim', error);
      const decision = decideRetry(error, secrets);
      if (decision.kind === 'retry' && decision.aborted) return;
      log.warn(
        { reason: decision.reason },
        'the list of subscriptions cannot be read to confirm what was sent in bulk',
      );
      if (decision.kind === 'retry') {
        circuits.recordFailure(decision);
        this.#nextConfirmationAt = now() + backoffMs(3, decision.retryAfterMs, backoff, random);
      } else this.#nextConfirmationAt = now() + backoff.maxMs;
    }
  }
}

/** The requests of a bulk creation that fit into one body, in the order of the signups. */
class BatchBody {
  readonly subscriptions: SubscriptionRequest[] = [];
  #bytes = 0;

  /** Adds a signup. @returns false if the body is full */
  add(signup: ClaimedSignup, form: Form): boolean {
    const request = toSubscriptionRequest(signup, form);
    const bytes = Buffer.byteLength(JSON.stringify(request)) + 1;
    if (this.#bytes + bytes > maxBatchBytes) return false;
    this.#bytes += bytes;
    this.subscriptions.push(request);
    return true;
  }
}

/** Whether the key may not read the list of subscriptions; the bulk creation itself was not sent then. */
function isListForbidden(error: unknown, signups: readonly ClaimedSignup[]): boolean {
  return error instanceof ApiError && error.status === 403 && signups.length === 0;
}

/** Whether a call of the API failed; otherwise the store did. */
function isApiFailure(error: unknown): boolean {
  return !(error instanceof StoreUnavailableError);
}
