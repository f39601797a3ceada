/** Watching subscriptions: events, number of requests, and stored state. */
import {
  CapacityError,
  recordSeen,
  isRemoved,
  pollWatch,
  readWatchState,
  scan,
  startCreated,
  startScan,
  startWatch,
  subscriptionEventTypes,
  watchSubscriptions,
  WatchStateError,
  type SubscriptionEvent,
  type WatchPoll,
  type WatchState,
} from '@newsletter-kit/core/watch';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/index.ts';
import { json, scriptedHost, type Scripted } from '../engine/scripted-host.ts';
import { SubscriptionList, type Row } from './subscription-list.ts';

type Options = Partial<Omit<WatchPoll<Row>, 'state' | 'read'>> & { readonly limit?: number };

/** A watch over a list that keeps its state between polls. */
class Watch {
  state: WatchState = startWatch();
  readonly list: SubscriptionList;
  readonly options: Options;

  constructor(list: SubscriptionList, options: Options = {}) {
    this.list = list;
    this.options = options;
  }

  async poll(more: Options = {}) {
    const { limit = 100, ...rest } = { ...this.options, ...more };
    const result = await pollWatch<Row>({
      state: this.state,
      read: this.list.readers(() => limit, rest.list ?? null),
      events: subscriptionEventTypes,
      now: this.list.now * 1000,
      ...rest,
    });
    this.state = result.state;
    return result;
  }
}

/** Each event as a text. */
function textsOf(events: readonly SubscriptionEvent[]): string[] {
  return events.map((event) => {
    if (event.type === 'removed') return `removed ${event.created}`;
    const detail =
      event.type === 'updated' ? ` ${event.changed.join('+')}` : 'from' in event ? ` ${event.from}>${event.to}` : '';
    return `${event.type} ${event.subscription.id}${detail}`;
  });
}

/** A publication with so many subscriptions, one a minute. */
function publication(count: number, status = 'active', seconds = 60): { list: SubscriptionList; rows: Row[] } {
  const list = new SubscriptionList();
  const rows = Array.from({ length: count }, () => {
    list.now += seconds;
    return list.insert(1, status)[0]!;
  });
  list.now += 60;
  return { list, rows };
}

describe('the first poll of a publication', () => {
  it('reports nothing, however long it takes', async () => {
    const { list } = publication(40);
    const watch = new Watch(list, { limit: 5, pages: 2 });
    for (let polls = 0; polls < 12; polls++) expect((await watch.poll()).events).toEqual([]);
    expect(watch.state.scan?.pass).toBeGreaterThan(0);
  });

  it('reports its progress and its staleness', async () => {
    const { list } = publication(100);
    const watch = new Watch(list, { limit: 10, pages: 4 });
    const shares: number[] = [];
    for (let polls = 0; polls < 4; polls++, list.now += 60) {
      const { scan } = await watch.poll();
      shares.push(scan?.share ?? -1);
      if (watch.state.scan?.pass === 0) expect(scan?.stalenessMs).toBeNull();
    }
    expect(shares).toEqual([expect.closeTo(0.3, 1), expect.closeTo(0.6, 1), expect.closeTo(0.9, 1), 0]);
    list.now += 600;
    const later = await watch.poll();
    expect(later.scan).toMatchObject({ passes: 1, known: 100, share: 0.3 });
    // Its oldest part now is where the first slice ended, looked at with the second poll.
    expect(later.scan?.stalenessMs).toBe((60 * 3 + 600) * 1000);
  });
});

