/**
 * Delivers stored signups to the API, in one lane per publication and API key. A lane delivers each signup alone, or in
 * bulk while there is a backlog; lanes run independently of each other.
 */
import type { Client } from '@newsletter-kit/core';
import { isUnconfirmed } from '@newsletter-kit/core/facts';
import type { Form } from '../config/form.ts';
import type { RelayContext } from '../context.ts';
import { toldCircuit } from '../circuits.ts';
import { ApiCircuits, type CircuitBreaker } from '../queue/circuit-breaker.ts';
import { ClaimSize } from '../queue/claim-size.ts';
import { QueueGroup } from '../queue/group.ts';
import { defaultBackoff, type BackoffOptions, type Retry } from '../queue/retry.ts';
import { type InFlight, QueueWorker } from '../queue/worker.ts';
import { earliest } from '../store/overview.ts';
import { claimMs } from '../store/signup-store.ts';
import { BulkDelivery, type BulkOptions } from './bulk-delivery.ts';
import { callOptions, clockSkewMs, type DeliveryLane } from './lane.ts';
import { callsOf, mostCalls, SingleDelivery } from './single-delivery.ts';
import { lookUp, SecondLook } from './status.ts';

/** How far apart second questions are, in milliseconds. */
const lookEveryMs = 60_000;

/** For how long it is looked, after a person has left whose signup is on its way, in milliseconds. */
const looksForMs = 86_400_000;

/** How long a click waits for the status before it, in milliseconds. */
const clickMs = 2000;

/** Options of {@link DeliveryQueue}. */
export interface DeliveryQueueOptions {
  /** Maximum number of single deliveries in flight per lane. Default 5, as the service advises. */
  readonly concurrency?: number | undefined;
  readonly backoff?: Partial<BackoffOptions> | undefined;
  /** When signups are delivered in bulk; null: never. Default: as configured. */
  readonly bulk?: BulkOptions | null | undefined;
}

export class DeliveryQueue extends QueueGroup {
  readonly #lanes: readonly Lane[];

  /** @param clientOf - creates the client of an API key */
  constructor(
    context: RelayContext,
    clientOf: (apiKey: string) => Client,
    { concurrency = 5, backoff: waits, bulk = bulkOf(context) }: DeliveryQueueOptions = {},
  ) {
    const backoff = { ...defaultBackoff, ...waits };
    const forms = Object.values(context.config.forms);
    const circuitsOf = apiCircuits(context, backoff);
    const clients = memoize(clientOf);
    const groups = Map.groupBy(forms, ({ publicationId, apiKey }) => JSON.stringify([publicationId, apiKey]));
    const lanes = [...groups.values()].map((group) => {
      const [{ publicationId, apiKey } = { publicationId: '', apiKey: '' }] = group;
      const lane = {
        context,
        publicationId,
        forms: Object.fromEntries(group.map((form) => [form.name, form])),
        client: clients(apiKey),
        circuits: circuitsOf(apiKey, publicationId),
        backoff,
      };
      return new Lane(lane, concurrency, bulk);
    });
    super(lanes.map(({ worker }) => worker));
    this.#lanes = lanes;
    context.events.on({
      accepted: ({ needsConfirmation }) => {
        if (!needsConfirmation) this.wake();
      },
      confirmed: () => this.wake(),
    });
  }

