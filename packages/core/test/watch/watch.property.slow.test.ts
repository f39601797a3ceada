/**
 * Nothing missed ever, nothing twice without a crash: whole schedules of a publication's life, against an exact model.
 *
 * `npm test` follows some hundred; all 20,000 with
 * `WATCH_RUNS=20000 npm test -- packages/core/test/watch`, which takes some minutes. `TEST_SEED` repeats
 * a run.
 *
 * "Missed" means: of a subscription that was met, or told to be new, something other was true for a whole pass of the
 * scan than what was told. What changes and changes back between two looks may merge. A poll that crashed, or came too
 * late behind another, told what is told again as long as it is true.
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
import { Ledger } from './ledger.ts';
import { SubscriptionList, type Row } from './list.ts';

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
  /** What happens while it reads. */
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

function apply(list: SubscriptionList, happening: Change): void {
  if (happening.kind === 'insert') return void list.insert(happening.count, happening.status);
  if (happening.kind === 'tick') return void (list.now += happening.seconds);
  const rows = list.rows();
  const row = rows[happening.at % Math.max(1, rows.length)];
  if (row === undefined) return;
  if (happening.kind === 'flip') list.change(row.id, { status: happening.status });
  else if (happening.kind === 'tier') list.change(row.id, { subscription_tier: happening.tier });
  else if (happening.kind === 'field')
    list.change(row.id, {
      custom_fields: happening.value === null ? [] : [{ name: 'Colour', value: happening.value }],
    });
  else list.remove(row.id);
}

const everything = ['created', 'became_active', 'unsubscribed', 'status_changed', 'updated', 'removed'] as const;

/** Lives through a schedule and tells what the ledger found wrong. */
async function follow({ before, zone, steps }: Schedule, crashes: boolean): Promise<string[]> {
  const list = new SubscriptionList();
  list.zone = zone * 3600;
  for (let count = 0; count < before; count++) {
    list.insert(1, statuses[count % statuses.length]);
    if (count % 3 === 0) list.now += 50_000 * count;
  }
  const ledger = new Ledger();
  let state: WatchState = startWatch('model');
  let seenByScan: Row[] = [];

  async function look({
    limit,
    pages,
    meanwhile,
  }: Pick<Poll, 'limit' | 'pages' | 'meanwhile'>): Promise<WatchResult<Row>> {
    const waiting = [...meanwhile];
    const readers = list.readers(() => limit);
    seenByScan = [];
    const oldest: typeof readers.oldest = async (place) => {
      const page = await readers.oldest(place);
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

  function keep(result: WatchResult<Row>): void {
    const fresh = new Set(result.events.flatMap((event) => (event.type === 'created' ? [event.subscription.id] : [])));
    const { seen } = result.state.created;
    for (const row of seenByScan) {
      const beyond =
        seen === null ||
        row.created > seen.created ||
        (row.created === seen.created && !seen.settled && !seen.ids.includes(row.id));
      if (!beyond && !fresh.has(row.id)) ledger.learn(row);
    }
    ledger.hear(result.events);
    // Kept as text, as a file or a database would.
    state = readWatchState(JSON.parse(JSON.stringify(result.state)), 'model');
  }

  for (const happening of steps) {
    if (happening.kind === 'forget') list.forgetCursors();
    else if (happening.kind !== 'poll') apply(list, happening);
    else {
      if (crashes && happening.ends === 'overlapped') await look({ limit: 3, pages: 2, meanwhile: [] });
      const result = await look(happening);
      if (!(crashes && happening.ends === 'crash')) keep(result);
    }
  }
  // Nothing happens any more: all that is new is told, the pass under way ends, and three whole ones follow.
  let rounds = 0;
  for (let left = 4, pass = -1; left > 0; rounds++) {
    if (rounds > 3000) return ['the scan does not come to its end'];
    keep(await look({ limit: 25, pages: 4, meanwhile: [] }));
    if ((state.created.walk?.tail ?? null) === null && state.scan !== null && state.scan.pass !== pass) {
      left--;
      ({ pass } = state.scan);
    }
  }
  const idle: readonly SubscriptionEvent[] = (await look({ limit: 5, pages: 4, meanwhile: [] })).events;
  return [...ledger.compare(list.rows()), ...idle.map(({ type }) => `told in an idle poll: ${type}`)];
}

for (const crashes of [false, true]) {
  it(`tells every change that lasts, ${crashes ? 'also where polls crash or overlap' : 'once'}, whatever happens meanwhile`, async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async (life) => {
        expect(await follow(life, crashes)).toEqual([]);
      }),
      { numRuns: runs },
    );
  });
}
