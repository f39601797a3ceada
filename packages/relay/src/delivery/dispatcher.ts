/** Brings kept signups to the API: one lane for each publication and API key. */
import type { Client } from '@newsletter-kit/core';
import type { Form } from '../admission/form.ts';
import type { EventListener } from '../ops/events.ts';
import type { Log } from '../ops/log.ts';
import type { StoreHealth } from '../ops/health.ts';
import { noTracing, type Tracing } from '../ops/tracing.ts';
import type { SignupStore } from '../store/signup-store.ts';
import { defaultPatience, type Patience } from './backoff.ts';
import type { BulkOptions } from './batch.ts';
import { Hold } from './hold.ts';
import { Lane } from './lane.ts';
import { Persistence } from './persistence.ts';
import type { WaitVerdict } from './verdict.ts';

/** What a {@link Dispatcher} is made of. */
export interface DispatcherOptions {
  readonly store: SignupStore;
  readonly health: StoreHealth;
  /** Gives the client of an API key. */
  readonly clientOf: (apiKey: string) => Client;
  readonly forms: Readonly<Record<string, Form>>;
  readonly log: Log;
  /** Told what happens. Default: nobody. */
  readonly onEvent?: EventListener | undefined;
  /** Records traces. Default: none are. */
  readonly tracing?: Tracing | undefined;
  /** Never written into a reason or the log. */
  readonly secrets: readonly string[];
  /** Most deliveries at a time, of each lane. Default 5, what the service advises. */
  readonly concurrency?: number | undefined;
  readonly patience?: Partial<Patience> | undefined;
  /** When signups go in bulk; null: never. Default null. */
  readonly bulk?: BulkOptions | null | undefined;
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  readonly now?: (() => number) | undefined;
}

export class Dispatcher {
  readonly #lanes: readonly Lane[];
  readonly #stop = new AbortController();
  readonly #giveUp = new AbortController();

  constructor(options: DispatcherOptions) {
    const { health, log, clientOf, concurrency = 5, bulk = null, random = Math.random, now = Date.now } = options;
    const { onEvent = () => {}, tracing = noTracing } = options;
    const patience = { ...defaultPatience, ...options.patience };
    const persistence = new Persistence({ health, stopping: this.#stop.signal });
    const forms = Object.values(options.forms);
    const holdOf = (scope: string, of: readonly Form[]): Hold<WaitVerdict> =>
      new Hold({
        patience,
        now,
        random,
        onPause({ status, cause, reason, needsOperator }) {
          const level = needsOperator ? 'error' : 'warn';
          log[level]({ scope, cause, reason }, 'the API takes no signups; they are kept and wait');
          onEvent({
            type: 'circuitOpened',
            scope,
            forms: of.map(({ name }) => name),
            status,
            cause,
            reason,
            needsOperator,
          });
        },
        onResume() {
          log.info({ scope }, 'the API takes signups again');
          onEvent({ type: 'circuitClosed', scope });
        },
      });
    // The key itself is a secret: it goes by the name of the first form that has it.
    const keyHoldOf = once((apiKey) => {
      const of = forms.filter((form) => form.apiKey === apiKey);
      return holdOf(`API key of the form "${of[0]?.name ?? ''}"`, of);
    });
    const publicationHoldOf = once((id) =>
      holdOf(
        `publication ${id}`,
        forms.filter(({ publicationId }) => publicationId === id),
      ),
    );
    const keyOf = once(clientOf);
    const lanes = Map.groupBy(forms, ({ publicationId, apiKey }) => JSON.stringify([publicationId, apiKey]));
    this.#lanes = [...lanes.values()].map((group) => {
      const [{ publicationId, apiKey } = { publicationId: '', apiKey: '' }] = group;
      return new Lane({
        ...options,
        publicationId,
        forms: Object.fromEntries(group.map((form) => [form.name, form])),
        client: keyOf(apiKey),
        onEvent,
        tracing,
        concurrency,
        patience,
        bulk,
        random,
        now,
        keyHold: keyHoldOf(apiKey),
        publicationHold: publicationHoldOf(publicationId),
        persistence,
        stopping: this.#stop.signal,
        givenUp: this.#giveUp.signal,
      });
    });
  }

  start(): void {
    for (const lane of this.#lanes) lane.start();
  }

  /** Says that something new may be due. */
  wake(): void {
    for (const lane of this.#lanes) lane.wake();
  }

  /** Pauses what a form's key or publication concerns, as an attempt with this verdict does. */
  refused(form: string, verdict: WaitVerdict): void {
    this.#lanes.find((lane) => lane.has(form))?.refused(verdict);
  }

  /**
   * Begins nothing more, lets what is under way end within `graceMs`, then gives up on it. What was given up waits, and
   * the next start looks whether the API has it.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stop.abort();
    const timer = setTimeout(() => this.#giveUp.abort(), graceMs);
    await Promise.all(this.#lanes.map((lane) => lane.end()));
    clearTimeout(timer);
  }
}

/** Remembers what a function gave for each name. */
function once<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const value = make(name);
    made.set(name, value);
    return value;
  };
}
