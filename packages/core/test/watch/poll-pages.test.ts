/** The pages that a poll reads: their number, refused cursors and failed reads. */
import { pollWatch, subscriptionEventTypes } from '@newsletter-kit/core/watch';
import { describe, expect, it } from 'vitest';
import { SubscriptionList, type Row } from './subscription-list.ts';
import { type Options, Watch, textsOf, publication } from './watched-list.ts';

describe('the cost', () => {
  it.each([1, 99, 100, 101, 250])(
    'of a poll with %i new ones is at most a hundredth of them and two',
    async (count) => {
      const { list } = publication(500);
      const watch = new Watch(list, { events: ['created'] });
      await watch.poll();
      for (let made = 0; made < count; made++, list.now++) list.insert(1);
      list.requests = 0;
      expect((await watch.poll()).events).toHaveLength(count);
      expect(list.requests).toBeLessThanOrEqual(count / 100 + 2);
    },
  );

  it('of an idle poll is one request again a minute after ten pages within one second, and no late record is lost', async () => {
    const { list } = publication(500);
    const watch = new Watch(list, { events: ['created'], pages: 50 });
    await watch.poll();
    list.insert(1000);
    expect((await watch.poll()).events).toHaveLength(1000);
    // Still within that second.
    for (let polls = 0; polls < 3; polls++) expect((await watch.poll()).events).toEqual([]);
    const late = list.insert(3);
    expect(textsOf((await watch.poll()).events).sort()).toEqual(late.map(({ id }) => `created ${id}`).sort());
    for (let polls = 0; polls < 2; polls++, list.now += 60) expect((await watch.poll()).events).toEqual([]);
    const { state } = watch;
    expect(JSON.stringify(state).length).toBeLessThan(300);
    list.requests = 0;
    expect((await watch.poll()).state).toBe(state);
    expect(list.requests).toBe(1);
    const [next] = list.insert(1);
    expect(textsOf((await watch.poll()).events)).toEqual([`created ${next!.id}`]);
  });

  it('of a poll with the scan stays within the budget, and a burst leaves the scan a quarter of it', async () => {
    const { list } = publication(60);
    const watch = new Watch(list, { limit: 2, pages: 8 });
    for (let polls = 0; polls < 10; polls++) {
      for (let made = 0; made < 40; made++, list.now++) list.insert(1);
      const before = watch.state.scan?.reached ?? 0;
      const pass = watch.state.scan?.pass;
      list.requests = 0;
      await watch.poll();
      expect(list.requests).toBeLessThanOrEqual(8);
      if (polls > 0 && watch.state.scan?.pass === pass) expect(watch.state.scan?.reached).toBeGreaterThan(before);
    }
  });
});

