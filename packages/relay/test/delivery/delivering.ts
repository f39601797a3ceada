/** A relay that delivers to an API whose answers a test sets. */
import { runRelay, type RelayParts, type RunningRelay } from '../running-relay.ts';
import type { SandboxApi } from '../sandbox-api.ts';

/** Short waits without jitter. */
export const delivery = { backoff: { firstMs: 20, maxMs: 60 } };

export const start = (api: SandboxApi, parts: RelayParts = {}) => {
  const relay = runRelay({ api: api.fetch, delivery, ...parts });
  relay.start();
  return relay;
};

export const answering =
  (status: number, body: unknown, headers: Record<string, string> = {}): (() => Promise<Response>) =>
  () =>
    Promise.resolve(Response.json(body, { status, headers }));

/** Attempts that have failed so far. */
export const failedAttempts = ({ logged }: RunningRelay): number =>
  logged.filter((line) => line.includes('it will be tried again')).length;

export const problem = (status: number, message = 'No.') => ({
  status,
  statusText: 'x',
  errors: [{ message, code: 'X' }],
});
