/**
 * The scenarios a command is certified under: the default one, every assumption's other values, and the main faults of
 * services and networks.
 */
import { UsageError } from '#command-line';
import type { Sandbox } from '../sandbox.ts';
import { gaps } from '../gaps.ts';
import type { FaultRequest } from '../control/faults.ts';

export interface Scenario {
  /** Such as `pagination_fields=nested` or `lost-response`. */
  readonly name: string;
  readonly kind: 'default' | 'assumption' | 'fault';
  /** What it does, after "in this scenario". */
  readonly about: string;
  /** Sets it in a fresh sandbox. */
  readonly set: (sandbox: Sandbox) => void;
  /** Whether any request of the command has met it. */
  readonly met: (sandbox: Sandbox) => boolean;
}

const quota = { limit: 3, windowSeconds: 2 };
const writes = ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /v2/*`);
const onFirst = (matches: readonly string[], effect: FaultRequest['effect']): FaultRequest[] =>
  matches.map((match) => ({ match, effect, times: 1 }));

function faultScenario(name: string, about: string, faults: readonly FaultRequest[]): Scenario {
  return {
    name,
    kind: 'fault',
    about,
    set: (sandbox) => faults.forEach((fault) => sandbox.faults.add(fault)),
    met: (sandbox) => sandbox.faults.list().some(({ fired }) => fired > 0),
  };
}

const faults: readonly Scenario[] = [
  faultScenario(
    'lost-response',
    'the first write of each method is applied, and its answer lost',
    onFirst(writes, 'lostResponse'),
  ),
  faultScenario('reset', 'the connection of the first request breaks before anything is applied', [
    { effect: 'reset', times: 1 },
  ]),
  faultScenario(
    'cut-off-answer',
    'the answer to the first read and to the first write ends in the middle',
    onFirst(['GET /v2/*', ...writes], 'truncate'),
  ),
  faultScenario('duplicate', 'the first write of each method arrives twice', onFirst(writes, 'duplicate')),
  faultScenario('rate-limited', 'the first two requests answer 429 with Retry-After: 1', [
    { effect: { status: 429, retryAfter: 1 }, times: 2 },
  ]),
  faultScenario('rate-limited-silently', 'the first two requests answer 429 and do not say how long to wait', [
    { effect: { status: 429 }, times: 2 },
  ]),
  {
    name: 'quota',
    kind: 'fault',
    about: 'three requests are allowed in 2 s, as RateLimit headers say; more answer 429',
    set: ({ rateLimit }) => rateLimit.use({ ...quota, headers: true, retryAfter: false }),
    // A client that obeys the headers meets the limit without being refused.
    met: (sandbox) => sandbox.requests().length > quota.limit,
  },
  faultScenario('errors-500', 'the first two requests answer 500', [{ effect: { status: 500 }, times: 2 }]),
  faultScenario('errors-503', 'the first two requests answer 503 with the page of a proxy', [
    { effect: { status: 503, body: 'html' }, times: 2 },
  ]),
  faultScenario('slow', 'each of the first three requests waits 2 s for its answer', [
    { effect: { latency: 2000 }, times: 3 },
  ]),
  {
    name: 'expired-token',
    kind: 'fault',
    about: 'two hours pass after the first request of the API that succeeds, so that its access token has expired',
    set(sandbox) {
      const stop = sandbox.subscribe((event) => {
        if (event.type !== 'request' || event.request.status >= 300 || !event.request.path.startsWith('/v2/')) return;
        stop();
        sandbox.clock.advance('PT2H1M');
      });
    },
    // Keys do not expire.
    met: (sandbox) => sandbox.requests().some(({ status }) => status === 401),
  },
];

/** All scenarios, the default one first. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'default',
    kind: 'default',
    about: 'every assumption has its default, and nothing fails',
    set: () => undefined,
    met: () => true,
  },
  ...Object.entries(gaps).flatMap(([id, { others, silent }]) =>
    Object.keys(others).map((value): Scenario => ({
      name: `${id}=${value}`,
      kind: 'assumption',
      about: `the assumption ${id} is ${value}. ${silent}`,
      set(sandbox) {
        sandbox.assumptions.set({ [id]: value });
        // Without a quota nothing would answer 429.
        if (id === 'retry_after') sandbox.rateLimit.use({ ...quota, headers: false, retryAfter: false });
      },
      met: (sandbox) => sandbox.assumptions.met,
    })),
  ),
  ...faults,
];

/** The scenarios that a name stands for: one, or all values of an assumption. @throws {@link UsageError} */
export function scenarioNames(name: string): readonly string[] {
  const named = scenarios.filter((scenario) => scenario.name === name || scenario.name.startsWith(`${name}=`));
  if (named.length > 0) return named.map((scenario) => scenario.name);
  throw new UsageError(
    `There is no scenario "${name}". The scenarios are ${scenarios.map((each) => each.name).join(', ')}.`,
  );
}
