/** What the proofs let go wrong: each effect of the sandbox's faults, and answers that nobody waits for. */
import type { FaultRequest } from '@newsletter-kit/sandbox';
import type { Answering, VirtualClock } from '../clock/virtual.ts';

/** What goes wrong at the service, or in front of it. */
export const faults = {
  'reset before it was applied': { effect: 'reset', times: 1 },
  'reset twice': { effect: 'reset', times: 2 },
  'applied, and the answer lost': { effect: 'lostResponse', times: 1 },
  'applied, and the answer lost twice': { effect: 'lostResponse', times: 2 },
  'applied, and the answer cut off': { effect: 'truncate', times: 1 },
  'applied twice by what lies between': { effect: 'duplicate', times: 1 },
  slow: { effect: { latency: 5 }, times: 1 },
  '429': { effect: { status: 429 }, times: 1 },
  '429 with Retry-After': { effect: { status: 429, retryAfter: 7 }, times: 2 },
  '503': { effect: { status: 503 }, times: 2 },
  '503 of a proxy': { effect: { status: 503, retryAfter: 7, body: 'html' }, times: 1 },
  '500': { effect: { status: 500 }, times: 1 },
  '500 without a body': { effect: { status: 500, body: 'empty' }, times: 1 },
  '502 of a proxy': { effect: { status: 502, body: 'html' }, times: 2 },
} as const satisfies Readonly<Record<string, Omit<FaultRequest, 'match'>>>;

export type FaultName = keyof typeof faults;
export const faultNames = Object.keys(faults) as FaultName[];

/** A way for requests to go. */
export type Way = (answering: Answering) => Answering;

/** Longer than any attempt waits. */
const lateMs = 90_000;

/** The first request is applied at once, and its answer comes too late. */
export function lateBack(clock: Pick<VirtualClock, 'sleep'>): Way {
  return once(async (request, answering) => {
    const answer = await answering(request);
    await clock.sleep(lateMs);
    return answer;
  });
}

/** The first request is applied after it was given up. */
export function lateThere(clock: Pick<VirtualClock, 'sleep'>): Way {
  return once(async (request, answering) => {
    await clock.sleep(lateMs);
    return answering(request);
  });
}

/** The first request goes this way, the others as they would. */
function once(way: (request: Request, answering: Answering) => Promise<Response>): Way {
  let first = true;
  return (answering) => (request) => {
    if (!first) return answering(request);
    first = false;
    return way(request, answering);
  };
}