describe('the pages of a poll', () => {
  /** Counts the pages of each kind that one more poll reads; `fail` makes a reader reject. */
  async function pagesOf(watch: Watch, more: Options, fail?: { newest?: number; oldest?: number; error: unknown }) {
    const read = { newest: 0, oldest: 0 };
    const { limit = 2, ...rest } = { ...watch.options, ...more };
    const readers = watch.list.readers(() => limit, rest.list ?? null);
    const result = pollWatch<Row>({
      state: watch.state,
      events: subscriptionEventTypes,
      now: watch.list.now * 1000,
      ...rest,
      read: {
        newest: (cursor) => ((read.newest += 1) === fail?.newest ? Promise.reject(fail.error) : readers.newest(cursor)),
        oldest: (place) => ((read.oldest += 1) === fail?.oldest ? Promise.reject(fail.error) : readers.oldest(place)),
      },
    });
    return { read, result: await result };
  }
  /** A watch that knows 60 subscriptions, and 40 that came since. */
  async function burst(options: Options = {}): Promise<Watch> {
    const { list } = publication(60);
    const watch = new Watch(list, { limit: 2, ...options });
    await watch.poll({ pages: 10 });
    for (let made = 0; made < 40; made++, list.now++) list.insert(1);
    return watch;
  }

  it('are ten, of which the scan has a quarter, if others are watched than new subscriptions', async () => {
    expect((await pagesOf(await burst(), {})).read).toEqual({ newest: 8, oldest: 2 });
    expect((await pagesOf(await burst(), { pages: 8 })).read).toEqual({ newest: 6, oldest: 2 });
    expect((await pagesOf(await burst({ events: ['created'] }), {})).read).toEqual({ newest: 10, oldest: 0 });
    for (const pages of [0, 1])
      expect((await pagesOf(await burst(), { pages })).read).toEqual({ newest: 1, oldest: 0 });
    expect((await pagesOf(await burst({ list: 'active', events: ['created'] }), { pages: 0 })).read).toEqual({
      newest: 0,
      oldest: 1,
    });
  });

  it('are of the scan only after the first watermark is known', async () => {
    const list = new SubscriptionList();
    list.insert(20);
    const watch = new Watch(list);
    const first = await pagesOf(watch, { pages: 1 });
    expect(first.result).toMatchObject({ complete: false, scan: { share: 0, passes: 0, known: 0 } });
    watch.state = first.result.state;
    expect((await pagesOf(watch, { pages: 4 })).read).toEqual({ newest: 3, oldest: 0 });
  });

  it('of the scan skip subscriptions that are not reported yet', async () => {
    const { list } = publication(2);
    const watch = new Watch(list, { limit: 2 });
    await watch.poll();
    const stretches = () => watch.state.scan?.stretches.map(({ to }) => to);
    const seen = watch.state.created.seen?.created ?? 0;
    expect(stretches()).toEqual([seen]);
    for (let made = 0; made < 40; made++, list.now++) list.insert(1);
    const { read, result } = await pagesOf(watch, { pages: 8 });
    expect(read).toEqual({ newest: 6, oldest: 2 });
    expect(result).toMatchObject({ complete: false, scan: { known: 14, passes: 2 } });
    expect(result).not.toHaveProperty('interruption');
    watch.state = result.state;
    expect(stretches()).toContain(seen - 1);
    const small = await pagesOf(await burst(), { pages: 1 });
    expect(small.result.scan?.known).toBe(20);
  });

  it('are read of the list of a status whatever was new before, and end without an error', async () => {
    const { list } = publication(4);
    const watch = new Watch(list, { limit: 2 });
    await watch.poll();
    list.now += 60;
    list.insert(2, 'active');
    const { read, result } = await pagesOf(watch, { list: 'active', events: ['became_active'] });
    expect(read).toEqual({ newest: 0, oldest: 3 });
    expect(result).toMatchObject({ complete: true, scan: { known: 6, passes: 2 } });
    expect(result).not.toHaveProperty('interruption');
    expect(result.state.scan).toMatchObject({ fields: 'none', list: 'active' });
  });

  it('are one where there is no time, and nothing changes without a page of the scan', async () => {
    const inTime = (count: number) => {
      let asked = 0;
      return { hasTime: () => (asked += 1) <= count };
    };
    const alone = await burst({ list: 'active' });
    expect((await pagesOf(alone, inTime(0))).read).toEqual({ newest: 0, oldest: 1 });
    const { list } = publication(40);
    const idle = new Watch(list, { limit: 2 });
    await idle.poll();
    expect((await pagesOf(idle, inTime(1))).read).toEqual({ newest: 1, oldest: 1 });
    expect((await pagesOf(idle, inTime(0))).result.state).toBe(idle.state);
    const error = new Error('down');
    expect((await pagesOf(idle, {}, { oldest: 2, error })).result.interruption).toBe(error);
  });

  it('end with the first that fails', async () => {
    const error = new Error('down');
    await expect(pagesOf(await burst(), {}, { newest: 1, error })).rejects.toBe(error);
    const newest = await pagesOf(await burst(), {}, { newest: 2, error });
    expect(newest.read).toEqual({ newest: 2, oldest: 0 });
    expect(newest.result).toMatchObject({ interruption: error, complete: false });
    expect(newest.result.events.filter(({ type }) => type === 'created')).toHaveLength(2);
    const oldest = await pagesOf(await burst(), {}, { oldest: 2, error });
    expect(oldest.read).toEqual({ newest: 8, oldest: 2 });
    expect(oldest.result).toMatchObject({ interruption: error, state: { scan: { met: 20 } } });
    expect((await pagesOf(await burst(), {})).result).not.toHaveProperty('interruption');
    const alone = await burst({ list: 'active' });
    await expect(pagesOf(alone, {}, { oldest: 1, error })).rejects.toBe(error);
  });

  it('are requested again by the day only for a refused cursor of an earlier poll', async () => {
    const watch = await burst({ list: 'validating', limit: 2 });
    await watch.poll({ pages: 3 });
    expect(watch.state.scan?.place.cursor).not.toBeNull();
    watch.list.forgetCursors();
    const refused: unknown = await watch.list
      .readers(() => 2)
      .newest('unknown')
      .catch((error: unknown) => error);
    const fresh = new Watch(watch.list, { list: 'validating', limit: 2 });
    await expect(pagesOf(fresh, {}, { oldest: 1, error: refused })).rejects.toBe(refused);
    const again = await pagesOf(watch, { pages: 1 });
    expect(again.read.oldest).toBe(2);
    expect(again.result.state.scan?.place.day).not.toBeNull();
    await expect(pagesOf(watch, {}, { oldest: 1, error: new RangeError('another') })).rejects.toThrow('another');
    await expect(pagesOf(watch, {}, { oldest: 2, error: refused })).rejects.toBe(refused);
    const later = await pagesOf(watch, {}, { oldest: 3, error: refused });
    expect(later.result.interruption).toBe(refused);
  });

  it('are no longer read by the scan, and its table is dropped, where new subscriptions alone are watched', async () => {
    const watch = await burst();
    const { read, result } = await pagesOf(watch, { events: ['created'], pages: 30 });
    expect(read.oldest).toBe(0);
    expect(result).toMatchObject({ scan: null, state: { scan: null } });
    watch.state = result.state;
    expect((await pagesOf(watch, { events: ['created'] })).result.state).toBe(result.state);
  });
});

