/**
 * The share of an unknown quota that is used, and the share of answers that are 429: an hour of eight calls at a time
 * against windows (the sandbox's own) and buckets of 30, 180 and 600 a minute, with headers and without; the discovery
 * counts. Beside ours a loop with plain backoff, and the service's SDK with its own retries. All on one virtual clock;
 * the SDK has the timers and `Date.now` of the process replaced by it while it runs.
 */
import { BeehiivClient } from '@beehiiv/sdk';
import { publicationId } from '@newsletter-kit/sandbox';
import type { VirtualClock } from '../../clock/virtual.ts';
import { tell } from '../figure.ts';
import {
  baseUrl,
  endlessly,
  engineCaller,
  plainLoop,
  runAgainst,
  type Caller,
  type Enforced,
  type Outcome,
} from './quota-run.ts';

const cases: readonly Enforced[] = (['window', 'bucket'] as const).flatMap((kind) =>
  [true, false].flatMap((headers) => [30, 180, 600].map((limit) => ({ kind, limit, headers }))),
);

const atATime = 8;

const sdkCaller: Caller = ({ clock, answering }) => {
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    await clock.sleep(60);
    const response = await clock.during(() => answering(new Request(input, init)));
    await clock.sleep(60);
    return response;
  };
  const client = new BeehiivClient({ baseUrl, token: 'sandbox-key', fetch });
  endlessly(atATime, () => client.customFields.index(publicationId));
};

/** Runs with the timers and the time of this process taken from the clock. */
function onProcessTime(caller: Caller): { readonly caller: Caller; readonly restore: () => void } {
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, now: Date.now };
  return {
    caller(service) {
      replaceTime(service.clock);
      return caller(service);
    },
    restore() {
      Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
      Date.now = real.now;
    },
  };
}

function replaceTime(clock: VirtualClock): void {
  Object.assign(globalThis, {
    setTimeout: (happen: () => void, ms = 0) => clock.after(ms, happen),
    clearTimeout: (cancel: unknown) => typeof cancel === 'function' && void cancel(),
  });
  Date.now = clock.now;
}

async function outcomes(caller: Caller, minutes: number): Promise<Outcome[]> {
  const all: Outcome[] = [];
  for (const quota of cases) all.push(await runAgainst(quota, caller, { minutes }));
  return all;
}

/** Windows from a cut to a third until one is used up with no more than one refused call, or one in a hundred. */
async function recovery(quota: Enforced): Promise<number> {
  const cutAt = 10;
  const limit = quota.limit / 3;
  const { minutes } = await runAgainst(quota, engineCaller(atATime), { minutes: 20, cut: { minute: cutAt, limit } });
  const after = minutes.slice(cutAt);
  const found = after.findIndex(
    ({ passed, refused }) => passed >= Math.floor(0.97 * limit) && refused <= Math.max(1, passed / 100),
  );
  return found < 0 ? after.length : found;
}

const ours = await outcomes(engineCaller(atATime), 60);
// The others send so many requests in vain that a quarter of an hour has to do.
const plain = await outcomes(plainLoop(atATime), 15);
const sdkTime = onProcessTime(sdkCaller);
const sdk = await outcomes(sdkTime.caller, 15).finally(sdkTime.restore);
const recoveries: number[] = [];
for (const quota of cases) recoveries.push(await recovery(quota));

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const least = (all: readonly Outcome[]): number => Math.min(...all.map(({ used }) => used));
const most = (all: readonly Outcome[]): number => Math.max(...all.map(({ refusedShare }) => refusedShare));
tell({
  used: {
    value: least(ours),
    detail: `the least of ${cases.length} quotas; plain backoff ${percent(least(plain))}, SDK ${percent(least(sdk))}`,
  },
  refused: {
    value: most(ours) * 100,
    detail: `the most of ${cases.length} quotas; plain backoff ${percent(most(plain))}, SDK ${percent(most(sdk))}`,
  },
  recovery: {
    value: Math.max(...recoveries),
    detail: `the most of ${cases.length} quotas cut to a third after ten minutes`,
  },
});
