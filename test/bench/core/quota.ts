/**
 * The share of a quota that is used, and the share of answers that are 429: an hour of eight calls at a time against
 * windows (the sandbox's own) and buckets of 30, 180 and 600 a minute; the discovery counts. Once with headers on every
 * answer, as the service sends them, and once without, with and without `Retry-After`. Beside the engine's pacer the
 * simplest one, which only pauses, a loop with plain backoff, and the service's SDK with its own retries. All on one
 * virtual clock; the SDK has the timers and `Date.now` of the process replaced by it while it runs.
 */
import { BeehiivClient } from '@beehiiv/sdk';
import { publicationId } from '@newsletter-kit/sandbox';
import { replaceTime } from '../../clock/process-time.ts';
import { reportFigures } from '../figure.ts';
import {
  baseUrl,
  endlessly,
  engineCaller,
  pausingPacer,
  plainLoop,
  runAgainst,
  type Caller,
  type Enforced,
  type Outcome,
} from './quota-run.ts';

type Telling = Pick<Enforced, 'headers' | 'retryAfter'>;

function quotas(...tellings: readonly Telling[]): Enforced[] {
  return (['window', 'bucket'] as const).flatMap((kind) =>
    tellings.flatMap((telling) => [30, 180, 600].map((limit) => ({ kind, limit, ...telling }))),
  );
}

const stated = quotas({ headers: true });
const silent = quotas({ headers: false, retryAfter: true }, { headers: false });

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
  let restore = (): void => {};
  return {
    caller(service) {
      restore();
      restore = replaceTime(service.clock);
      return caller(service);
    },
    restore: () => restore(),
  };
}

async function outcomes(cases: readonly Enforced[], caller: Caller, minutes = 60): Promise<Outcome[]> {
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

const ours = engineCaller(atATime);
const pausing = engineCaller(atATime, pausingPacer);
const sdkTime = onProcessTime(sdkCaller);
/** The other callers run for a quarter of an hour only, because most of their many requests are refused. */
const fewMinutes = 15;

interface Compared {
  readonly used: string;
  readonly refused: string;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const least = (all: readonly Outcome[]): number => Math.min(...all.map(({ used }) => used));
const most = (all: readonly Outcome[]): number => Math.max(...all.map(({ refusedShare }) => refusedShare));

async function others(cases: readonly Enforced[]): Promise<Compared> {
  const all = {
    'only pauses': await outcomes(cases, pausing),
    'plain backoff': await outcomes(cases, plainLoop(atATime), fewMinutes),
    SDK: await outcomes(cases, sdkTime.caller, fewMinutes).finally(sdkTime.restore),
  };
  const listed = (share: (all: readonly Outcome[]) => number): string =>
    Object.entries(all)
      .map(([name, each]) => `${name} ${percent(share(each))}`)
      .join(', ');
  return { used: listed(least), refused: listed(most) };
}

const [withHeaders, withoutHeaders] = [await outcomes(stated, ours), await outcomes(silent, ours)];
const [othersWithHeaders, othersWithoutHeaders] = [await others(stated), await others(silent)];
const recoveries: number[] = [];
for (const quota of stated) recoveries.push(await recovery(quota));

reportFigures({
  used: { value: least(withHeaders), detail: `the least of ${stated.length} quotas; ${othersWithHeaders.used}` },
  refused: {
    value: most(withHeaders) * 100,
    detail: `the most of ${stated.length} quotas; ${othersWithHeaders.refused}`,
  },
  recovery: {
    value: Math.max(...recoveries),
    detail: `the most of ${stated.length} quotas cut to a third after ten minutes`,
  },
  silentUsed: {
    value: least(withoutHeaders),
    detail: `the least of ${silent.length} quotas; ${othersWithoutHeaders.used}`,
  },
  silentRefused: {
    value: most(withoutHeaders) * 100,
    detail: `the most of ${silent.length} quotas; ${othersWithoutHeaders.refused}`,
  },
});