describe('a change of status', () => {
  it('is reported with from and to, and as its own event', async () => {
    const { list, rows } = publication(3, 'pending');
    const watch = new Watch(list);
    await watch.poll();
    list.change(rows[0]!.id, { status: 'active' });
    list.change(rows[1]!.id, { status: 'inactive' });
    list.change(rows[2]!.id, { status: 'needs_attention' });
    expect(textsOf((await watch.poll()).events).sort()).toEqual([
      `became_active ${rows[0]!.id} pending>active`,
      `status_changed ${rows[0]!.id} pending>active`,
      `status_changed ${rows[1]!.id} pending>inactive`,
      `status_changed ${rows[2]!.id} pending>needs_attention`,
      `unsubscribed ${rows[1]!.id} pending>inactive`,
    ]);
    expect((await watch.poll()).events).toEqual([]);
  });

  it('is reported only as the requested events', async () => {
    const { list, rows } = publication(2);
    const watch = new Watch(list, { events: ['unsubscribed'] });
    await watch.poll();
    list.insert(1);
    list.change(rows[0]!.id, { status: 'inactive', subscription_tier: 'premium' });
    expect(textsOf((await watch.poll()).events)).toEqual([`unsubscribed ${rows[0]!.id} active>inactive`]);
  });

  it('of a new subscription to active between two polls is reported with its creation, once', async () => {
    const { list } = publication(2);
    const watch = new Watch(list);
    await watch.poll();
    const [fresh] = list.insert(1, 'active');
    expect(textsOf((await watch.poll()).events)).toEqual([
      `created ${fresh!.id}`,
      `became_active ${fresh!.id} null>active`,
    ]);
    expect((await watch.poll()).events).toEqual([]);
  });

  it('that follows the reported creation has a from', async () => {
    const { list } = publication(2);
    const watch = new Watch(list, { events: ['created', 'status_changed'] });
    await watch.poll();
    const [fresh] = list.insert(1, 'pending');
    expect(textsOf((await watch.poll()).events)).toEqual([`created ${fresh!.id}`]);
    list.change(fresh!.id, { status: 'active' });
    expect(textsOf((await watch.poll()).events)).toEqual([`status_changed ${fresh!.id} pending>active`]);
  });

  it('among the newest is found on the pages for new subscriptions, long before the scan', async () => {
    const { list, rows } = publication(50);
    const watch = new Watch(list, { limit: 10, pages: 3 });
    for (let polls = 0; polls < 3; polls++) await watch.poll();
    expect(watch.state.scan).toMatchObject({ pass: 1, reached: null });
    list.change(rows[49]!.id, { status: 'inactive' });
    const { events, scan } = await watch.poll({ pages: 1 });
    expect(textsOf(events)).toContain(`unsubscribed ${rows[49]!.id} active>inactive`);
    expect(scan?.share).toBe(0);
  });

  it('to an unknown status is reported like any other', async () => {
    const { list, rows } = publication(1);
    const watch = new Watch(list);
    await watch.poll();
    list.change(rows[0]!.id, { status: 'on_hold' });
    expect(textsOf((await watch.poll()).events)).toEqual([`status_changed ${rows[0]!.id} active>on_hold`]);
  });
});

