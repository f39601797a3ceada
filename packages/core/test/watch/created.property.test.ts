/**
 * No record is missed and none is reported twice without a crash: random bursts, equal creation times, deletions, page
 * sizes, budgets, crashes and cursors that are no longer accepted.
 */
import { pollCreated, startCreated } from '@newsletter-kit/core/watch';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { SubscriptionList } from './subscription-list.ts';

const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('insert' as const), count: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('tick' as const), seconds: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('poll' as const),
      limit: fc.integer({ min: 1, max: 6 }),
      pages: fc.integer({ min: 1, max: 3 }),
      crash: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const) }) },
);

type Step = typeof event extends fc.Arbitrary<infer T> ? T : never;

async function runSchedule(schedule: readonly Step[], crashes: boolean) {
  const publication = new SubscriptionList((number) => `sub_${number}`);
  publication.insert(3);
  let { state } = await pollCreated({ state: startCreated(), read: publication.readers(() => 100).newest, pages: 1 });
  const inserted = new Set<string>();
  const reported: string[] = [];
  const deleted = new Set<string>();

  for (const step of schedule) {
    if (step.kind === 'insert') for (const { id } of publication.insert(step.count)) inserted.add(id);
    else if (step.kind === 'tick') publication.now += step.seconds;
    else if (step.kind === 'forget') publication.forgetCursors();
    else if (step.kind === 'delete') {
      const rows = publication.rows();
      const gone = rows[step.at % rows.length]?.id ?? '';
      deleted.add(gone);
      publication.remove(gone);
    } else {
      const result = await pollCreated({
        state,
        read: publication.readers(() => step.limit).newest,
        pages: step.pages,
      });
      reported.push(...result.events.map(({ id }) => id));
      // A crash between reporting the events and storing the state.
      if (!(crashes && step.crash)) ({ state } = result);
    }
  }
  // Two complete polls: the first finishes an earlier one, the second reads records created since.
  for (let ends = 0; ends < 2;) {
    const result = await pollCreated({ state, read: publication.readers(() => 5).newest, pages: 2 });
    reported.push(...result.events.map(({ id }) => id));
    state = result.state;
    if (result.complete) ends++;
  }
  return { inserted, deleted, reported };
}

for (const crashes of [false, true]) {
  it(`reports every new record ${crashes ? 'at least once when it crashes' : 'exactly once'}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 60, size: 'max' }), async (schedule) => {
        const { inserted, deleted, reported } = await runSchedule(schedule, crashes);
        const missed = [...inserted].filter((id) => !deleted.has(id) && !reported.includes(id));
        expect(missed).toEqual([]);
        expect(reported.filter((id) => !inserted.has(id))).toEqual([]);
        if (!crashes) expect(reported.length).toBe(new Set(reported).size);
      }),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 1000) },
    );
  });
}
