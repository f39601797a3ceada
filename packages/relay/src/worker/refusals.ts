/**
 * What a Worker has refused itself, for the metrics of the Durable Object: each request that is passed on reports it,
 * which costs no request of its own. What an instance of the Worker has not reported when it ends is lost.
 */
import type { Events, RefusedEvent } from '../events.ts';
import { refusedHeader } from './calls.ts';

/** Kinds of refusals in one header, which limits its size; the others are reported with the next request. */
const maxKinds = 50;

/** Collects the refusals. @returns the same request, with what it reports */
export function collectRefusals(events: Events): (request: Request) => Request {
  /** How often each kind has occurred, by its event in JSON. */
  const times = new Map<string, number>();
  events.on({
    refused(event) {
      const kind = JSON.stringify(event);
      times.set(kind, (times.get(kind) ?? 0) + 1);
    },
  });
  return (request) => {
    const kinds = [...times].slice(0, maxKinds);
    if (kinds.length === 0) return request;
    for (const [kind] of kinds) times.delete(kind);
    const own = new Request(request);
    own.headers.set(refusedHeader, JSON.stringify(kinds));
    return own;
  };
}

/** Reads what a request reports; only the Worker sets that header. */
export function refusedBefore({ headers }: Request): readonly RefusedEvent[] {
  const kinds = JSON.parse(headers.get(refusedHeader) ?? '[]') as readonly (readonly [string, number])[];
  return kinds.map(([kind, times]) => ({ ...(JSON.parse(kind) as RefusedEvent), times }));
}
