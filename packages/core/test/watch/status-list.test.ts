/** Watching the list of one status, and the reducer of the scan. */
import {
  pollWatch,
  recordSeen,
  scan,
  startScan,
  subscriptionEventTypes,
  type SubscriptionEvent,
} from '@newsletter-kit/core/watch';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from './subscription-list.ts';
import { Watch, textsOf, publication } from './watched-list.ts';

describe('the list of one status', () => {
  it('reports subscriptions that enter it, without reading the others', async () => {
    const { list, rows } = publication(300);
    for (const { id } of rows.slice(0, 20)) list.change(id, { status: 'inactive' });
    const watch = new Watch(list, { list: 'inactive', events: ['unsubscribed'] });
    expect((await watch.poll()).events).toEqual([]);
    for (const { id } of rows.slice(100, 103)) list.change(id, { status: 'inactive' });
    list.requests = 0;
    const { events, scan } = await watch.poll();
    expect(textsOf(events).sort()).toEqual(
      rows
        .slice(100, 103)
        .map(({ id }) => `unsubscribed ${id} null>inactive`)
        .sort(),
    );
    expect(list.requests).toBe(1);
    expect(scan?.known).toBe(23);
  });

  it('reports again a subscription that left and came back, and no other twice', async () => {
    const { list, rows } = publication(30);
    const watch = new Watch(list, { list: 'inactive', events: ['unsubscribed'], limit: 4 });
    await watch.poll();
    const seen: string[] = [];
    for (const status of ['inactive', 'inactive', 'active', 'inactive', 'inactive']) {
      list.change(rows[3]!.id, { status });
      list.change(rows[4]!.id, { status: 'inactive' });
      seen.push(...textsOf((await watch.poll()).events));
    }
    const line = (row: Row | undefined) => `unsubscribed ${row?.id} null>inactive`;
    expect(seen.sort()).toEqual([line(rows[3]), line(rows[3]), line(rows[4])].sort());
  });

  it('starts a new scan for another status', async () => {
    const { list, rows } = publication(30);
    const watch = new Watch(list, { list: 'inactive' });
    await watch.poll();
    expect((await watch.poll({ list: 'active' })).events).toEqual([]);
    list.change(rows[0]!.id, { status: 'pending' });
    await watch.poll({ list: 'active' });
    list.change(rows[0]!.id, { status: 'active' });
    expect(textsOf((await watch.poll({ list: 'active' })).events)).toEqual([
      `became_active ${rows[0]!.id} null>active`,
    ]);
  });

  it('misses no subscription that stays in it, whatever is added and removed meanwhile', async () => {
    const turn = fc.record({ at: fc.nat({ max: 19 }), status: fc.constantFrom('active', 'inactive') });
    const round = fc.record({
      turns: fc.array(turn, { maxLength: 4 }),
      meanwhile: fc.array(turn, { maxLength: 3 }),
      limit: fc.integer({ min: 1, max: 5 }),
      forget: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { maxLength: 25 }), fc.constantFrom(0, 20_000), async (rounds, apart) => {
        const { list, rows } = publication(20, 'active', apart);
        const flip = ({ at, status }: { at: number; status: string }) => list.change(rows[at]!.id, { status });
        const watch = new Watch(list, { list: 'inactive', events: ['unsubscribed'], pages: 3 });
        /** Number of `unsubscribed` events by id. */
        const reported = new Map<string, number>();
        const left = new Map<string, number>();
        const collect = (events: readonly SubscriptionEvent<Row>[]) => {
          for (const event of events) {
            if (event.type !== 'unsubscribed') continue;
            reported.set(event.subscription.id, (reported.get(event.subscription.id) ?? 0) + 1);
          }
        };
        const passes = async (count: number) => {
          for (
            let polls = 0, end = (watch.state.scan?.pass ?? 0) + count;
            (watch.state.scan?.pass ?? 0) < end && polls < 500;
            polls++
          )
            collect((await watch.poll({ limit: 5, pages: 5 })).events);
        };
        await passes(2);
        for (const { turns, meanwhile, limit, forget } of rounds) {
          const waiting = [...meanwhile];
          list.meanwhile = () => waiting.splice(0, 1).forEach(applyChange);
          turns.forEach(applyChange);
          if (forget) list.forgetCursors();
          collect((await watch.poll({ limit })).events);
        }
        function applyChange(what: { at: number; status: string }): void {
          const { id } = rows[what.at]!;
          if (list.get(id)?.status === 'inactive' && what.status === 'active') left.set(id, (left.get(id) ?? 0) + 1);
          flip(what);
        }
        list.meanwhile = () => undefined;
        await passes(3);
        const inactive = list.rows().filter(({ status }) => status === 'inactive');
        expect(inactive.filter(({ id }) => !reported.has(id))).toEqual([]);
        // No subscription is reported more often than it entered the list.
        expect([...reported].filter(([id, count]) => count > (left.get(id) ?? 0) + 1)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});

describe('the reducer of the scan', () => {
  it('does not miss subscriptions of the second that an unfinished walk of "created" has reached', () => {
    const { list } = publication(1);
    const [before, late] = list.insert(2);
    const view = {
      fields: 'none',
      now: 0,
      seen: { created: list.now, ids: [before!.id] },
      createdInProgress: true,
    } as const;
    const page = { items: [before!, late!], nextCursor: null };
    let { state } = recordSeen(startScan(), [late!], 'none', true);
    for (let pass = 0; pass < 5; pass++) {
      const step = scan(state, page, view);
      expect(step.events).toEqual([]);
      ({ state } = step);
    }
    expect(state.pass).toBe(5);
  });

  it('reports no late one of that second as removed where the walk takes several polls', async () => {
    const { list } = publication(1);
    list.insert(30);
    const watch = new Watch(list);
    await watch.poll();
    const late = list.insert(3);
    let { state } = watch;
    const texts: string[] = [];
    for (let polls = 0; polls < 12; polls++) {
      const read = { newest: list.readers(() => 1).newest, oldest: list.readers(() => 100).oldest };
      const result = await pollWatch<Row>({ state, read, events: subscriptionEventTypes, now: 0, pages: 4 });
      ({ state } = result);
      texts.push(...textsOf(result.events));
    }
    expect(state.scan?.pass).toBeGreaterThan(10);
    expect(texts.filter((text) => !text.startsWith('status_changed')).sort()).toEqual(
      late.map(({ id }) => `created ${id}`).sort(),
    );
  });
});
