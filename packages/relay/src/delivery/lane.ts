/** What the deliveries to one publication with one API key share. */
import type { Client } from '@newsletter-kit/core';
import type { Form } from '../config/form.ts';
import type { RelayContext } from '../context.ts';
import type { ApiCircuits } from '../queue/circuit-breaker.ts';
import type { BackoffOptions } from '../queue/retry.ts';
import type { QueueWorker } from '../queue/worker.ts';

/** The deliveries to one publication with one API key. */
export interface DeliveryLane extends RelayContext {
  readonly publicationId: string;
  readonly forms: Readonly<Record<string, Form>>;
  readonly client: Client;
  readonly circuits: ApiCircuits;
  readonly backoff: BackoffOptions;
  readonly worker: Pick<QueueWorker, 'write' | 'inFlight' | 'stopping' | 'givenUp'>;
}

/** Tolerated difference of clocks, in milliseconds: between relay and API, and of one clock over time. */
export const clockSkewMs = 5 * 60_000;

/** Options of every call: no retries by the client, because the lane itself schedules them. */
export function callOptions({ backoff, worker }: DeliveryLane) {
  return { signal: worker.givenUp, retry: { retries: 0, maxRetryAfterMs: backoff.maxRetryAfterMs } };
}
