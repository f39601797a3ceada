/** Brings kept signups to the API: takes what is due, a few at a time, and waits as long as it must. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@newsletter-kit/core';
import type { Form } from '../admission/form.ts';
import type { Notice } from '../ops/happening.ts';
import type { Log } from '../ops/log.ts';
import { StoreUnavailableError, type ClaimedSignup, type Outcome, type SignupStore } from '../store/signup-store.ts';
import { backoff, defaultPatience, type Patience } from './backoff.ts';
import { Bell } from './bell.ts';
import { arrived, largestBatch, toBatch, type Batch, type BulkOptions } from './bulk.ts';
import { toSubscriptionRequest } from './subscription-request.ts';
import { judge, type Verdict } from './verdict.ts';

/** What a {@link Dispatcher} is made of. */
export interface DispatcherOptions {
  readonly store: SignupStore;
  readonly client: Client;
  readonly forms: Readonly<Record<string, Form>>;
  readonly log: Log;
  /** Told what happens. Default: nobody. */
  readonly notice?: Notice | undefined;
  /** Never written into a reason or the log. */
  readonly secrets: readonly string[];
  /** Most deliveries at a time. Default 5, what the service advises. */
  readonly concurrency?: number | undefined;
  readonly patience?: Partial<Patience> | undefined;
  /** Null lets every signup go alone. */
  readonly bulk: BulkOptions | null;
  readonly now?: (() => number) | undefined;
  readonly random?: (() => number) | undefined;
}

/** Longest sleep of the loop: a clock that was set back must not put anything off for longer. */
const longestSleepMs = 60_000;

/** Longest sleep where other processes bring signups too, or give back what one of them had claimed. */
const askSharedMs = 1000;

/** How often is looked whether a backlog has grown. */
const backlogMs = 5000;

/** Looks at who of a batch has arrived. */
const looks = 2;

const lookAfterMs = 30_000;