describe('an update', () => {
  const colour = (value: unknown) => [
    { name: 'Colour', value },
    { name: 'Size', value: 4 },
  ];

  it('says which of tier and custom fields changed', async () => {
    const { list, rows } = publication(3);
    for (const { id } of rows) list.change(id, { custom_fields: colour('blue') });
    const watch = new Watch(list, { customFields: 'all' });
    await watch.poll();
    list.change(rows[0]!.id, { subscription_tier: 'premium' });
    list.change(rows[1]!.id, { custom_fields: colour('red') });
    list.change(rows[2]!.id, { subscription_premium_tier_names: ['Gold'], custom_fields: [] });
    expect(textsOf((await watch.poll()).events)).toEqual([
      `updated ${rows[0]!.id} tier`,
      `updated ${rows[1]!.id} custom_fields`,
      `updated ${rows[2]!.id} tier+custom_fields`,
    ]);
  });

  it('is not made by the order of fields or of the values in a list, nor by an empty value', async () => {
    const { list, rows } = publication(1);
    const id = rows[0]!.id;
    list.change(id, { custom_fields: [{ name: 'Topics', value: ['ai', 'design'] }, ...colour('blue')] });
    const watch = new Watch(list, { customFields: 'all' });
    await watch.poll();
    list.change(id, {
      custom_fields: [
        ...colour('blue').toReversed(),
        { name: 'Topics', value: ['design', 'ai'] },
        { name: 'Note', value: '' },
      ],
    });
    expect((await watch.poll()).events).toEqual([]);
  });

  it('is reported for the chosen fields alone; another choice starts a new scan and reports nothing old', async () => {
    const { list, rows } = publication(1);
    const id = rows[0]!.id;
    list.change(id, { custom_fields: colour('blue') });
    const watch = new Watch(list, { customFields: ['Size'] });
    await watch.poll();
    list.change(id, { custom_fields: colour('red') });
    expect((await watch.poll()).events).toEqual([]);
    expect((await watch.poll({ customFields: ['Colour'] })).events).toEqual([]);
    list.change(id, { custom_fields: colour('green') });
    expect(textsOf((await watch.poll({ customFields: ['Colour'] })).events)).toEqual([`updated ${id} custom_fields`]);
  });

  it('is not made by pages that do not carry the fields', async () => {
    const { list, rows } = publication(1);
    const watch = new Watch(list, { customFields: 'all' });
    list.change(rows[0]!.id, { custom_fields: colour('blue') });
    await watch.poll();
    const bare = list.readers(() => 100);
    const { events } = await pollWatch<Row>({
      state: watch.state,
      events: subscriptionEventTypes,
      customFields: 'all',
      now: 0,
      read: {
        newest: bare.newest,
        oldest: async (place) => {
          const { items, nextCursor } = await bare.oldest(place);
          return { items: items.map(({ custom_fields: _, ...row }) => row as Row), nextCursor };
        },
      },
    });
    expect(events).toEqual([]);
  });
});

describe('a removed subscription', () => {
  it('is reported after two complete passes without it, and can be found by its id', async () => {
    const { list, rows } = publication(30);
    const watch = new Watch(list, { limit: 7, pages: 20 });
    await watch.poll();
    list.remove(rows[10]!.id);
    expect((await watch.poll()).events).toEqual([]);
    const { events } = await watch.poll();
    expect(textsOf(events)).toEqual([`removed ${rows[10]!.created}`]);
    const [event] = events;
    expect(event?.type === 'removed' && rows.filter((row) => isRemoved(event, row))).toEqual([rows[10]]);
    expect((await watch.poll()).events).toEqual([]);
  });

  it('is not reported for a subscription that one pass skipped because pages moved', async () => {
    const { list } = publication(30);
    const watch = new Watch(list, { limit: 7, pages: 20 });
    await watch.poll();
    const honest = list.readers(() => 7);
    const moved = await pollWatch<Row>({
      state: watch.state,
      events: subscriptionEventTypes,
      now: 0,
      pages: 20,
      read: {
        newest: honest.newest,
        oldest: async (place) => {
          const { items, nextCursor } = await honest.oldest(place);
          return { items: place.cursor === null ? items.slice(0, -1) : items, nextCursor };
        },
      },
    });
    watch.state = moved.state;
    for (let polls = 0; polls < 4; polls++) expect((await watch.poll()).events).toEqual([]);
  });
});

