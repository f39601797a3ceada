/**
 * Measures the delivery of a backlog within the service's quota, on a virtual clock: the relay, its store and the
 * sandbox do all their work, and only waiting takes no time.
 *
 * - `drain`: the share of the quota used where signups are sent one at a time, over ten minutes; the quota is stated
 *   in headers, by `Retry-After` of its 429s, or not at all.
 * - `calls`: calls to the API for each thousand signups of a backlog, until the last is confirmed.
 * - `fresh`: how long a visitor who signs up meanwhile waits until the API has the subscription, at the worst.
 *
 * `DRAIN_WAITING=20000` measures the last two with a smaller backlog.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, readConfig } from '@newsletter-kit/relay';
import { apiKeys, createSandbox, publicationId, type QuotaRequest, type Sandbox } from '@newsletter-kit/sandbox';
import { fill, inVirtualTime, startVirtualRelay, virtualSettings, type VirtualRelay } from '../../clock/relay.ts';
import type { VirtualClock } from '../../clock/virtual.ts';
import { seeded } from '../../support/seeded.ts';
import { reportFigures } from '../figure.ts';

const limit = 180;
const windowSeconds = 60;
const waiting = Number(process.env['DRAIN_WAITING'] ?? 100_000);

const folder = mkdtempSync(join(tmpdir(), 'relay-bench-'));
const config = readConfig({
  ...virtualSettings,
  NEWSLETTER_API_KEY: apiKeys.workspace,
  NEWSLETTER_PUBLICATION_ID: publicationId,
});

interface Service {
  readonly clock: VirtualClock;
  readonly sandbox: Sandbox;
  /** Starts the relay on the backlog. */
  readonly start: (answering: (request: Request) => Promise<Response>) => Promise<VirtualRelay>;
}

/** Runs `measure` with a store of so many waiting signups and a sandbox with this quota. */
async function withBacklog<T>(
  name: string,
  size: number,
  quota: Partial<QuotaRequest>,
  measure: (service: Service) => Promise<T>,
  inBulk = true,
): Promise<T> {
  return inVirtualTime(async (clock) => {
    const random = seeded(1);
    const sandbox = createSandbox({ now: clock.now, seed: 'empty', profile: 'unlimited' });
    sandbox.rateLimit.use({ limit, windowSeconds, headers: false, retryAfter: false, ...quota });
    const path = join(folder, `${name}.db`);
    const open = () => openStore({ kind: 'sqlite', path });
    const people = Array.from({ length: size }, (_, n) => `waiting.${n}@example.com`);
    await clock.during(async () => {
      const store = await open();
      await fill(store, people, clock.now());
      await store.close();
    });
    const start: Service['start'] = (answering) =>
      startVirtualRelay({
        clock,
        config,
        open,
        answering,
        random,
        latencyMs: () => 2 * Math.round(40 + random() * 60),
        delivery: inBulk ? {} : { bulk: null },
      });
    try {
      return await measure({ clock, sandbox, start });
    } finally {
      sandbox.close();
      rmSync(path, { force: true });
    }
  });
}

async function quotaUsed(name: string, quota: Partial<QuotaRequest>): Promise<{ used: number; refused: number }> {
  const windows = 10;
  return withBacklog(
    name,
    limit * (windows + 1),
    quota,
    async ({ clock, sandbox, start }) => {
      const answered = { passed: 0, refused: 0 };
      const relay = await start(async (request) => {
        const answer = await sandbox.fetch(request);
        answered[answer.status === 429 ? 'refused' : 'passed'] += 1;
        return answer;
      });
      await clock.sleep(windows * windowSeconds * 1000 - 200);
      const { passed, refused } = answered;
      await relay.kill();
      return { used: passed / (limit * windows), refused };
    },
    false,
  );
}

type Kind = 'create' | 'bulk' | 'list';

interface Drained {
  readonly calls: Readonly<Record<Kind, number>>;
  readonly refused: number;
  readonly minutes: number;
  /** Milliseconds until the API had created the subscription of each visitor who signed up meanwhile. */
  readonly freshMs: readonly number[];
}

/** Until all of a backlog is confirmed; every 7 seconds a visitor signs up. */
function drained(): Promise<Drained> {
  return withBacklog('backlog', waiting, { headers: true }, async ({ clock, sandbox, start }) => {
    const calls: Record<Kind, number> = { create: 0, bulk: 0, list: 0 };
    let refused = 0;
    const begun = clock.now();
    const relay = await start(async (request) => {
      calls[request.method === 'GET' ? 'list' : request.url.endsWith('/bulk_subscriptions') ? 'bulk' : 'create'] += 1;
      const answer = await sandbox.fetch(request);
      if (answer.status === 429) refused += 1;
      return answer;
    });
    const posted = new Map<string, number>();
    const freshMs: number[] = [];
    sandbox.subscribe((event) => {
      if (event.type !== 'subscription' || event.change !== 'created') return;
      const at = posted.get(String(event.subscription['email']));
      if (at !== undefined) freshMs.push(clock.now() - at);
    });
    // An import is carried out by the sandbox's clock; it looks at each request and here.
    const settling = setInterval(() => sandbox.settle(), 100);
    let open = waiting;
    let visitors = 0;
    while (open > 0) {
      const email = `visitor.${(visitors += 1)}@example.com`;
      posted.set(email, clock.now());
      await relay.post('default', { email });
      await clock.sleep(7000);
      const counts = await clock.during(() => relay.store.counts());
      open = counts.waiting + counts.sent;
    }
    clearInterval(settling);
    const minutes = (clock.now() - begun) / 60_000;
    if (freshMs.length < visitors) throw new Error(`${visitors - freshMs.length} visitors are not subscribed.`);
    await relay.stop();
    return { calls, refused, minutes, freshMs };
  });
}

const kinds: Readonly<Record<string, Partial<QuotaRequest>>> = {
  headers: { headers: true, retryAfter: true },
  'Retry-After': { retryAfter: true },
  nothing: {},
};
const results: { name: string; used: number; refused: number }[] = [];
for (const [name, quota] of Object.entries(kinds)) results.push({ name, ...(await quotaUsed(name, quota)) });
const { calls, refused, minutes, freshMs } = await drained();
rmSync(folder, { recursive: true });

const all = calls.create + calls.bulk + calls.list;
const worst = Math.max(...freshMs) / 1000;
reportFigures({
  drain: {
    value: Math.min(...results.map(({ used }) => used)),
    detail: `the least of: ${results.map((each) => `quota stated by ${each.name} ${each.used.toFixed(3)} (${each.refused} × 429)`).join(', ')}; ${limit} requests in ${windowSeconds} s`,
  },
  calls: {
    value: (all / waiting) * 1000,
    detail: `${waiting} waiting confirmed in ${minutes.toFixed(1)} minutes of virtual time: ${calls.bulk} bulk creations, ${calls.list} lists, ${calls.create} creates, of which ${refused} × 429`,
  },
  minutes: { value: minutes, detail: `of virtual time; ${limit} requests in ${windowSeconds} s` },
  fresh: {
    value: worst,
    detail: `the longest of ${freshMs.length}; until the subscription is created, which the sandbox does 2 s after a bulk creation`,
  },
});
