/**
 * Delivers stored signups to the API, in one lane per publication and API key. A lane delivers each signup alone, or in
 * bulk while there is a backlog; lanes run independently of each other.
 */
import type { Client } from '@newsletter-kit/core';
import { isUnconfirmed } from '@newsletter-kit/core/facts';
import type { Form } from '../config/form.ts';
import type { RelayContext } from '../context.ts';
import { toldCircuit } from '../circuits.ts';
import { type ApiCircuits, type CircuitBreaker, createApiCircuits } from '../queue/circuit-breaker.ts';
import { ClaimSize } from '../queue/claim-size.ts';
import { QueueGroup } from '../queue/group.ts';
import { defaultBackoff, type BackoffOptions, type Retry } from '../queue/retry.ts';
import { QueueWorker } from '../queue/worker.ts';
import { earliest } from '../store/overview.ts';
import { claimMs } from '../store/signup-store.ts';
import { type BulkOptions, createBulkDelivery } from './bulk-delivery.ts';
import { callOptions, clockSkewMs, type DeliveryLane } from './lane.ts';
import { callsOf, createSingleDelivery, mostCalls } from './single-delivery.ts';
import { createSecondLook, lookUp } from './status.ts';

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
  readonly #lanes: readonly ReturnType<typeof createLane>[];

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
        ...context,
        publicationId,
        forms: Object.fromEntries(group.map((form) => [form.name, form])),
        client: clients(apiKey),
        circuits: circuitsOf(apiKey, publicationId),
        backoff,
      };
      return createLane(lane, concurrency, bulk);
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
  return (apiKey, publicationId) => createApiCircuits(ofKey(apiKey), ofPublication(publicationId));
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
function createLane(shared: Omit<DeliveryLane, 'worker'>, concurrency: number, bulkOptions: BulkOptions | null) {
  const { store, calls, log, events, now, circuits, backoff } = shared;
  const forms = Object.keys(shared.forms);
  const worker = new QueueWorker(shared, {
    openForMs: () => circuits.openForMs,
    async startDue() {
      if (await store.paused()) return null;
      await startDue();
      return untilNextMs();
    },
  });
  const lane: DeliveryLane = { ...shared, worker };
  const claims = new ClaimSize(concurrency, log);
  /** The single deliveries in flight. */
  const singles = worker.inFlight.part();
  const looks = worker.inFlight.part();
  const single = createSingleDelivery(lane);
  const bulk = createBulkDelivery(lane, bulkOptions);
  const secondLook = createSecondLook(lane);
  /** When it is next looked whether a second question is due; at the start, for those that an earlier process left. */
  let nextLookAt = 0;
  /** Until when it is looked even though nothing is known to be due. */
  let looksUntil = 0;
  /** The time of the last run, by which a clock that was set back is noticed. */
  let lastNow = 0;
  events.on({
    // The store knows when: it is read where nothing else is known to be due.
    delivered: ({ form, status }) => {
      if (isUnconfirmed(status) && has(form) && !Number.isFinite(nextLookAt)) nextLookAt = 0;
    },
    left: ({ form, isDelivered }) => {
      if (!has(form)) return;
      nextLookAt = 0;
      // Another process, or a batch, may be about to deliver it.
      if (!isDelivered) looksUntil = now() + looksForMs;
      worker.wake();
    },
  });

  /** Whether it delivers the signups of this form. */
  function has(form: string): boolean {
    return forms.includes(form);
  }

  /** While the API fails, one signup at a time is tried. */
  const limit = (): number => (circuits.isFailing ? 1 : concurrency);

  async function startDue(): Promise<void> {
    // An attempt may have failed since the loop checked.
    if (circuits.openForMs > 0) return;
    await checkClock();
    if (await bulk.hasBacklog()) await bulk.startBatch();
    else {
      const claim = (most: number) => store.claim({ forms, limit: most, now: now() });
      const free = limit() - singles.size;
      for (const signup of await calls.claim(free, claims.limited(claim), mostCalls, callsOf))
        singles.add(single.deliver(signup));
    }
    bulk.startConfirmation();
    if (circuits.openForMs === 0 && singles.size < limit() && !bulk.isSending) await look();
  }

  /** Asks once more about what was still open, a minute apart: one page of the list answers for many. */
  async function look(): Promise<void> {
    if (looks.size > 0 || now() < nextLookAt) return;
    // A delivery may lower it while the store is read.
    nextLookAt = Number.POSITIVE_INFINITY;
    const dueAt = (await secondLook.nextAt()) ?? Number.POSITIVE_INFINITY;
    const isDue = dueAt <= now();
    const latest = now() < looksUntil ? now() + claimMs : Number.POSITIVE_INFINITY;
    nextLookAt = Math.min(nextLookAt, isDue ? now() + lookEveryMs : dueAt, latest);
    if (isDue) looks.add(secondLook.run());
  }

  /** After the clock was set back, makes due what would otherwise wait until the old time. */
  async function checkClock(): Promise<void> {
    const at = now();
    if (at < lastNow - clockSkewMs) {
      bulk.clockWasSetBack(at);
      await store.pullForward(at, 2 * backoff.maxRetryAfterMs);
    }
    lastNow = at;
  }

  /** Milliseconds until something is due; null if unknown. */
  async function untilNextMs(): Promise<number | null> {
    if (bulk.isSending || singles.size >= limit()) return null;
    let nextDueAt = await store.nextDueAt(forms);
    // Nothing waits for so long: the clock was set back, perhaps while this process did not run.
    if (nextDueAt !== null && nextDueAt - now() > 2 * backoff.maxRetryAfterMs) {
      await store.pullForward(now(), 2 * backoff.maxRetryAfterMs);
      nextDueAt = now();
    }
    const lookAt = looks.size === 0 && Number.isFinite(nextLookAt) ? nextLookAt : null;
    const next = earliest([nextDueAt, bulk.nextConfirmationAt, lookAt]);
    return next === null ? null : next - now();
  }

  return {
    worker,
    has,
    /** Null also where the API does not answer at once: nobody waits for it longer. */
    async statusOf(email: string): Promise<string | null> {
      if (circuits.isFailing || !(await calls.take(1))) return null;
      const record = await lookUp(lane, email, { ...callOptions(lane), timeoutMs: clickMs }).catch(() => null);
      return record?.status ?? null;
    },
    mayLeave: secondLook.mayLeave,
    /** Records a failure that was met outside of a delivery. */
    recordFailure: (failure: Retry): void => circuits.recordFailure(failure),
  };
}