  /** Status of the subscription of an address, for a click that waits for it; null if it is unknown. */
  async statusOf(form: string, email: string): Promise<string | null> {
    return (await this.#lanes.find((lane) => lane.has(form))?.statusOf(email)) ?? null;
  }

  /** Whether the key of a form can unsubscribe a person who leaves. */
  async mayLeave(form: string): Promise<boolean> {
    return (await this.#lanes.find((lane) => lane.has(form))?.mayLeave()) ?? false;
  }

  /** Records a failure for the key or publication of a form, as a failed attempt would. */
  refused(form: string, failure: Retry): void {
    this.#lanes.find((lane) => lane.has(form))?.recordFailure(failure);
  }
}

function bulkOf({ config: { delivery } }: RelayContext): BulkOptions | null {
  return delivery.bulkAbove === null ? null : { above: delivery.bulkAbove };
}

/** One circuit breaker per API key and one per publication; lanes with the same key or publication share it. */
function apiCircuits(
  context: RelayContext,
  backoff: BackoffOptions,
): (apiKey: string, publicationId: string) => ApiCircuits {
  const forms = Object.values(context.config.forms);
  const circuitOf = (scope: string, affected: readonly Form[]): CircuitBreaker<Retry> =>
    toldCircuit<Retry>(context, {
      what: 'api',
      scope,
      forms: affected.map(({ name }) => name),
      backoff,
      words: ['the API takes no signups; they are kept and wait', 'the API takes signups again'],
      facts: (failure) => ({ scope, ...(failure && { cause: failure.cause }) }),
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

/** The signups of one publication and API key. Aborted ones wait, and are looked up before the next attempt. */
class Lane {
  readonly worker: QueueWorker;
  readonly #lane: DeliveryLane;
  readonly #forms: readonly string[];
  readonly #concurrency: number;
  readonly #claims: ClaimSize;
  /** The single deliveries in flight. */
  readonly #singles: InFlight;
  readonly #single: SingleDelivery;
  readonly #bulk: BulkDelivery;
  readonly #looks: InFlight;
  readonly #secondLook: SecondLook;
  /** When it is next looked whether a second question is due; at the start, for those that an earlier process left. */
  #nextLookAt = 0;
  /** Until when it is looked even though nothing is known to be due. */
  #looksUntil = 0;
  /** The time of the last run, by which a clock that was set back is noticed. */
  #lastNow = 0;

  constructor(shared: Omit<DeliveryLane, 'worker'>, concurrency: number, bulk: BulkOptions | null) {
    const { context, circuits } = shared;
    this.worker = new QueueWorker(context, {
      openForMs: () => circuits.openForMs,
      startDue: async () => {
        if (await context.store.paused()) return null;
        await this.#startDue();
        return this.#untilNextMs();
      },
    });
    this.#lane = { ...shared, worker: this.worker };
    this.#forms = Object.keys(shared.forms);
    this.#concurrency = concurrency;
    this.#claims = new ClaimSize(concurrency, context.log);
    this.#singles = this.worker.inFlight.part();
    this.#single = new SingleDelivery(this.#lane);
    this.#bulk = new BulkDelivery(this.#lane, bulk);
    this.#looks = this.worker.inFlight.part();
    this.#secondLook = new SecondLook(this.#lane);
    context.events.on({
      // The store knows when: it is read where nothing else is known to be due.
      delivered: ({ form, status }) => {
        if (isUnconfirmed(status) && this.has(form) && !Number.isFinite(this.#nextLookAt)) this.#nextLookAt = 0;
      },
      left: ({ form, isDelivered }) => {
        if (!this.has(form)) return;
        this.#nextLookAt = 0;
        // Another process, or a batch, may be about to deliver it.
        if (!isDelivered) this.#looksUntil = context.now() + looksForMs;
        this.worker.wake();
      },
    });
  }

  /** Whether it delivers the signups of this form. */
  has(form: string): boolean {
    return this.#forms.includes(form);
  }

  /** Null also where the API does not answer at once: nobody waits for it longer. */
  async statusOf(email: string): Promise<string | null> {
    const { circuits, context } = this.#lane;
    if (circuits.isFailing || !(await context.calls.take(1))) return null;
    const options = { ...callOptions(this.#lane), timeoutMs: clickMs };
    const record = await lookUp(this.#lane, email, options).catch(() => null);
    return record?.status ?? null;
  }

  mayLeave(): Promise<boolean> {
    return this.#secondLook.mayLeave();
  }

  /** Records a failure that was met outside of a delivery. */
  recordFailure(failure: Retry): void {
    this.#lane.circuits.recordFailure(failure);
  }

  /** While the API fails, one signup at a time is tried. */
  get #limit(): number {
    return this.#lane.circuits.isFailing ? 1 : this.#concurrency;
  }

  async #startDue(): Promise<void> {
    const { context, circuits } = this.#lane;
    // An attempt may have failed since the loop checked.
    if (circuits.openForMs > 0) return;
    await this.#checkClock();
    if (await this.#bulk.hasBacklog()) await this.#bulk.startBatch();
    else {
      const claim = (limit: number) => context.store.claim({ forms: this.#forms, limit, now: context.now() });
      const free = this.#limit - this.#singles.size;
      for (const signup of await context.calls.claim(free, this.#claims.limited(claim), mostCalls, callsOf))
        this.#singles.add(this.#single.deliver(signup));
    }
    this.#bulk.startConfirmation();
    if (circuits.openForMs === 0 && this.#singles.size < this.#limit && !this.#bulk.isSending) await this.#look();
  }

  /** Asks once more about what was still open, a minute apart: one page of the list answers for many. */
  async #look(): Promise<void> {
    const { now } = this.#lane.context;
    if (this.#looks.size > 0 || now() < this.#nextLookAt) return;
    // A delivery may lower it while the store is read.
    this.#nextLookAt = Number.POSITIVE_INFINITY;
    const dueAt = (await this.#secondLook.nextAt()) ?? Number.POSITIVE_INFINITY;
    const isDue = dueAt <= now();
    const latest = now() < this.#looksUntil ? now() + claimMs : Number.POSITIVE_INFINITY;
    this.#nextLookAt = Math.min(this.#nextLookAt, isDue ? now() + lookEveryMs : dueAt, latest);
    if (isDue) this.#looks.add(this.#secondLook.run());
  }

  /** After the clock was set back, makes due what would otherwise wait until the old time. */
  async #checkClock(): Promise<void> {
    const { context, backoff } = this.#lane;
    const { store, now } = context;
    const at = now();
    if (at < this.#lastNow - clockSkewMs) {
      this.#bulk.clockWasSetBack(at);
      await store.pullForward(at, 2 * backoff.maxRetryAfterMs);
    }
    this.#lastNow = at;
  }

  /** Milliseconds until something is due; null if unknown. */
  async #untilNextMs(): Promise<number | null> {
    const { context, backoff } = this.#lane;
    const { store, now } = context;
    if (this.#bulk.isSending || this.#singles.size >= this.#limit) return null;
    let nextDueAt = await store.nextDueAt(this.#forms);
    // Nothing waits for so long: the clock was set back, perhaps while this process did not run.
    if (nextDueAt !== null && nextDueAt - now() > 2 * backoff.maxRetryAfterMs) {
      await store.pullForward(now(), 2 * backoff.maxRetryAfterMs);
      nextDueAt = now();
    }
    const nextLookAt = this.#looks.size === 0 && Number.isFinite(this.#nextLookAt) ? this.#nextLookAt : null;
    const next = earliest([nextDueAt, this.#bulk.nextConfirmationAt, nextLookAt]);
    return next === null ? null : next - now();
  }
}
