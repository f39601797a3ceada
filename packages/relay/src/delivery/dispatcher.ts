/** Delivers stored signups to the API, in one lane per publication and API key. */
import type { Client } from '@newsletter-kit/core';
import type { Form } from '../admission/form.ts';
import type { EventListener } from '../ops/events.ts';
import type { StoreHealth } from '../ops/health.ts';
import type { Log } from '../ops/log.ts';
import { noTracing, type Tracing } from '../ops/tracing.ts';
import type { SignupStore } from '../store/signup-store.ts';
import { defaultPatience, type Patience } from './backoff.ts';
import type { BulkOptions } from './bulk-delivery.ts';
import { ApiCircuits, CircuitBreaker } from './circuit-breaker.ts';
import { Lane } from './lane.ts';
import { StoreWriter } from './loop.ts';
import type { Retry } from './retry-decision.ts';

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
  /** Records traces. Default: no tracing. */
  readonly tracing?: Tracing | undefined;
  /** Removed from every reason and from the log. */
  readonly secrets: readonly string[];
  /** Maximum number of single deliveries in flight per lane. Default 5, as the service advises. */
  readonly concurrency?: number | undefined;
  readonly patience?: Partial<Patience> | undefined;
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
    const { onEvent = () => {}, tracing = noTracing } = options;
    const shared = {
      ...options,
      onEvent,
      tracing,
      concurrency,
      patience: { ...defaultPatience, ...options.patience },
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
    patience,
    now,
    random,
    log,
    onEvent,
  }: {
    readonly patience: Patience;
    readonly now: () => number;
    readonly random: () => number;
    readonly log: Log;
    readonly onEvent: EventListener;
  },
): (apiKey: string, publicationId: string) => ApiCircuits {
  const circuitOf = (scope: string, affected: readonly Form[]): CircuitBreaker<Retry> =>
    new CircuitBreaker({
      patience,
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
