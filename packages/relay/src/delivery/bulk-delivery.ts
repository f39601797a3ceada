/** Delivers a backlog in bulk: up to a thousand signups per call, confirmed later by a scan of the list. */
import { ApiError, type SubscriptionRequest } from '@newsletter-kit/core';
import type { Form } from '../config/form.ts';
import type { StoreHealth } from '../health.ts';
import { signupId } from '../store/signup-identity.ts';
import { type ClaimedSignup, StoreUnavailableError } from '../store/signup-store.ts';
import { backoffMs, decideRetry } from '../queue/retry.ts';
import { BulkConfirmation } from './bulk-confirmation.ts';
import { InFlight } from '../queue/worker.ts';
import { callOptions, isFresh, type SingleDeliveryOptions, toSubscriptionRequest } from './single-delivery.ts';

/** When signups are delivered in bulk, and when their arrival is confirmed. */
export interface BulkOptions {
  /** Number of signups never attempted from which on they are delivered in bulk. */
  readonly above: number;
  /** Milliseconds between a bulk creation and the reading of its list. Default 30,000. */
  readonly lookAfterMs?: number | undefined;
}

/** Options of {@link BulkDelivery}. */
export interface BulkDeliveryOptions extends SingleDeliveryOptions {
  readonly health: StoreHealth;
  /** Null: never in bulk. Batches of an earlier configuration are confirmed all the same. */
  readonly bulk: BulkOptions | null;
  /** Aborts when nothing new may be started. */
  readonly stopping: AbortSignal;
  /** Called when a batch or a confirmation has ended. */
  readonly onEnd: () => void;
}

/** Signups claimed in one transaction: new posts have to wait for one of them. Divides {@link maxBatchSize}. */
const claimSize = 200;

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
  readonly #options: BulkDeliveryOptions;
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
  /** Consecutive refused bulk creations. */
  #refusals = 0;

  constructor(options: BulkDeliveryOptions) {
    this.#options = options;
    this.#forms = Object.keys(options.forms);
    this.#batches = new InFlight(options.onEnd);
    this.#confirmations = new InFlight(options.onEnd);
    this.#confirmation = new BulkConfirmation({
      ...options,
      lookAfterMs: options.bulk?.lookAfterMs ?? defaultLookAfterMs,
      signal: options.givenUp,
    });
  }

  /** Whether a batch is being sent. */
  get isSending(): boolean {
    return this.#batches.size > 0;
  }

  /** Whether neither a batch nor a confirmation is in flight. */
  get isIdle(): boolean {
    return this.#batches.size === 0 && this.#confirmations.size === 0;
  }

  /** When the next confirmation is due, in milliseconds since the Unix epoch; null if none is, or one is running. */
  get nextConfirmationAt(): number | null {
    return this.#confirmations.size === 0 && Number.isFinite(this.#nextConfirmationAt)
      ? this.#nextConfirmationAt
      : null;
  }

  /** Whether signups are to be delivered in bulk now. */
  async hasBacklog(): Promise<boolean> {
    const { bulk, store, circuits, now } = this.#options;
    if (!bulk || circuits.isFailing || now() < this.#nextCountAt) return false;
    const threshold = this.#hasBacklog ? minBatchSize : bulk.above;
    this.#hasBacklog = (await store.backlog(this.#forms, threshold)) >= threshold;
    if (!this.#hasBacklog) this.#nextCountAt = now() + countIntervalMs;
    return this.#hasBacklog;
  }

  /** Starts to send a batch, unless one is being sent. */
  startBatch(): void {
    if (!this.isSending) this.#batches.add(this.#sendBatch());
  }

  /** Starts a confirmation if one is due. */
  startConfirmation(): void {
    if (this.#confirmations.size === 0 && this.#options.now() >= this.#nextConfirmationAt)
      this.#confirmations.add(this.#confirm());
  }

  /** Counts and confirms at once: the clock was set back to `now`. */
  clockWasSetBack(now: number): void {
    this.#nextCountAt = this.#nextConfirmationAt = now;
  }

  /** Waits for the batch and the confirmation in flight. */
  async end(): Promise<void> {
    await Promise.all([this.#batches.end(), this.#confirmations.end()]);
  }

  async #sendBatch(): Promise<void> {
    const { store, client, log, writer, circuits, publicationId, now } = this.#options;
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
          ...callOptions(this.#options),
          timeoutMs: bulkTimeoutMs,
          background: !signups.some((each) => isFresh(each, now())),
        },
      );
      await writer.write(() => store.batchSent(id, now()));
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
    const { store, forms, publicationId, stopping, now } = this.#options;
    while (signups.length < maxBatchSize && !stopping.aborted) {
      const batch = { id, publicationId };
      const claimed = await store.claim({ forms: this.#forms, limit: claimSize, now: now(), batch });
      const rest = claimed.filter((signup) => {
        const form = forms[signup.form];
        const fits = form !== undefined && body.add(signup, form);
        if (fits) signups.push(signup);
        return !fits;
      });
      if (rest.length > 0) await store.release(rest.map((signup) => signup.id));
      if (rest.length > 0 || claimed.length < claimSize) return;
    }
  }

  async #batchFailed(id: string, signups: readonly ClaimedSignup[], error: unknown): Promise<void> {
    const { store, writer, circuits, log, onEvent, now, secrets, health } = this.#options;
    // The store failed while signups were claimed; the loop tries again.
    if (!isApiFailure(error)) return health.failed('claim', error);
    const decision = decideRetry(error, secrets);
    const isRefused = decision.kind === 'deadLetter' || isListForbidden(error, signups);
    if (isRefused) this.#avoidBulk();
    if (isRefused && signups.length > 0)
      log.warn({ reason: decision.reason, signups: signups.length }, 'refused in bulk; each goes alone');
    if (decision.kind === 'retry' && !isRefused) {
      circuits.recordFailure(decision);
      for (const { form } of signups) onEvent({ type: 'retryScheduled', form, cause: decision.cause });
      // The confirmation finds out whether the batch arrived.
      if (decision.mayHaveArrived) return writer.write(() => store.batchSent(id, now()));
      await writer.write(() => store.release(signups.map((signup) => signup.id)));
    }
    const at = now();
    const outcome = { state: 'waiting', at, nextAttemptAt: at, reason: decision.reason, tried: false } as const;
    await writer.write(() => store.endBatch(id, outcome));
  }

  /** Delivers one by one for a while, which doubles with each refused bulk creation. */
  #avoidBulk(): void {
    this.#nextCountAt = this.#options.now() + Math.min(maxWithoutBulkMs, countIntervalMs * 2 ** this.#refusals);
    this.#refusals += 1;
    this.#hasBacklog = false;
  }

  async #confirm(): Promise<void> {
    const { now, log, secrets, health, circuits, backoff, random } = this.#options;
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
