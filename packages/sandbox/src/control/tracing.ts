/**
 * Where every request of the API passes: through the faults that are set, then its work, then into the log and to
 * whoever watches.
 */
import { apiPrefix, blankTrace, operationsAt, type Trace } from '../api/api.ts';
import { nearestRequest } from '../api/nearest.ts';
import type { RateLimit } from '../api/rate-limit.ts';
import type { Clock } from '../world/clock.ts';
import type { Feed } from '../world/feed.ts';
import type { AssumptionSet } from './assumptions/assumptions.ts';
import type { SandboxEvent } from './events.ts';
import { underFaults, type Refuse } from './faults/effects.ts';
import type { FaultSet } from './faults/faults.ts';
import { loggableQuery, type RequestLog } from './log.ts';

export interface TracingOptions {
  readonly clock: Clock;
  readonly log: RequestLog;
  readonly events: Feed<SandboxEvent>;
  readonly faults: FaultSet;
  readonly assumptions: AssumptionSet;
  readonly rateLimit: RateLimit;
}

/** Answers a request and tells the trace how. */
export type Work = (request: Request, path: string, search: string, trace: Trace) => Promise<Response>;

/**
 * @returns a function that answers a request by `work`, or `refuse`s it where a fault says so, and leaves an entry in
 *   the log
 */
export function createTracing({ clock, log, events, faults, assumptions, rateLimit }: TracingOptions) {
  return async (request: Request, path: string, work: Work, refuse: Refuse): Promise<Response> => {
    const from = request.url.indexOf('?');
    const search = from < 0 ? '' : request.url.slice(from);

    const enter = (trace: Trace, started: number): void => {
      const entry = log.add({
        time: new Date(clock.now()).toISOString(),
        method: request.method,
        path: withoutAddresses(path),
        query: loggableQuery(trace.operation, search),
        operation: trace.operation?.id ?? null,
        status: trace.status,
        milliseconds: Math.round((performance.now() - started) * 100) / 100,
        reasons: trace.reasons,
        rule: trace.rule,
        nearest: nearestRequest({ method: request.method, path, ...trace }, apiPrefix),
      });
      events.publish({ type: 'request', request: entry });
    };
    const answered = async (asked: Request, notes: readonly string[]): Promise<Response> => {
      const trace = blankTrace();
      const started = performance.now();
      const plain = await work(asked, path, search, trace);
      const facts = () => ({
        created: trace.created,
        total: trace.total,
        resetsIn: rateLimit.resetsIn(),
        now: clock.seconds(),
      });
      const response = await assumptions.apply(plain, trace.operation?.id ?? null, facts);
      trace.status = response.status;
      trace.reasons.unshift(...notes);
      enter(trace, started);
      return response;
    };

    if (!faults.any) return answered(request, []);
    const operations = operationsAt(request.method, path);
    const fired = faults.fire({
      method: request.method,
      path,
      operations: operations.map((operation) => operation.id),
    });
    const end = (status: number, reasons: readonly string[]): void =>
      enter(
        { ...blankTrace(), operation: operations[0] ?? null, status, reasons: [...reasons], rule: 'FAULT' },
        performance.now(),
      );
    return underFaults(fired, request, { work: answered, refuse, end });
  };
}

function withoutAddresses(path: string): string {
  const address = /@|%40/;
  return address.test(path)
    ? path
        .split('/')
        .map((segment) => (address.test(segment) ? '…' : segment))
        .join('/')
    : path;
}
