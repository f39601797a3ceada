/**
 * Delivers stored signups to the API, in one lane per publication and API key. A lane delivers each signup alone, or in
 * bulk while there is a backlog; lanes run independently of each other.
 */
import type { Client } from '@newsletter-kit/core';
import type { Form } from '../config/form.ts';
import type { EventListener } from '../events.ts';
import type { StoreHealth } from '../health.ts';
import type { Log } from '../log.ts';
import { earliest } from '../store/overview.ts';
import type { Claim, SignupStore } from '../store/signup-store.ts';
import { defaultBackoff, type BackoffOptions, type Retry } from '../queue/retry.ts';
import { BulkDelivery, type BulkDeliveryOptions, type BulkOptions } from './bulk-delivery.ts';
import { ApiCircuits, CircuitBreaker } from '../queue/circuit-breaker.ts';
import {
  InFlight,
  type LoopGroup,
  type LoopOptions,
  runLoop,
  runUntilIdle,
  StoreWriter,
  WakeSignal,
} from '../queue/worker.ts';
import { clockSkewMs, SingleDelivery } from './single-delivery.ts';

/** Options of {@link Dispatcher}. */
export interface DispatcherOptions {
  readonly store: SignupStore;
  readonly health: StoreHealth;
  /** Creates the client of an API key. */
  readonly clientOf: (apiKey: string) => Client;
  readonly forms: Readonly<Record<string, Form>>;
  readonly log: Log;
  /** Receives every event. Default: none. */
  readonly onEvent?: EventListener | undefined;
  /** Removed from every reason and from the log. */
  readonly secrets: readonly string[];
  /** Maximum number of single deliveries in flight per lane. Default 5, as the service advises. */
  readonly concurrency?: number | undefined;
  readonly backoff?: Partial<BackoffOptions> | undefined;
  /** When signups are delivered in bulk; null: never. Default null. */
  readonly bulk?: BulkOptions | null | undefined;
  /** Random number from 0 to 1, for jitter. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  readonly now?: (() => number) | undefined;
}

export class Dispatcher {
  readonly #lanes: readonly Lane[];
  readonly #stop = new AbortController();
  readonly #giveUp = new AbortController();

  constructor(options: DispatcherOptions) {
    const { health, clientOf, concurrency = 5, bulk = null, random = Math.random, now = Date.now } = options;
    const { onEvent = () => {} } = options;
    const shared = {
      ...options,
      onEvent,
      concurrency,
      backoff: { ...defaultBackoff, ...options.backoff },
      bulk,
      random,
      now,
      writer: new StoreWriter({ health, stopping: this.#stop.signal }),
      stopping: this.#stop.signal,
      givenUp: this.#giveUp.signal,
    };
    const forms = Object.values(options.forms);
    const circuitsOf = apiCircuits(forms, shared);
    const clients = memoize(clientOf);
    const lanes = Map.groupBy(forms, ({ publicationId, apiKey }) => JSON.stringify([publicationId, apiKey]));
    this.#lanes = [...lanes.values()].map((group) => {
      const [{ publicationId, apiKey } = { publicationId: '', apiKey: '' }] = group;
      return new Lane({
        ...shared,
        publicationId,
        forms: Object.fromEntries(group.map((form) => [form.name, form])),
        client: clients(apiKey),
        circuits: circuitsOf(apiKey, publicationId),
      });
    });
  }

  start(): void {
    for (const lane of this.#lanes) lane.start();
  }

  /**
   * Delivers what is due, until nothing is in the whole group or `ending` aborts, and ends what is in flight.
   *
   * @returns when the next thing is due, in milliseconds since the Unix epoch; null if unknown
   */
  async deliver(ending: AbortSignal, group: LoopGroup): Promise<number | null> {
    return earliest(await Promise.all(this.#lanes.map((lane) => lane.deliver(ending, group))));
  }

  /** Wakes every lane: something new may be due. */
  wake(): void {
    for (const lane of this.#lanes) lane.wake();
  }

  /** Records a failure for the key or publication of a form, as a failed attempt would. */
  refused(form: string, failure: Retry): void {
    this.#lanes.find((lane) => lane.has(form))?.recordFailure(failure);
  }

  /**
   * Starts nothing more, gives deliveries in flight `graceMs` milliseconds to end, then aborts them. Aborted signups
   * wait, and are looked up at the API before the next attempt.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stop.abort();
    const timer = setTimeout(() => this.#giveUp.abort(), graceMs);
    await Promise.all(this.#lanes.map((lane) => lane.end()));
    clearTimeout(timer);
  }
}

/** One circuit breaker per API key and one per publication; lanes with the same key or publication share it. */
function apiCircuits(
  forms: readonly Form[],
  {
    backoff,
    now,
    random,
    log,
    onEvent,
  }: {
    readonly backoff: BackoffOptions;
    readonly now: () => number;
    readonly random: () => number;
    readonly log: Log;
    readonly onEvent: EventListener;
  },
): (apiKey: string, publicationId: string) => ApiCircuits {
  const circuitOf = (scope: string, affected: readonly Form[]): CircuitBreaker<Retry> =>
    new CircuitBreaker({
      backoff,
      now,
      random,
      onOpen({ status, cause, reason, needsOperator }) {
        const level = needsOperator ? 'error' : 'warn';
        log[level]({ scope, cause, reason }, 'the API takes no signups; they are kept and wait');
        const names = affected.map(({ name }) => name);
        onEvent({ type: 'circuitOpened', scope, forms: names, status, cause, reason, needsOperator });
      },
      onClose() {
        log.info({ scope }, 'the API takes signups again');
        onEvent({ type: 'circuitClosed', scope });
      },
    });
  // The key itself is a secret: messages name the first form that uses it.
  const ofKey = memoize((apiKey) => {
    const affected = forms.filter((form) => form.apiKey === apiKey);
    return circuitOf(`API key of the form "${affected[0]?.name ?? ''}"`, affected);
  });
  const ofPublication = memoize((id) =>
    circuitOf(
      `publication ${id}`,
      forms.filter(({ publicationId }) => publicationId === id),
    ),
  );
  return (apiKey, publicationId) => new ApiCircuits(ofKey(apiKey), ofPublication(publicationId));
}

/** Calls a function once per argument. */
function memoize<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const value = make(name);
    made.set(name, value);
    return value;
  };
}

/** Options of {@link Lane}. */
interface LaneOptions extends Omit<BulkDeliveryOptions, 'onEnd'> {
  /** Maximum number of single deliveries in flight. */
  readonly concurrency: number;
}

class Lane {
  readonly #options: LaneOptions;
  readonly #forms: readonly string[];
  readonly #wakeSignal = new WakeSignal();
  readonly #inFlight = new InFlight(() => this.#wakeSignal.notify());
  readonly #single: SingleDelivery;
  readonly #bulk: BulkDelivery;
  /** The time of the last run, by which a clock that was set back is noticed. */
  #lastNow = 0;
  #loop: Promise<unknown> | null = null;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#forms = Object.keys(options.forms);
    this.#single = new SingleDelivery(options);
    this.#bulk = new BulkDelivery({ ...options, onEnd: () => this.#wakeSignal.notify() });
  }

  start(): void {
    this.#loop ??= runLoop(this.#loopOptions());
  }

  /** See {@link Dispatcher.deliver}. */
  deliver(ending: AbortSignal, group: LoopGroup): Promise<number | null> {
    const onDemand = { group, isIdle: () => this.#inFlight.size === 0 && this.#bulk.isIdle };
    const inFlight = () => Promise.all([this.#inFlight.end(), this.#bulk.end()]);
    return runUntilIdle({ ...this.#loopOptions(), onDemand, inFlight }, ending, this.#options.now);
  }

  #loopOptions(): LoopOptions {
    const { stopping, health, store, circuits } = this.#options;
    return {
      wakeSignal: this.#wakeSignal,
      stopping,
      health,
      isShared: store.shared,
      openForMs: () => circuits.openForMs,
      startDue: async () => {
        if (await store.paused()) return null;
        await this.#startDue();
        return this.#untilNextMs();
      },
    };
  }

  /** Whether it delivers the signups of this form. */
  has(form: string): boolean {
    return Object.hasOwn(this.#options.forms, form);
  }

  /** Records a failure that was met outside of a delivery. */
  recordFailure(failure: Retry): void {
    this.#options.circuits.recordFailure(failure);
  }

  /** Wakes the loop: something new may be due. */
  wake(): void {
    this.#wakeSignal.notify();
  }

  /** Waits until nothing is in flight; `stopping` and `givenUp` must be aborted for that. */
  async end(): Promise<void> {
    this.#wakeSignal.notify();
    await this.#loop;
    await Promise.all([this.#inFlight.end(), this.#bulk.end()]);
  }

  /** While the API fails, one signup at a time is tried. */
  get #limit(): number {
    return this.#options.circuits.isFailing ? 1 : this.#options.concurrency;
  }

  async #startDue(): Promise<void> {
    const { store, circuits } = this.#options;
    // An attempt may have failed since the loop checked.
    if (circuits.openForMs > 0) return;
    await this.#checkClock();
    if (await this.#bulk.hasBacklog()) this.#bulk.startBatch();
    else {
      const free = this.#limit - this.#inFlight.size;
      const claimed = free > 0 ? await store.claim(this.#claim(free)) : [];
      for (const signup of claimed) this.#inFlight.add(this.#single.deliver(signup));
    }
    this.#bulk.startConfirmation();
  }

  /** After the clock was set back, makes due what would otherwise wait until the old time. */
  async #checkClock(): Promise<void> {
    const { store, backoff, now } = this.#options;
    const at = now();
    if (at < this.#lastNow - clockSkewMs) {
      this.#bulk.clockWasSetBack(at);
      await store.pullForward(at, 2 * backoff.maxRetryAfterMs);
    }
    this.#lastNow = at;
  }

  #claim(limit: number): Claim {
    return { forms: this.#forms, limit, now: this.#options.now() };
  }

  /** Milliseconds until something is due; null if unknown. */
  async #untilNextMs(): Promise<number | null> {
    const { store, backoff, now } = this.#options;
    if (this.#bulk.isSending || this.#inFlight.size >= this.#limit) return null;
    let nextDueAt = await store.nextDueAt(this.#forms);
    // Nothing waits for so long: the clock was set back, perhaps while this process did not run.
    if (nextDueAt !== null && nextDueAt - now() > 2 * backoff.maxRetryAfterMs) {
      await store.pullForward(now(), 2 * backoff.maxRetryAfterMs);
      nextDueAt = now();
    }
    const next = earliest([nextDueAt, this.#bulk.nextConfirmationAt]);
    return next === null ? null : next - now();
  }
}
