/** The parts of a delivery for a test: a real store and client; the test sets the answers of the API and the clock. */
import { pino } from 'pino';
import { createClient } from '@newsletter-kit/core';
import { createContext } from '../../src/context.ts';
import type { DeliveryLane } from '../../src/delivery/lane.ts';
import { CircuitBreaker, createApiCircuits } from '../../src/queue/circuit-breaker.ts';
import { InFlight, repeatWrite } from '../../src/queue/worker.ts';
import { defaultBackoff, type Retry } from '../../src/queue/retry.ts';
import type { RelayEvent } from '../../src/events.ts';
import { readConfig, type SignupStore } from '../../src/index.ts';
import { changedStore } from '../changed-store.ts';
import { environment, publicationId, runRelay } from '../running-relay.ts';

/** Time at which each test begins, in milliseconds since the Unix epoch. */
export const startAt = Date.UTC(2026, 10, 23);

/** A subscription as the API lists it. @param created - seconds after {@link startAt} */
export function listed(email: string, created: number): Record<string, unknown> {
  return {
    id: 'sub_00000000-0000-4000-8000-000000000001',
    email,
    status: 'active',
    created: startAt / 1000 + created,
    subscription_tier: 'free',
    subscription_premium_tier_names: [],
    utm_source: '',
    utm_medium: '',
    utm_channel: '',
    utm_campaign: '',
    utm_term: '',
    utm_content: '',
    referring_site: '',
    referral_code: 'x',
  };
}

/** A page of the list of subscriptions. @param next - cursor of the next page; null on the last one */
export function listPage(data: readonly unknown[], next: string | null = null): Response {
  return Response.json({ data, limit: 100, has_more: next !== null, next_cursor: next });
}

/** An error answer of the API. */
export function refusal(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  const body = { status, statusText: 'x', errors: [{ message: 'No.', code: 'X' }] };
  return Response.json(body, { status, headers });
}

/** What a delivery needs, and what a test reads and changes. */
export interface DeliveryParts {
  readonly clock: { now: number };
  readonly logged: readonly string[];
  readonly events: readonly RelayEvent[];
  /** Requests to the API, in order. */
  readonly requests: readonly Request[];
  readonly stop: AbortController;
  readonly giveUp: AbortController;
  readonly store: SignupStore;
  readonly lane: DeliveryLane;
}

/** @param answer - answers as the API @param change - replaces methods of the store */
export function deliveryParts(
  answer: (request: Request) => Promise<Response>,
  change: Partial<SignupStore> = {},
): DeliveryParts {
  const { store: realStore } = runRelay();
  const store = changedStore(realStore, change);
  const clock = { now: startAt };
  const now = (): number => clock.now;
  const logged: string[] = [];
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => void logged.push(line) });
  const events: RelayEvent[] = [];
  const onEvent = (event: RelayEvent): void => void events.push(event);
  const stop = new AbortController();
  const giveUp = new AbortController();
  const context = createContext(
    { config: readConfig(environment), store, log, onEvent, timing: { now, random: () => 0.5 } },
    stop.signal,
  );
  const breaker = (): CircuitBreaker<Retry> =>
    new CircuitBreaker<Retry>({ backoff: defaultBackoff, now, random: () => 0.5, onOpen: () => {}, onClose: () => {} });
  const requests: Request[] = [];
  const client = createClient({
    baseUrl: 'http://127.0.0.1:9/v2',
    token: 'a-key',
    pacer: false,
    fetch: (input, init) => {
      const request = new Request(input, init);
      requests.push(request.clone());
      return answer(request);
    },
  });
  return {
    clock,
    logged,
    events,
    requests,
    stop,
    giveUp,
    store,
    lane: {
      ...context,
      publicationId,
      forms: context.config.forms,
      client,
      circuits: createApiCircuits(breaker(), breaker()),
      backoff: defaultBackoff,
      worker: {
        write: (work) => repeatWrite(context.health, stop.signal, work),
        inFlight: new InFlight(() => {}),
        stopping: stop.signal,
        givenUp: giveUp.signal,
      },
    },
  };
}
