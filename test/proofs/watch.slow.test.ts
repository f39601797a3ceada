/**
 * The watch over the sandbox's API with random signups, confirmations, unsubscriptions, tiers, fields and deletions
 * between its pages. Every lasting change is reported, and without a crash it is reported once.
 *
 * 40 random histories by default; `WATCH_RUNS=20000 npm test -- test/proofs/watch.slow.test.ts` runs more.
 * packages/core/test/watch/watch.property.slow.test.ts defines a missed change. Rows disappear only there: the sandbox,
 * like the API, redacts a deleted subscription and keeps the row.
 */
import { createClient, createFetchHost } from '@newsletter-kit/core';
import {
  readWatchState,
  startWatch,
  subscriptionEventTypes,
  watchSubscriptions,
  type Watched,
  type WatchState,
} from '@newsletter-kit/core/watch';
import { apiKeys, createSandbox, publicationId } from '@newsletter-kit/sandbox';
import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { Replica } from '../../packages/core/test/watch/replica.ts';

const runs = Number(process.env['WATCH_RUNS'] ?? 40);
vi.setConfig({ testTimeout: 240_000 + runs * 500 });

const happening = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('sign up' as const),
      count: fc.integer({ min: 1, max: 5 }),
      optIn: fc.constantFrom('on' as const, 'off' as const, 'not_set' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      at: fc.nat(),
      status: fc.constantFrom('active' as const, 'inactive' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('tier' as const),
      at: fc.nat(),
      tier: fc.constantFrom('free' as const, 'premium' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('field' as const),
      at: fc.nat(),
      value: fc.constantFrom('blue', 'red', ''),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deletion' as const), at: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('time' as const),
      ms: fc.constantFrom(300, 1000, 5000, 100_000_000, 1_300_000_000),
    }),
  },
);
const poll = fc.record({
  kind: fc.constant('poll' as const),
  limit: fc.integer({ min: 1, max: 6 }),
  pages: fc.integer({ min: 1, max: 5 }),
  meanwhile: fc.array(happening, { maxLength: 2 }),
  ends: fc.constantFrom('kept', 'kept', 'kept', 'crash', 'cursor lost'),
});
const life = fc.record({
  before: fc.integer({ min: 0, max: 9 }),
  paging: fc.constantFrom('top' as const, 'nested' as const),
  lastCursor: fc.constantFrom('null' as const, 'absent' as const),
  strangers: fc.constantFrom('none' as const, 'some' as const),
  steps: fc.array(fc.oneof({ weight: 5, arbitrary: happening }, { weight: 5, arbitrary: poll }), {
    maxLength: 30,
    size: 'max',
  }),
});
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;
type Poll = typeof poll extends fc.Arbitrary<infer T> ? T : never;
type Life = typeof life extends fc.Arbitrary<infer T> ? T : never;

const options = {
  baseUrl: 'http://sandbox.test/v2',
  token: apiKeys.workspace,
  publicationId,
  retry: { retries: 0 },
} as const;

