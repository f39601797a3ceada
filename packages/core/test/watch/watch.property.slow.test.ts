/**
 * No change is missed and none is reported twice without a crash: random schedules of changes, polls and crashes,
 * compared with an exact model.
 *
 * `npm test` runs some hundred schedules; `WATCH_RUNS=20000 npm test -- packages/core/test/watch` runs 20,000, which
 * takes some minutes. `TEST_SEED` repeats a run.
 *
 * A change is missed where it lasts for a whole pass of the scan and no event reports it. Changes that are reverted
 * between two reads may be merged. A poll that crashed, or whose state is outdated, may report an event again.
 */
import {
  pollWatch,
  readWatchState,
  startWatch,
  type SubscriptionEvent,
  type WatchResult,
  type WatchState,
} from '@newsletter-kit/core/watch';
import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { Replica } from './replica.ts';
import { SubscriptionList, type Row } from './subscription-list.ts';

const runs = Number(process.env['WATCH_RUNS'] ?? 400);
vi.setConfig({ testTimeout: 240_000 + runs * 50 });

const statuses = ['validating', 'pending', 'active', 'inactive', 'on_hold'];
const change = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('insert' as const),
      count: fc.oneof(
        { weight: 12, arbitrary: fc.integer({ min: 1, max: 7 }) },
        { weight: 1, arbitrary: fc.constant(120) },
      ),
      status: fc.constantFrom(...statuses),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), status: fc.constantFrom(...statuses) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('tier' as const),
      at: fc.nat(),
      tier: fc.constantFrom('free', 'premium', 'gold'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('field' as const),
      at: fc.nat(),
      value: fc.constantFrom<unknown[]>(null, 1, 'blue', ['a', 'b']),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), at: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('tick' as const), seconds: fc.constantFrom(1, 2, 90, 40_000, 5_000_000) }),
  },
);
const poll = fc.record({
  kind: fc.constant('poll' as const),
  limit: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 6 }) }, { weight: 1, arbitrary: fc.constant(60) }),
  pages: fc.integer({ min: 1, max: 5 }),
  /** Changes between the requests of the poll. */
  meanwhile: fc.array(change, { maxLength: 2 }),
  ends: fc.constantFrom('kept', 'kept', 'kept', 'crash', 'overlapped'),
});
const step = fc.oneof(
  { weight: 5, arbitrary: change },
  { weight: 6, arbitrary: poll },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const) }) },
);
const schedule = fc.record({
  before: fc.integer({ min: 0, max: 12 }),
  zone: fc.integer({ min: -12, max: 14 }),
  steps: fc.array(step, { maxLength: 50, size: 'max' }),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
type Poll = typeof poll extends fc.Arbitrary<infer T> ? T : never;
type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never;

function apply(list: SubscriptionList, change: Change): void {
  if (change.kind === 'insert') return void list.insert(change.count, change.status);
  if (change.kind === 'tick') return void (list.now += change.seconds);
  const rows = list.rows();
  const row = rows[change.at % Math.max(1, rows.length)];
  if (row === undefined) return;
  if (change.kind === 'flip') list.change(row.id, { status: change.status });
  else if (change.kind === 'tier') list.change(row.id, { subscription_tier: change.tier });
  else if (change.kind === 'field')
    list.change(row.id, {
      custom_fields: change.value === null ? [] : [{ name: 'Colour', value: change.value }],
    });
  else list.remove(row.id);
}

const everything = ['created', 'became_active', 'unsubscribed', 'status_changed', 'updated', 'removed'] as const;

/** Runs a schedule. @returns the problems that the replica found */
async function runSchedule({ before, zone, steps }: Schedule, crashes: boolean): Promise<string[]> {
  const list = new SubscriptionList();
  list.zone = zone * 3600;
  for (let count = 0; count < before; count++) {
    list.insert(1, statuses[count % statuses.length]);
    if (count % 3 === 0) list.now += 50_000 * count;
  }
  const replica = new Replica();
  let state: WatchState = startWatch('model');
  let seenByScan: Row[] = [];

  async function pollOnce({
    limit,
    pages,
    meanwhile,
  }: Pick<Poll, 'limit' | 'pages' | 'meanwhile'>): Promise<WatchResult<Row>> {
    const waiting = [...meanwhile];
    const readers = list.readers(() => limit);
    seenByScan = [];
    const oldest: typeof readers.oldest = async (position) => {
      const page = await readers.oldest(position);
      seenByScan.push(...page.items);
      return page;
    };
    list.meanwhile = () => {
      const next = waiting.shift();
      if (next !== undefined) apply(list, next);
    };
    try {
      return await pollWatch({
        state,
        read: { newest: readers.newest, oldest },
        events: everything,
        customFields: 'all',
        pages,
        now: list.now * 1000,
      });
    } finally {
      list.meanwhile = () => undefined;
    }
  }

  function store(result: WatchResult<Row>): void {
    const fresh = new Set(result.events.flatMap((event) => (event.type === 'created' ? [event.subscription.id] : [])));
    const { seen } = result.state.created;
    for (const row of seenByScan) {
      const beyond =
        seen === null ||
        row.created > seen.created ||
        (row.created === seen.created && !seen.settled && !seen.ids.includes(row.id));
      if (!beyond && !fresh.has(row.id)) replica.add(row);
    }
    replica.apply(result.events);
    // Stored as text, as in a file or a database.
    state = readWatchState(JSON.parse(JSON.stringify(result.state)), 'model');
  }

  for (const step of steps) {
    if (step.kind === 'forget') list.forgetCursors();
    else if (step.kind !== 'poll') apply(list, step);
    else {
      if (crashes && step.ends === 'overlapped') await pollOnce({ limit: 3, pages: 2, meanwhile: [] });
      const result = await pollOnce(step);
      if (!(crashes && step.ends === 'crash')) store(result);
    }
  }
  // No further changes: everything new is reported, the pass in progress ends, and three complete ones follow.
  let rounds = 0;
  for (let left = 4, pass = -1; left > 0; rounds++) {
    if (rounds > 3000) return ['the scan does not complete its passes'];
    store(await pollOnce({ limit: 25, pages: 4, meanwhile: [] }));
    if ((state.created.walk?.tail ?? null) === null && state.scan !== null && state.scan.pass !== pass) {
      left--;
      ({ pass } = state.scan);
    }
  }
  const idle: readonly SubscriptionEvent[] = (await pollOnce({ limit: 5, pages: 4, meanwhile: [] })).events;
  return [...replica.compare(list.rows()), ...idle.map(({ type }) => `reported by an idle poll: ${type}`)];
}

for (const crashes of [false, true]) {
  it(`reports every lasting change ${crashes ? 'also where polls crash or overlap' : 'exactly once'}`, async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async (random) => {
        expect(await runSchedule(random, crashes)).toEqual([]);
      }),
      { numRuns: runs },
    );
  });
}
