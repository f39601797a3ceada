/**
 * Delivers the signups of one publication with one API key: alone, or in bulk while there is a backlog. Lanes do not
 * wait for each other.
 */
import { ApiError, type Client } from '@newsletter-kit/core';
import type { Form } from '../admission/form.ts';
import { spanning, type Span, type Tracing } from '../ops/tracing.ts';
import { signupId } from '../store/signup-id.ts';
import { freshMs, StoreUnavailableError, type Claim, type ClaimedSignup } from '../store/signup-store.ts';
import { backoff, type Patience } from './backoff.ts';
import { BatchBody, largestBatch, smallestBatch, type BulkOptions } from './batch.ts';
import type { DispatcherOptions } from './dispatcher.ts';
import type { Hold } from './hold.ts';
import { InFlight } from './in-flight.ts';
import { storePauseMs, type Persistence } from './persistence.ts';
import { toSubscriptionRequest } from './subscription-request.ts';
import { judge, type WaitVerdict } from './verdict.ts';
import { WakeSignal } from './wake-signal.ts';
import { BatchConfirmation } from './walk.ts';

/** What a {@link Lane} is made of. */
export interface LaneOptions extends Pick<DispatcherOptions, 'store' | 'health' | 'log' | 'secrets'> {
  readonly publicationId: string;
  readonly forms: Readonly<Record<string, Form>>;
  readonly client: Client;
  readonly onEvent: NonNullable<DispatcherOptions['onEvent']>;
  readonly tracing: Tracing;
  readonly concurrency: number;
  readonly patience: Patience;
  readonly bulk: BulkOptions | null;
  readonly random: () => number;
  readonly now: () => number;
  /** Of the API key; lanes with the same key share it. */
  readonly keyHold: Hold<WaitVerdict>;
  /** Of the publication; lanes with the same publication share it. */
  readonly publicationHold: Hold<WaitVerdict>;
  readonly persistence: Persistence;
  /** Aborts when nothing new may be begun. */
  readonly stopping: AbortSignal;
  /** Aborts when what is under way is given up. */
  readonly givenUp: AbortSignal;
}

/** Longest sleep of the loop, in milliseconds: a clock that was set back must not put anything off for longer. */
const longestSleepMs = 60_000;

/** Longest sleep where other processes take signups too. */
const longestSharedSleepMs = 1000;

/** Signups claimed in one transaction: posts that arrive meanwhile wait for one of them. */
const claimedAtOnce = 200;

/** How often a backlog below the threshold is counted again, in milliseconds. */
const countEveryMs = 5000;

/** How long signups go alone after a bulk creation was refused, at most, in milliseconds. */
const longestWithoutBulkMs = 30 * 60_000;

/** Time limit of a bulk creation, in milliseconds. */
const bulkTimeoutMs = 120_000;

/** Clocks may differ by this much, in milliseconds: ours from the API's, and from one moment to the next. */
const skewMs = 5 * 60_000;

const lookAfterMs = 30_000;