describe('the cost', () => {
  it('of an idle poll for "created" is one request, and the state stays as it was, identically', async () => {
    const { list } = publication(500);
    const watch = new Watch(list, { events: ['created'] });
    const { state } = await watch.poll();
    list.requests = 0;
    expect((await watch.poll()).state).toBe(state);
    expect(list.requests).toBe(1);
  });

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

  it('ends in time', async () => {
    const { list } = publication(60);
    const watch = new Watch(list, { limit: 2, pages: 50, hasTime: () => false });
    await watch.poll();
    list.requests = 0;
    await watch.poll();
    expect(list.requests).toBe(1);
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
    expect(result).toMatchObject({ complete: true, scan: { known: 6, passes: 1 } });
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

describe('a failed read', () => {
  it('in the scan keeps the events before it and reports the error', async () => {
    const { list } = publication(30);
    const watch = new Watch(list, { limit: 5 });
    await watch.poll({ pages: 20 });
    const [fresh] = list.insert(1, 'pending');
    const failure = new Error('down');
    const readers = list.readers(() => 5);
    const result = await pollWatch<Row>({
      state: watch.state,
      events: subscriptionEventTypes,
      now: 0,
      read: { ...readers, oldest: () => Promise.reject(failure) },
    });
    expect(textsOf(result.events)).toEqual([`created ${fresh!.id}`]);
    expect(result.interruption).toBe(failure);
    expect(result.state.scan?.place).toEqual(watch.state.scan?.place);
  });

  it('on the first page fails the poll', async () => {
    const { list } = publication(3);
    const down = () => Promise.reject(new Error('down'));
    const watched = pollWatch<Row>({
      state: startWatch(),
      events: ['removed'],
      now: 0,
      read: { ...list.readers(() => 5), newest: down },
    });
    await expect(watched).rejects.toThrow('down');
  });
});

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
});

/** A state with a value in every place. */
const fullState: unknown = {
  version: 2,
  scope: '',
  revision: 7,
  created: {
    version: 1,
    seen: { created: 1_767_225_600, ids: ['sub_a'], noticed: 5, settled: true },
    walk: {
      head: { created: 1_767_225_660, ids: [] },
      tail: { created: 1_767_225_650, ids: ['sub_b'] },
      cursor: 'after-sub_b',
      began: 6,
    },
  },
  scan: {
    fields: 'none',
    list: 'all',
    table: [{ second: 1_767_225_600, hash: 4, width: 3, packed: 'A'.repeat(15) }],
    conditions: [['active', 'free']],
    pass: 5,
    place: { cursor: 'after-sub_c', day: '2026/01/31' },
    reached: 1_767_225_600,
    oldest: 1_767_225_000,
    met: 1,
    size: 2,
    stretches: [{ to: 1_767_225_600, at: 8 }],
  },
};

/** A copy of a JSON value with another value at the path. */
function withValue(json: unknown, [name, ...path]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(json))
    return json.map((item: unknown, index) => (index === Number(name) ? withValue(item, path, value) : item));
  const record: Readonly<Record<string, unknown>> = { ...(json as object) };
  return { ...record, [name]: withValue(record[name], path, value) };
}

describe('the state', () => {
  it('of "created" alone, as earlier versions stored it, is accepted', async () => {
    const { list } = publication(3);
    const watch = new Watch(list);
    const old = { ...startCreated(), seen: { created: list.now, ids: [] } };
    watch.state = readWatchState(JSON.parse(JSON.stringify(old)), 'mine');
    expect(watch.state).toMatchObject({ version: 2, scope: 'mine', created: old });
  });

  it('of another scope starts a new one, and so does a missing one', () => {
    const kept = { ...startWatch('one'), revision: 4 };
    expect(readWatchState(kept, 'one')).toBe(kept);
    expect(readWatchState(kept, 'two')).toEqual(startWatch('two'));
    expect(readWatchState(undefined, 'two')).toEqual(startWatch('two'));
    expect(readWatchState(undefined)).toMatchObject({ scope: '' });
    expect(startWatch()).toMatchObject({ scope: '' });
    expect(() => readWatchState('text')).toThrow(expect.objectContaining({ name: 'WatchStateError' }));
  });

  it.each([
    ['a later version', { ...startWatch(), version: 3 }, /version 3.*newer program/],
    ['no state', { any: 'thing' }, /damaged/],
    ['cut off', { ...startWatch(), created: { version: 1 } }, /damaged/],
    ['no record', 'text', /damaged/],
  ])('that is %s is refused with what to do', (_, kept, message) => {
    expect(() => readWatchState(kept)).toThrow(WatchStateError);
    expect(() => readWatchState(kept)).toThrow(message);
  });

  it('with a full scan and an unfinished walk of "created" is read back', () => {
    expect(readWatchState(fullState)).toBe(fullState);
    expect(readWatchState(null, 'two')).toEqual(startWatch('two'));
    expect(readWatchState(withValue(fullState, ['scan'], null))).toMatchObject({ revision: 7 });
  });

  it.each<[path: string, ...wrong: unknown[]]>([
    ['version', 1, '2', null],
    ['scope', null, 7],
    ['revision', -1, 1.5, '7'],
    ['created', null, []],
    ['created.version', 2],
    ['created.seen', {}, 'none'],
    ['created.seen.created', '5', Number.POSITIVE_INFINITY],
    ['created.seen.ids', 'sub_a', [7], ['sub_a', null]],
    ['created.seen.noticed', '5', null],
    ['created.seen.settled', false, null],
    ['created.walk', {}, 'none'],
    ['created.walk.head', null],
    ['created.walk.tail', {}, 7],
    ['created.walk.cursor', 7, undefined],
    ['created.walk.began', '5', null],
    ['scan', {}, 'none', undefined],
    ['scan.fields', null],
    ['scan.list', null],
    ['scan.table', {}, [null]],
    ['scan.table.0.second', '5', Number.NaN],
    ['scan.table.0.hash', -1, 1.5],
    ['scan.table.0.width', -1, 23, '3'],
    ['scan.table.0.packed', 5, '', 'A'.repeat(14), `${'A'.repeat(14)}+`, `+${'A'.repeat(14)}`],
    ['scan.table.0.bare', false, true],
    ['scan.conditions', {}, [['active']], [['active', 'free', 'more']], [[1, 'free']], [['active', 1]], ['ab']],
    ['scan.pass', -1, '5'],
    ['scan.place', null],
    ['scan.place.cursor', 7],
    ['scan.place.day', '2026-01-31', '2026/1/31', 'x2026/01/31', '2026/01/31x', '22026/01/31', ['2026/01/31']],
    ['scan.reached', '5', undefined],
    ['scan.oldest', '5', undefined],
    ['scan.met', -1, null],
    ['scan.size', -1, '5', undefined],
    ['scan.stretches', {}, [null]],
    ['scan.stretches.0.to', '5'],
    ['scan.stretches.0.at', '5', null],
  ])('is refused with another value as %s', (path, ...wrong) => {
    for (const value of wrong)
      expect(() => readWatchState(withValue(fullState, path.split('.'), value)), JSON.stringify(value)).toThrow(
        WatchStateError,
      );
  });

  it('is read back where a limit is just kept', () => {
    for (const [path, value] of [
      ['scan.table.0.width', 0],
      ['scan.table.0.width', 22],
      ['scan.table.0.packed', '_-'.repeat(15)],
      ['created.seen', null],
      ['created.walk', null],
      ['created.walk.tail', null],
      ['created.walk.cursor', null],
      ['created.walk.began', undefined],
      ['scan.place.day', null],
      ['scan.place.cursor', null],
      ['scan.reached', null],
      ['scan.oldest', null],
      ['scan.size', null],
      ['scan.conditions', [['active', null]]],
    ] as const) {
      const state = withValue(fullState, path.split('.'), value);
      expect(readWatchState(state), `${path}: ${value}`).toBe(state);
    }
    const bare = withValue(withValue(fullState, ['scan', 'table', '0', 'packed'], 'A'.repeat(20)), ['scope'], '');
    const state = withValue(bare, ['scan', 'table', '0', 'bare'], true);
    expect(readWatchState(state)).toBe(state);
  });

  it('with a truncated table is refused', async () => {
    const { list } = publication(3);
    const watch = new Watch(list);
    const { state } = await watch.poll();
    const [segment] = state.scan!.table;
    const damaged = { ...state, scan: { ...state.scan!, table: [{ ...segment!, packed: segment!.packed.slice(1) }] } };
    expect(() => readWatchState(JSON.parse(JSON.stringify(damaged)))).toThrow(WatchStateError);
  });

  it('counts the polls that changed it', async () => {
    const { list } = publication(3);
    const watch = new Watch(list, { events: ['created'] });
    await watch.poll();
    await watch.poll();
    list.insert(1);
    await watch.poll();
    expect(watch.state.revision).toBe(2);
  });

  it('holds no id and no address of the subscriptions', async () => {
    const { list, rows } = publication(30);
    const watch = new Watch(list);
    await watch.poll();
    const text = JSON.stringify(watch.state.scan);
    expect(rows.filter(({ id }) => text.includes(id))).toEqual([]);
  });

  it('does not grow beyond its capacity', async () => {
    const { list } = publication(30);
    const watch = new Watch(list, { capacity: 29 });
    await expect(watch.poll()).rejects.toThrow(CapacityError);
    await expect(watch.poll()).rejects.toMatchObject({ name: 'CapacityError', capacity: 29 });
    expect(new CapacityError(29, 30)).toMatchObject({
      size: 30,
      message: expect.stringContaining('holds 30 subscriptions, and the state may hold at most 29.'),
    });
    expect(new CapacityError(29)).toMatchObject({ size: null, message: expect.stringContaining('more than 29') });
    await expect(watch.poll({ capacity: 30 })).resolves.toBeDefined();
  });
});

describe('the watch of a publication on an engine', () => {
  const row = (id: string, created: number) => ({ id, email: `${id}@example.com`, status: 'active', created });
  const page = (...items: readonly object[]) => json({ data: items, has_more: false });
  function watching(
    options: Partial<Parameters<typeof watchSubscriptions>[0]>,
    ...script: readonly Scripted[]
  ): { watch: ReturnType<typeof watchSubscriptions>; host: ReturnType<typeof scriptedHost>; queries(): string[] } {
    const host = scriptedHost(script);
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1', retry: false });
    const queries = () =>
      host.sent.map(({ url }) => decodeURIComponent(url).replace('http://api.test/v2/publications/', ''));
    return { watch: watchSubscriptions({ engine, ...options }), host, queries };
  }

  it('asks for the newest subscriptions alone where nothing else is watched', async () => {
    const { watch, queries } = watching({}, page(row('sub_a', 5)), page(row('sub_b', 6), row('sub_a', 5)));
    expect((await watch.poll()).events).toEqual([]);
    const { events, state } = await watch.poll();
    expect(events).toMatchObject([{ type: 'created', subscription: { id: 'sub_b' } }]);
    expect(watch.state).toBe(state);
    expect(state.scope).toBe('');
    expect(queries()).toEqual(Array(2).fill('pub_1/subscriptions?order_by=created&limit=100&direction=desc'));
  });

  it('passes its options to every call, and follows cursors', async () => {
    const { watch, queries } = watching(
      { publicationId: 'pub_2', limit: 2, expand: ['stats', 'custom_fields'], customFields: 'all', pages: 3 },
      json({ data: [row('sub_b', 5), row('sub_a', 5)], has_more: true, next_cursor: 'x' }),
      json({ data: [], has_more: false, next_cursor: 'y' }),
    );
    expect(await watch.poll()).toMatchObject({ complete: true });
    expect(watch.state.scope).toBe('pub_2');
    const query = 'order_by=created&limit=2&direction=desc';
    expect(queries().map((each) => each.replace(/expand\[\]=stats&|expand\[\]=custom_fields&/g, ''))).toEqual([
      `pub_2/subscriptions?${query}`,
      `pub_2/subscriptions?${query}&cursor=x`,
    ]);
    for (const each of queries()) expect(each.match(/expand\[\]=/g)).toHaveLength(2);
  });

  it('carries the custom fields only where they are watched, and ends at its budget', async () => {
    const { watch, queries } = watching(
      { customFields: ['Team'], pages: 1 },
      json({ data: [row('sub_a', 5)], has_more: true, next_cursor: 'x' }),
    );
    expect(await watch.poll()).toMatchObject({ complete: false });
    expect(queries()).toEqual([expect.stringContaining('expand[]=custom_fields')]);
  });

  it('continues with the cursor of the last poll, and where it is refused with the day before', async () => {
    const reached = row('sub_a', Date.UTC(2026, 0, 10, 12) / 1000);
    const { watch, queries } = watching(
      { status: 'inactive', events: ['unsubscribed'], pages: 1 },
      json({ data: [reached], has_more: true, next_cursor: 'x' }),
      json({ data: [], has_more: true, next_cursor: 'y' }),
      { status: 400 },
      page(),
    );
    for (let polls = 0; polls < 3; polls += 1) await watch.poll();
    const query = 'pub_1/subscriptions?status=inactive&order_by=created&limit=100&direction=asc';
    expect(queries()).toEqual([query, `${query}&cursor=x`, `${query}&cursor=y`, `${query}&creation_date=2026/01/09`]);
  });

  it('reads the list of one status from its oldest subscription on', async () => {
    const { watch, queries } = watching(
      { status: 'inactive', events: ['unsubscribed'], capacity: 1 },
      page(row('sub_a', 5)),
      page(row('sub_a', 5), row('sub_b', 6)),
    );
    await watch.poll();
    expect(watch.state.scan).toMatchObject({ list: 'inactive' });
    await expect(watch.poll()).rejects.toThrow(CapacityError);
    expect(queries()[0]).toBe('pub_1/subscriptions?status=inactive&order_by=created&limit=100&direction=asc');
  });

  it('has no time for a further page where it is told so', async () => {
    const more = json({ data: [row('sub_a', 5)], has_more: true, next_cursor: 'x' });
    const { watch, host } = watching({ hasTime: () => false }, more);
    expect(await watch.poll()).toMatchObject({ complete: false });
    expect(host.sent).toHaveLength(1);
  });

  it('continues from a state, polls one after the other, and stays at its state after a failure', async () => {
    const state = startWatch('mine', 5);
    const { watch } = watching({ state }, { status: 500 }, page(row('sub_a', 5)), page(row('sub_a', 5)));
    expect(watch.state).toBe(state);
    const polls = [watch.poll(), watch.poll(), watch.poll()];
    const results = await Promise.allSettled(polls);
    expect(results.map((each) => (each.status === 'fulfilled' ? each.value.events.length : 'failed'))).toEqual([
      'failed',
      1,
      0,
    ]);
    expect(watch.state).toMatchObject({ scope: 'mine', revision: 1 });
  });

  it('polls every minute until its signal', async () => {
    const stop = new AbortController();
    const { watch, host } = watching({}, page(), page(row('sub_a', 5)), page());
    const counts: number[] = [];
    for await (const { events } of watch.polls({ signal: stop.signal })) {
      counts.push(events.length);
      if (counts.length === 2) stop.abort();
    }
    expect([counts, host.slept]).toEqual([[0, 1], [60_000]]);
    const other = watching({}, page(), page());
    const polls = other.watch.polls({ everyMs: 7 });
    await polls.next();
    await polls.next();
    await polls.return();
    expect(other.host.slept).toEqual([7]);
    const ended = watching({}).watch.polls({ signal: AbortSignal.abort() });
    expect(await ended.next()).toMatchObject({ done: true });
  });

  it('fails where it cannot wait for another reason than its signal', async () => {
    const host = { ...scriptedHost([page()]), sleep: () => Promise.reject(new Error('no timer')) };
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1', retry: false });
    const polls = watchSubscriptions({ engine }).polls();
    await polls.next();
    await expect(polls.next()).rejects.toThrow('no timer');
  });
});