async function live({ before, paging, lastCursor, strangers, steps }: Life, crashes: boolean): Promise<string[]> {
  const sandbox = createSandbox({
    profile: 'unlimited',
    now: () => Date.UTC(2026, 0, 1),
    assumptions: { pagination_fields: paging, last_cursor: lastCursor, unknown_values: strangers },
  });
  const person = createClient({ ...options, fetch: sandbox.fetch });
  const emails: string[] = [];
  const ids: string[] = [];
  await person.customFields.create({ kind: 'string', display: 'Colour' });

  async function apply(what: Happening): Promise<void> {
    if (what.kind === 'time') return sandbox.clock.advance(what.ms);
    if (what.kind === 'sign up') {
      for (let count = 0; count < what.count; count++) {
        const email = `reader${emails.length}@example.com`;
        emails.push(email);
        ids.push((await person.subscriptions.create({ email, double_opt_override: what.optIn })).data.id);
      }
      return;
    }
    const index = what.at % Math.max(1, ids.length);
    const [subscription_id, email] = [ids[index], emails[index]];
    if (subscription_id === undefined || email === undefined) return;
    if (what.kind === 'status')
      await person.subscriptions.updateStatus({ subscription_ids: [subscription_id], new_status: what.status });
    else if (what.kind === 'tier')
      await person.subscriptions.bulkUpdate({ subscriptions: [{ subscription_id, tier: what.tier }] });
    else if (what.kind === 'field')
      await person.subscriptions.bulkUpdate({
        subscriptions: [{ subscription_id, custom_fields: [{ name: 'Colour', value: what.value }] }],
      });
    else
      await person.deletionRequests.create({ email }).catch((error: unknown) => {
        // The address has a deletion request already, or no subscription any more.
        if (!(error instanceof Error) || !/Conflict|NotFound/.test(error.name)) throw error;
      });
  }

  const replica = new Replica();
  let state: WatchState = startWatch('sandbox');
  let met: Watched[] = [];
  let waiting: Happening[] = [];
  let cursorLost = false;
  const fetching = createFetchHost({
    async fetch(address, init) {
      const url = new URL(address);
      if (cursorLost && url.searchParams.has('cursor')) url.searchParams.set('cursor', 'forgotten');
      cursorLost = false;
      const answer = await sandbox.fetch(url, init);
      if (answer.ok && url.searchParams.get('direction') === 'asc')
        met.push(...((await answer.clone().json()) as { data: Watched[] }).data);
      const next = waiting.shift();
      if (next !== undefined) await apply(next);
      return answer;
    },
  });
  const reader = createClient({ ...options, host: { ...fetching, now: () => sandbox.clock.now() } });

  async function poll({ limit, pages, meanwhile }: Pick<Poll, 'limit' | 'pages' | 'meanwhile'>) {
    met = [];
    waiting = [...meanwhile];
    const watch = watchSubscriptions({
      engine: reader.engine,
      events: subscriptionEventTypes,
      customFields: 'all',
      state,
      limit,
      pages,
    });
    return watch.poll();
  }
  function keep({ state: next, events }: Awaited<ReturnType<typeof poll>>): void {
    const fresh = new Set(events.flatMap((event) => (event.type === 'created' ? [event.subscription.id] : [])));
    const { seen } = next.created;
    for (const row of met) {
      const beyond =
        seen === null ||
        row.created > seen.created ||
        (row.created === seen.created && !seen.settled && !seen.ids.includes(row.id));
      if (!beyond && !fresh.has(row.id)) replica.add(row);
    }
    replica.apply(events);
    state = readWatchState(JSON.parse(JSON.stringify(next)), 'sandbox');
  }

  try {
    for (let count = 0; count < before; count++) {
      await apply({ kind: 'sign up', count: 1, optIn: count % 2 === 0 ? 'off' : 'on' });
      if (count % 3 === 0) await apply({ kind: 'time', ms: 100_000_000 });
    }
    for (const step of steps) {
      if (step.kind !== 'poll') await apply(step);
      else {
        cursorLost = step.ends === 'cursor lost';
        const result = await poll(step);
        if (!(crashes && step.ends === 'crash')) keep(result);
        cursorLost = false;
      }
    }
    sandbox.clock.advance('P20D');
    let rounds = 0;
    for (let left = 4, pass = -1; left > 0; rounds++) {
      if (rounds > 500) return ['the scan does not end'];
      keep(await poll({ limit: 7, pages: 6, meanwhile: [] }));
      if ((state.created.walk?.tail ?? null) === null && state.scan !== null && state.scan.pass !== pass) {
        left--;
        ({ pass } = state.scan);
      }
    }
    const truth: Watched[] = [];
    for await (const subscription of person.subscriptions.list({ expand: ['custom_fields'], limit: 100 }))
      truth.push({ ...subscription, status: String(subscription.status), created: Number(subscription.created) });
    return replica.compare(truth);
  } finally {
    sandbox.close();
  }
}

for (const crashes of [false, true]) {
  it(`reports every lasting change ${crashes ? 'also after crashes of polls' : 'once'}`, async () => {
    await fc.assert(
      fc.asyncProperty(life, async (one) => {
        expect(await live(one, crashes)).toEqual([]);
      }),
      { numRuns: runs },
    );
  });
}