describe('a cursor that the service no longer accepts', () => {
  it.each([-12, -5, 0, 9, 14])(
    'is made up for by the days of creation, in whatever zone they begin (UTC%i)',
    async (hours) => {
      const { list, rows } = publication(60, 'active', 3 * 3600);
      list.zone = hours * 3600;
      const watch = new Watch(list, { limit: 5, pages: 4 });
      for (let polls = 0; polls < 12; polls++) {
        list.forgetCursors();
        expect((await watch.poll()).events).toEqual([]);
      }
      expect(watch.state.scan?.pass).toBeGreaterThan(0);
      for (const { id } of rows) list.change(id, { status: 'inactive' });
      const unsubscribed: string[] = [];
      for (let polls = 0; polls < 24; polls++) {
        list.forgetCursors();
        for (const event of (await watch.poll()).events)
          if (event.type === 'unsubscribed') unsubscribed.push(event.subscription.id);
      }
      expect(unsubscribed.sort()).toEqual(rows.map(({ id }) => id).sort());
    },
  );

  it('costs no request for days without known subscriptions', async () => {
    const list = new SubscriptionList();
    for (let year = 0; year < 4; year++, list.now += 365 * 86_400) list.insert(5, 'active');
    const watch = new Watch(list, { limit: 5, pages: 50 });
    await watch.poll();
    await watch.poll({ pages: 3 });
    list.forgetCursors();
    list.requests = 0;
    const { pass } = watch.state.scan!;
    await watch.poll({ pages: 50 });
    expect(watch.state.scan?.pass).toBe(pass + 1);
    expect(list.requests).toBeLessThan(20);
  });
});
