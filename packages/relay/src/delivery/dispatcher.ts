/** Brings kept signups to the API: takes what is due, a few at a time, and waits as long as it must. */
import type { Client } from '@newsletter-kit/core';
import type { Form } from '../admission/form.ts';
import type { Notice } from '../ops/happening.ts';
import type { Log } from '../ops/log.ts';
import type { StoreHealth } from '../ops/store-health.ts';
import type { ClaimedSignup, SignupStore } from '../store/signup-store.ts';
import { backoff, defaultPatience, type Patience } from './backoff.ts';
import { Batches } from './batches.ts';
import { Bell } from './bell.ts';
import type { BulkOptions } from './bulk.ts';
import { Flow } from './flow.ts';
import { Ledger, storePauseMs } from './ledger.ts';
import { toSubscriptionRequest } from './subscription-request.ts';
import { UnderWay } from './under-way.ts';
import { judge } from './verdict.ts';

/** What a {@link Dispatcher} is made of. */
export interface DispatcherOptions {
  readonly store: SignupStore;
  readonly health: StoreHealth;
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

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #patience: Patience;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #notice: Notice;
  readonly #bell = new Bell();
  readonly #stop = new AbortController();
  readonly #giveUp = new AbortController();
  readonly #flow: Flow;
  readonly #ledger: Ledger;
  readonly #single = new UnderWay(() => this.#bell.ring());
  readonly #batches: Batches | null;
  #loop: Promise<void> | null = null;

  constructor(options: DispatcherOptions) {
    const { store, health, log, bulk } = options;
    this.#options = options;
    this.#patience = { ...defaultPatience, ...options.patience };
    this.#now = options.now ?? Date.now;
    this.#random = options.random ?? Math.random;
    this.#notice = options.notice ?? (() => {});
    this.#flow = new Flow({
      log,
      notice: this.#notice,
      patience: this.#patience,
      now: this.#now,
      random: this.#random,
    });
    this.#ledger = new Ledger({ store, health, stopping: this.#stop.signal });
    this.#batches =
      bulk &&
      new Batches({
        ...options,
        bulk,
        longestAskedMs: this.#patience.longestAskedMs,
        notice: this.#notice,
        now: this.#now,
        flow: this.#flow,
        ledger: this.#ledger,
        stopping: this.#stop.signal,
        givenUp: this.#giveUp.signal,
        ended: () => this.#bell.ring(),
      });
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Says that something new may be due. */
  wake(): void {
    this.#bell.ring();
  }

  /**
   * Takes nothing more, lets what is under way end within `graceMs`, then gives up on it. What was given up stays
   * waiting and is sent again at the next start: the API may have it, but twice is better than never.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stop.abort();
    this.#bell.ring();
    await this.#loop;
    const timer = setTimeout(() => this.#giveUp.abort(), graceMs);
    await Promise.all([this.#single.end(), this.#batches?.end()]);
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      // Nobody is asked for what may not be sent yet: signups that come in ring the bell, and the store has them to
      // keep.
      const held = this.#flow.heldUntil - this.#now();
      if (held > 0) {
        await this.#bell.wait(Math.min(held, longestSleepMs));
        continue;
      }
      try {
        const paused = await this.#options.store.paused();
        if (!paused) await this.#takeDue();
        const untilNext = paused ? null : await this.#untilNext();
        this.#options.health.works('claim');
        await this.#bell.wait(this.#atMost(untilNext));
      } catch (error) {
        this.#options.health.failed('claim', error);
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
    // A delivery may have failed since the loop looked.
    if (now < this.#flow.heldUntil) return;
    await this.#batches?.take(now);
    const free = this.#limit() - this.#single.size;
    if (free <= 0) return;
    for (const signup of await this.#options.store.claim(free, now)) this.#single.add(this.#deliver(signup));
  }

  /** While the API fails, one signup at a time feels the way. */
  #limit(): number {
    return this.#flow.fails ? 1 : (this.#options.concurrency ?? 5);
  }

  async #untilNext(): Promise<number | null> {
    if (this.#single.size >= this.#limit()) return null;
    const dueAt = await this.#options.store.nextDueAt(this.#now());
    if (dueAt === null) return null;
    return Math.min(longestSleepMs, dueAt - this.#now());
  }

  async #deliver(signup: ClaimedSignup): Promise<void> {
    const { id } = signup;
    const log = this.#options.log.child({ signup: id, attempt: signup.attempts + 1 });
    try {
      const warnings = await this.#send(signup);
      this.#flow.succeeded();
      await this.#ledger.settle([id], { state: 'delivered', at: this.#now() });
      const waitedMs = this.#now() - signup.receivedAt;
      log.info({ waitedMs }, 'delivered');
      this.#notice({ what: 'delivered', form: signup.form, waitedMs });
      if (warnings.length > 0) log.warn({ warnings }, 'the API left out parts of this signup; check the custom fields');
    } catch (error) {
      const verdict = judge(error, this.#options.secrets);
      if (verdict.kind === 'aborted') return this.#options.store.release([id]);
      if (verdict.kind === 'dead') {
        await this.#ledger.settle([id], { state: 'dead', at: this.#now(), reason: verdict.reason });
        log.error({ reason: verdict.reason }, 'refused for good; kept as a dead letter');
        this.#notice({ what: 'dead', signup: id, form: signup.form, reason: verdict.reason });
        return;
      }
      this.#flow.stall(verdict);
      const nextAttemptAt = this.#now() + backoff(signup.attempts + 1, verdict.askedMs, this.#patience, this.#random);
      log.debug({ reason: verdict.reason, nextAttemptAt }, 'not delivered; it will be tried again');
      this.#notice({ what: 'putOff', trouble: verdict.trouble });
      await this.#ledger.settle([id], { state: 'waiting', at: this.#now(), nextAttemptAt, reason: verdict.reason });
    }
  }

  async #send({ form: name, submission }: ClaimedSignup): Promise<readonly { message: string; code: string }[]> {
    const form = this.#options.forms[name];
    if (!form) throw new Error(`The form "${name}" is no longer in the configuration: add it again, and restart.`);
    const request = toSubscriptionRequest(submission, form.pinned);
    const { warnings } = await this.#options.client.subscriptions.create(
      { publicationId: form.publicationId, ...request },
      // A longer pause than it may ask for is waited out here, where everybody can see it.
      { signal: this.#giveUp.signal, retry: { retries: 0, maxRetryAfterMs: this.#patience.longestAskedMs } },
    );
    return (warnings ?? []).map(({ message, code }) => ({ message, code }));
  }
}