export class Lane {
  readonly #options: LaneOptions;
  readonly #names: readonly string[];
  readonly #signal = new WakeSignal();
  readonly #single = new InFlight(() => this.#signal.notify());
  readonly #batches = new InFlight(() => this.#signal.notify());
  readonly #confirming = new InFlight(() => this.#signal.notify());
  readonly #confirmation: BatchConfirmation;
  /** Batches this process is sending. */
  readonly #sending = new Set<string>();
  /** Whether there is a backlog: from the threshold up, until hardly anything is left of it. */
  #inBulk = false;
  #nextCount = 0;
  #nextLook = 0;
  /** The last time of day this lane has seen. */
  #lastNow = 0;
  /** Bulk creations refused in succession. */
  #refused = 0;
  #loop: Promise<void> | null = null;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#names = Object.keys(options.forms);
    this.#confirmation = new BatchConfirmation({
      ...options,
      lookAfterMs: options.bulk?.lookAfterMs ?? lookAfterMs,
      signal: options.givenUp,
    });
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Whether it delivers the signups of this form. */
  has(form: string): boolean {
    return Object.hasOwn(this.#options.forms, form);
  }

  /** Pauses as after an attempt with this verdict. */
  refused(verdict: WaitVerdict): void {
    this.#failed(verdict);
  }

  /** Says that something new may be due. */
  wake(): void {
    this.#signal.notify();
  }

  /** Waits until nothing is under way any more; aborting `stopping` and `givenUp` brings that about. */
  async end(): Promise<void> {
    this.#signal.notify();
    await this.#loop;
    await Promise.all([this.#single.end(), this.#batches.end(), this.#confirming.end()]);
  }

  async #run(): Promise<void> {
    const { stopping, health, store } = this.#options;
    while (!stopping.aborted) {
      const held = this.#heldMs;
      if (held > 0) {
        await this.#signal.wait(Math.min(held, longestSleepMs));
        continue;
      }
      try {
        const paused = await store.paused();
        if (!paused) await this.#takeDue();
        const untilNext = paused ? null : await this.#untilNext();
        health.succeeded('claim');
        await this.#signal.wait(this.#atMost(untilNext));
      } catch (error) {
        health.failed('claim', error);
        await this.#signal.wait(storePauseMs);
      }
    }
  }

  get #heldMs(): number {
    const { keyHold, publicationHold } = this.#options;
    return Math.max(keyHold.remainingMs, publicationHold.remainingMs);
  }

  get #failing(): boolean {
    const { keyHold, publicationHold } = this.#options;
    return keyHold.failing || publicationHold.failing;
  }

  /** While the API fails, one signup at a time is tried. */
  get #limit(): number {
    return this.#failing ? 1 : this.#options.concurrency;
  }

  /** Other processes wake no loop of this one. */
  #atMost(ms: number | null): number {
    const longest = this.#options.store.shared ? longestSharedSleepMs : longestSleepMs;
    return Math.min(ms ?? longest, longest);
  }

  async #takeDue(): Promise<void> {
    const { store, now } = this.#options;
    // An attempt may have failed since the loop looked.
    if (this.#heldMs > 0) return;
    await this.#watchClock();
    if (await this.#hasBacklog()) {
      if (this.#batches.size === 0) this.#batches.add(this.#sendBatch());
    } else {
      const free = this.#limit - this.#single.size;
      if (free > 0) for (const signup of await store.claim(this.#claim(free))) this.#single.add(this.#deliver(signup));
    }
    if (this.#confirming.size === 0 && now() >= this.#nextLook) this.#confirming.add(this.#confirm());
  }

  /** Where the clock was set back, what waits for a moment by the old clock would wait for that much longer. */
  async #watchClock(): Promise<void> {
    const { store, patience, now } = this.#options;
    const at = now();
    if (at < this.#lastNow - skewMs) {
      this.#nextCount = this.#nextLook = at;
      await store.pullForward(at, 2 * patience.longestAskedMs);
    }
    this.#lastNow = at;
  }

  #claim(limit: number): Claim {
    return { forms: this.#names, limit, now: this.#options.now() };
  }

  /** Whether signups go in bulk now. */
  async #hasBacklog(): Promise<boolean> {
    const { bulk, store, now } = this.#options;
    if (!bulk || this.#failing || now() < this.#nextCount) return false;
    const enough = this.#inBulk ? smallestBatch : bulk.above;
    this.#inBulk = (await store.backlog(this.#names, enough)) >= enough;
    if (!this.#inBulk) this.#nextCount = now() + countEveryMs;
    return this.#inBulk;
  }

  async #untilNext(): Promise<number | null> {
    const { store, now } = this.#options;
    if (this.#batches.size > 0 || this.#single.size >= this.#limit) return null;
    const dueAt = await store.nextDueAt(this.#names);
    const moments = [dueAt, this.#confirming.size === 0 && Number.isFinite(this.#nextLook) ? this.#nextLook : null];
    const next = Math.min(...moments.filter((moment) => moment !== null));
    return Number.isFinite(next) ? next - now() : null;
  }

  async #sendBatch(): Promise<void> {
    const { store, client, log, tracing, persistence, publicationId, now } = this.#options;
    const id = signupId(now());
    const body = new BatchBody();
    const signups: ClaimedSignup[] = [];
    this.#sending.add(id);
    try {
      await this.#confirmation.begin();
      await this.#fillBatch(id, body, signups);
      if (signups.length === 0) return;
      await spanning(tracing.batch(signups), (span) =>
        tracing.call(span, 'subscriptions.bulkCreate', (extraHeaders) =>
          client.subscriptions.bulkCreate(
            { publicationId, subscriptions: body.subscriptions },
            {
              ...this.#callOptions,
              timeoutMs: bulkTimeoutMs,
              background: !signups.some((each) => this.#isFresh(each)),
              extraHeaders,
            },
          ),
        ),
      );
      await persistence.write(() => store.batchSent(id, now()));
      this.#succeeded();
      this.#refused = 0;
      log.info({ signups: signups.length }, 'sent in bulk');
    } catch (error) {
      await this.#batchFailed(id, signups, error);
    } finally {
      this.#sending.delete(id);
      this.#nextLook = Math.min(this.#nextLook, now());
    }
  }

  /** In parts, between which posts get their answers. */
  async #fillBatch(id: string, body: BatchBody, signups: ClaimedSignup[]): Promise<void> {
    const { store, forms, publicationId, stopping } = this.#options;
    while (signups.length < largestBatch && !stopping.aborted) {
      const part = await store.claim({ ...this.#claim(claimedAtOnce), batch: { id, publicationId } });
      const left = part.filter((signup) => {
        const form = forms[signup.form];
        const fits = form !== undefined && body.add(signup, form);
        if (fits) signups.push(signup);
        return !fits;
      });
      if (left.length > 0) await store.release(left.map((signup) => signup.id));
      if (left.length > 0 || part.length < claimedAtOnce) return;
    }
  }

  async #batchFailed(id: string, signups: readonly ClaimedSignup[], error: unknown): Promise<void> {
    const { store, persistence, log, onEvent, now, secrets, health } = this.#options;
    // The store failed while signups were claimed; it is tried again.
    if (!isOfTheApi(error)) return health.failed('claim', error);
    const verdict = judge(error, secrets);
    const refused = verdict.kind === 'dead' || (verdict.kind === 'wait' && mayNotRead(error, signups));
    if (refused) this.#avoidBulk();
    if (refused && signups.length > 0)
      log.warn({ reason: verdict.reason, signups: signups.length }, 'refused in bulk; each goes alone');
    if (verdict.kind === 'wait' && !refused) {
      this.#failed(verdict);
      for (const { form } of signups) onEvent({ type: 'retryScheduled', form, cause: verdict.cause });
      // Whether it arrived is for the walk to say.
      if (verdict.tried && signups.length > 0) await persistence.write(() => store.batchSent(id, now()));
      if (verdict.tried || signups.length === 0) return;
      await persistence.write(() => store.release(signups.map((signup) => signup.id)));
    }
    const at = now();
    const outcome = { state: 'waiting', at, nextAttemptAt: at, reason: verdict.reason, tried: false } as const;
    await persistence.write(() => store.endBatch(id, outcome));
  }

  /** An API that takes no bulk creation is not asked for it all the time. */
  #avoidBulk(): void {
    this.#nextCount = this.#options.now() + Math.min(longestWithoutBulkMs, countEveryMs * 2 ** this.#refused);
    this.#refused += 1;
    this.#inBulk = false;
  }

  async #confirm(): Promise<void> {
    const { now, log, secrets, health, patience, random } = this.#options;
    try {
      this.#nextLook = (await this.#confirmation.run(this.#sending)) ?? Number.POSITIVE_INFINITY;
      // An interrupted batch is part of the backlog again.
      if (this.#refused === 0) this.#nextCount = now();
    } catch (error) {
      this.#nextLook = now() + patience.firstMs;
      if (!isOfTheApi(error)) return health.failed('claim', error);
      const verdict = judge(error, secrets);
      if (verdict.kind === 'wait' && verdict.aborted) return;
      log.warn({ reason: verdict.reason }, 'the list of subscriptions cannot be read to confirm what was sent in bulk');
      if (verdict.kind === 'wait') {
        this.#failed(verdict);
        this.#nextLook = now() + backoff(3, verdict.askedMs, patience, random);
      } else this.#nextLook = now() + patience.longestMs;
    }
  }

  async #deliver(signup: ClaimedSignup): Promise<void> {
    const { store, persistence, log: laneLog, onEvent, tracing, now, secrets, patience, random } = this.#options;
    const { id } = signup;
    const attempt = signup.attempts + 1;
    const span = tracing.delivery(signup, attempt);
    const log = laneLog.child({ signup: id, attempt, ...span.logFields });
    try {
      const warnings = await spanning(span, () => this.#send(signup, span));
      this.#succeeded();
      await persistence.write(() => store.settle([id], { state: 'delivered', at: now() }));
      const waitedMs = now() - signup.receivedAt;
      log.info({ waitedMs }, 'delivered');
      onEvent({ type: 'delivered', form: signup.form, waitedMs });
      if (warnings.length > 0) log.warn({ warnings }, 'the API left out parts of this signup; check the custom fields');
    } catch (error) {
      const verdict = judge(error, secrets);
      const { reason } = verdict;
      if (verdict.kind === 'dead') {
        await persistence.write(() => store.settle([id], { state: 'dead', at: now(), reason }));
        log.error({ reason }, 'refused for good; kept as a dead letter');
        onEvent({ type: 'deadLetter', signup: id, form: signup.form, reason });
        return;
      }
      const { tried, aborted, cause } = verdict;
      if (!aborted) this.#failed(verdict);
      const nextAttemptAt = aborted ? now() : now() + backoff(attempt, verdict.askedMs, patience, random);
      log.debug({ reason, nextAttemptAt }, 'not delivered; it will be tried again');
      if (!aborted) onEvent({ type: 'retryScheduled', form: signup.form, cause });
      await persistence.write(() => store.settle([id], { state: 'waiting', at: now(), nextAttemptAt, reason, tried }));
    }
  }

  /**
   * A repetition looks first: where the subscription was created since the signup came in, the earlier attempt has
   * arrived. It never reactivates a subscription: the person may have unsubscribed since.
   */
  async #send(signup: ClaimedSignup, span: Span): Promise<readonly { message: string; code: string }[]> {
    const { client, forms, tracing, publicationId } = this.#options;
    const { submission, tried, receivedAt } = signup;
    const options = {
      ...this.#callOptions,
      // Repetitions, of which there may be thousands, leave the quota to visitors who are waiting.
      background: tried || !this.#isFresh(signup),
    };
    const created = tried ? await this.#createdAt(submission.email, options, span) : null;
    if (created !== null && created >= receivedAt - skewMs) return [];
    const request = toSubscriptionRequest(signup, forms[signup.form]);
    // Who was subscribed before may have the welcome mail of the earlier attempt.
    const changes = created === null ? {} : { send_welcome_email: false };
    const { warnings } = await tracing.call(span, 'subscriptions.create', (extraHeaders) =>
      client.subscriptions.create({ publicationId, ...request, ...changes }, { ...options, extraHeaders }),
    );
    return (warnings ?? []).map(({ message, code }) => ({ message, code }));
  }

  /** When the subscription of this address was created, in milliseconds since the Unix epoch; null without one. */
  async #createdAt(
    email: string,
    options: Parameters<Client['subscriptions']['list']>[1],
    span: Span,
  ): Promise<number | null> {
    const { client, tracing, publicationId } = this.#options;
    try {
      const { items } = await tracing.call(span, 'subscriptions.list', (extraHeaders) =>
        client.subscriptions.list({ publicationId, email, limit: 1 }, { ...options, extraHeaders }),
      );
      return items[0] ? items[0].created * 1000 : null;
    } catch (error) {
      // A key that may create and not read: the repetition changes nothing about a subscription that is there.
      if (error instanceof ApiError && error.status === 403) return null;
      throw error;
    }
  }

  /** No repetition by the client: a longer pause is waited out by the lane, where everybody can see it. */
  get #callOptions() {
    const { patience, givenUp } = this.#options;
    return { signal: givenUp, retry: { retries: 0, maxRetryAfterMs: patience.longestAskedMs } };
  }

  /** Whether its visitor may still be waiting for a mail. */
  #isFresh({ receivedAt }: ClaimedSignup): boolean {
    return this.#options.now() - receivedAt <= freshMs;
  }

  #succeeded(): void {
    this.#options.keyHold.succeeded();
    this.#options.publicationHold.succeeded();
  }

  #failed(verdict: WaitVerdict): void {
    const { keyHold, publicationHold } = this.#options;
    if (verdict.holds === 'publication') publicationHold.pause(verdict);
    else if (verdict.holds === 'key') keyHold.pause(verdict);
    else keyHold.suspect(verdict);
  }
}

/** Whether the list of subscriptions, not the bulk creation, was refused to the key. */
function mayNotRead(error: unknown, signups: readonly ClaimedSignup[]): boolean {
  return error instanceof ApiError && error.status === 403 && signups.length === 0;
}

/** Whether a failure is the API's; otherwise it is the store's. */
function isOfTheApi(error: unknown): boolean {
  return !(error instanceof StoreUnavailableError);
}
