/** The faults of the proofs: each effect of the sandbox's faults, and answers that arrive after the timeout. */
import type { FaultRequest } from '@newsletter-kit/sandbox';
import type { Answering, VirtualClock } from '../clock/virtual.ts';

/** Faults of the service or of a proxy in front of it. */
export const faults = {
  'connection reset before the request was applied': { effect: 'reset', times: 1 },
  'connection reset twice': { effect: 'reset', times: 2 },
  'applied, and the answer is lost': { effect: 'lostResponse', times: 1 },
  'applied, and the answer is lost twice': { effect: 'lostResponse', times: 2 },
  'applied, and the answer is cut off': { effect: 'truncate', times: 1 },
  'sent twice by a proxy': { effect: 'duplicate', times: 1 },
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

/** Changes how requests reach the service. */
export type Way = (answering: Answering) => Answering;

/** Longer than the timeout of any attempt. */
const lateMs = 90_000;

/** The first request is applied at once, and its answer arrives after the timeout. */
export function lateBack(clock: Pick<VirtualClock, 'sleep'>): Way {
  return once(async (request, answering) => {
    const answer = await answering(request);
    await clock.sleep(lateMs);
    return answer;
  });
}

/** The first request is applied after its timeout. */
export function lateThere(clock: Pick<VirtualClock, 'sleep'>): Way {
  return once(async (request, answering) => {
    await clock.sleep(lateMs);
    return answering(request);
  });
}

/** Applies `way` to the first request only. */
function once(way: (request: Request, answering: Answering) => Promise<Response>): Way {
  let first = true;
  return (answering) => (request) => {
    if (!first) return answering(request);
    first = false;
    return way(request, answering);
  };
}