/** Wait after the store failed, in milliseconds. */
const storePauseMs = 1000;

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #patience: Patience;
  readonly #bulk: BulkOptions | null;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #notice: Notice;
  readonly #bell = new Bell();
  readonly #inFlight = new Set<Promise<void>>();
  /** Bulk creations under way. */
  readonly #batches = new Set<Promise<void>>();
  /** Who looks out for the signups of an earlier batch. */
  readonly #lookouts = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #nextBacklogLook = 0;
  readonly #abort = new AbortController();
  #loop: Promise<void> | null = null;
  #stopping = false;
  /** Nothing is sent before this moment: one signup's 429 or outage is everybody's. */
  #holdUntil = 0;
  /** Failures since the last success, counted once per hold. */
  #failures = 0;
  #trouble: string | null = null;
  /** What the store failed at when it was last asked. */
  readonly #storeFails = new Set<'take' | 'settle'>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#patience = { ...defaultPatience, ...options.patience };
    this.#bulk = options.bulk;
    this.#now = options.now ?? Date.now;
    this.#random = options.random ?? Math.random;
    this.#notice = options.notice ?? (() => {});
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Says that something new may be due. */
  wake(): void {
    this.#bell.ring();
  }

  /**
   * Takes nothing more, lets what is under way end within `graceMs`, then gives up on it. What was given up stays waiting
   * and is sent again at the next start: the API may have it, but twice is better than never.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#stop.abort();
    this.#bell.ring();
    await this.#loop;
    const timer = setTimeout(() => this.#abort.abort(), graceMs);
    await Promise.all([...this.#inFlight, ...this.#batches, ...this.#lookouts]);
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      try {
        const paused = await this.#options.store.paused();
        if (!paused) await this.#takeDue();
        const untilNext = paused ? null : await this.#untilNext();
        this.#storeWorks('take');
        await this.#bell.wait(this.#atMost(untilNext));
      } catch (error) {
        this.#storeFailed('take', error);
        await this.#bell.wait(storePauseMs);
      }
    }
  }

  /** What other processes do rings no bell. */
  #atMost(ms: number | null): number | null {
    if (!this.#options.store.shared) return ms;
    return Math.min(ms ?? askSharedMs, askSharedMs);
  }

  async #takeDue(): Promise<void> {
    const now = this.#now();
    if (now < this.#holdUntil) return;
    await this.#takeBatch(now);
    const free = this.#limit() - this.#inFlight.size;
    if (free <= 0) return;
    for (const signup of await this.#options.store.claim(free, now)) this.#track(this.#inFlight, this.#deliver(signup));
  }

  #track(set: Set<Promise<void>>, work: Promise<void>): void {
    const tracked = work.finally(() => {
      set.delete(tracked);
      this.#bell.ring();
    });
    set.add(tracked);
  }

  /** Above a backlog, one batch after the other; a few go alone meanwhile, and show what the API says of them. */
  async #takeBatch(now: number): Promise<void> {
    const { store, forms } = this.#options;
    const bulk = this.#bulk;
    if (!bulk || this.#failures > 0 || this.#batches.size > 0 || now < this.#nextBacklogLook) return;
    if ((await store.backlog(bulk.above, now)) < bulk.above) {
      this.#nextBacklogLook = now + backlogMs;
      return;
    }
    const claimed = await store.claim(largestBatch, now);
    const batch = toBatch(claimed, forms, Math.min(bulk.above, largestBatch) / 2);
    const taken = new Set(batch?.signups);
    await store.release(claimed.filter((signup) => !taken.has(signup)).map(({ id }) => id));
    if (batch) this.#track(this.#batches, this.#deliverBatch(batch));
    else this.#nextBacklogLook = now + backlogMs;
  }

  /** While the API fails, one signup at a time feels the way. */
  #limit(): number {
    return this.#failures > 0 ? 1 : (this.#options.concurrency ?? 5);
  }

  async #untilNext(): Promise<number | null> {
    if (this.#inFlight.size >= this.#limit()) return null;
    const dueAt = await this.#options.store.nextDueAt(this.#now());
    if (dueAt === null) return null;
    return Math.min(longestSleepMs, Math.max(dueAt, this.#holdUntil) - this.#now());
  }

  async #deliver(signup: ClaimedSignup): Promise<void> {
    const { id } = signup;
    const log = this.#options.log.child({ signup: id, attempt: signup.attempts + 1 });
    try {
      const warnings = await this.#send(signup);
      this.#succeeded();
      await this.#settle(id, { state: 'delivered', at: this.#now() });
      const waitedMs = this.#now() - signup.receivedAt;
      log.info({ waitedMs }, 'delivered');
      this.#notice({ what: 'delivered', form: signup.form, waitedMs });
      if (warnings.length > 0) log.warn({ warnings }, 'the API left out parts of this signup; check the custom fields');
    } catch (error) {
      const verdict = judge(error, this.#options.secrets);
      if (verdict.kind === 'aborted') return this.#options.store.release([id]);
      if (verdict.kind === 'dead') {
        await this.#settle(id, { state: 'dead', at: this.#now(), reason: verdict.reason });
        log.error({ reason: verdict.reason }, 'refused for good; kept as a dead letter');
        this.#notice({ what: 'dead', signup: id, form: signup.form, reason: verdict.reason });
        return;
      }
      const nextAttemptAt = this.#putOff(signup, verdict);
      log.debug({ reason: verdict.reason, nextAttemptAt }, 'not delivered; it will be tried again');
      this.#notice({ what: 'putOff', trouble: verdict.trouble });
      await this.#settle(id, { state: 'waiting', at: this.#now(), nextAttemptAt, reason: verdict.reason });
    }
  }

  /**
   * A bulk creation answers before anything is created, and never tells what became of each. So all of them go on waiting,
   * and are settled as they are seen among the newest subscriptions; who is not seen goes alone, which harms nobody the API
   * has already.
   */
  async #deliverBatch(batch: Batch): Promise<void> {
    const { client, log } = this.#options;
    const sentAt = this.#now();
    try {
      const options = { signal: this.#abort.signal, retry: { retries: 0, maxRetryAfterMs: this.#patience.longestAskedMs }, timeoutMs: 120_000 };
      await client.subscriptions.bulkCreate({ publicationId: batch.publicationId, subscriptions: batch.subscriptions }, options);
    } catch (error) {
      return this.#batchFailed(batch, error);
    }
    this.#succeeded();
    log.info({ signups: batch.signups.length }, 'sent in bulk');
    const lookMs = this.#bulk?.lookAfterMs ?? lookAfterMs;
    await this.#putOffBatch(batch, this.#now() + (looks + 1) * lookMs, 'Sent in bulk; not seen at the API yet.');
    this.#track(this.#lookouts, this.#lookOut(batch, sentAt, lookMs));
  }

  async #batchFailed({ signups, ...batch }: Batch, error: unknown): Promise<void> {
    const { log, store, secrets } = this.#options;
    const verdict = judge(error, secrets);
    if (verdict.kind === 'dead') {
      log.warn({ reason: verdict.reason, signups: signups.length }, 'refused in bulk; each goes alone');
      return this.#putOffBatch({ signups, ...batch }, this.#now(), verdict.reason);
    }
    if (verdict.kind === 'wait') {
      this.#stall(verdict);
      this.#notice({ what: 'putOff', trouble: verdict.trouble });
    }
    await store.release(signups.map(({ id }) => id));
  }

  async #putOffBatch({ signups }: Batch, nextAttemptAt: number, reason: string): Promise<void> {
    await Promise.all(signups.map(({ id }) => this.#settle(id, { state: 'waiting', at: this.#now(), nextAttemptAt, reason })));
  }

  async #lookOut(batch: Batch, sentAt: number, lookMs: number): Promise<void> {
    const { client, log } = this.#options;
    let missing = batch;
    for (let look = 1; look <= looks && missing.signups.length > 0; look += 1) {
      await this.#pause(lookMs);
      if (this.#stopping) return;
      try {
        const seen = new Set(await arrived(client, missing, sentAt, this.#abort.signal));
        await Promise.all([...seen].map(({ id }) => this.#settle(id, { state: 'delivered', at: this.#now() })));
        for (const { form, receivedAt } of seen) this.#notice({ what: 'delivered', form, waitedMs: this.#now() - receivedAt });
        missing = { ...missing, signups: missing.signups.filter((signup) => !seen.has(signup)) };
        log.info({ delivered: seen.size, missing: missing.signups.length }, 'looked who has arrived');
      } catch (error) {
        // Nothing depends on it: who is not seen goes alone.
        log.warn({ reason: judge(error, this.#options.secrets).kind }, 'could not look who has arrived');
      }
    }
  }

  /** Ends early where delivery stops. */
  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }

  async #send({ form: name, submission }: ClaimedSignup): Promise<readonly { message: string; code: string }[]> {
    const form = this.#options.forms[name];
    if (!form) throw new Error(`The form "${name}" is no longer in the configuration: add it again, and restart.`);
    const request = toSubscriptionRequest(submission, form.pinned);
    const { warnings } = await this.#options.client.subscriptions.create(
      { publicationId: form.publicationId, ...request },
      // A longer pause than it may ask for is waited out here, where everybody can see it.
      { signal: this.#abort.signal, retry: { retries: 0, maxRetryAfterMs: this.#patience.longestAskedMs } },
    );
    return (warnings ?? []).map(({ message, code }) => ({ message, code }));
  }

  #succeeded(): void {
    this.#failures = 0;
    if (this.#trouble === null) return;
    this.#options.log.info('the API takes signups again');
    this.#notice({ what: 'flowing' });
    this.#trouble = null;
  }

  /** @returns when this signup is tried again */
  #putOff(signup: ClaimedSignup, verdict: Extract<Verdict, { kind: 'wait' }>): number {
    this.#stall(verdict);
    return this.#now() + backoff(signup.attempts + 1, verdict.askedMs, this.#patience, this.#random);
  }

  /** Holds everything back for a while. */
  #stall(verdict: Extract<Verdict, { kind: 'wait' }>): void {
    const now = this.#now();
    if (now >= this.#holdUntil) this.#failures += 1;
    const hold = now + backoff(this.#failures, verdict.askedMs, this.#patience, this.#random);
    this.#holdUntil = Math.max(this.#holdUntil, hold);
    if (verdict.trouble === this.#trouble) return;
    this.#trouble = verdict.trouble;
    const level = verdict.needsOperator ? 'error' : 'warn';
    this.#options.log[level]({ trouble: verdict.trouble, reason: verdict.reason }, 'the API takes no signups; they are kept and wait');
    this.#notice({ what: 'stalled', trouble: verdict.trouble, reason: verdict.reason, needsOperator: verdict.needsOperator });
  }

  /** The API has answered; if the store cannot write that down yet, sending again would be the wrong thing. */
  async #settle(id: string, outcome: Outcome): Promise<void> {
    for (;;) {
      try {
        await this.#options.store.settle(id, outcome);
        return this.#storeWorks('settle');
      } catch (error) {
        this.#storeFailed('settle', error);
        if (this.#stopping) return;
        await new Promise((resolve) => setTimeout(resolve, storePauseMs));
      }
    }
  }

  #storeWorks(at: 'take' | 'settle'): void {
    if (!this.#storeFails.delete(at) || this.#storeFails.size > 0) return;
    this.#options.log.info('the store works again');
    this.#notice({ what: 'storeWorks' });
  }

  #storeFailed(at: 'take' | 'settle', error: unknown): void {
    if (!(error instanceof StoreUnavailableError)) throw error;
    if (this.#storeFails.size === 0) {
      this.#options.log.error({ reason: error.message }, 'delivery pauses until the store works');
      this.#notice({ what: 'storeFailed', reason: error.message });
    }
    this.#storeFails.add(at);
  }
}
