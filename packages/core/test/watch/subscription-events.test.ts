/** The events of watched subscriptions: changes of status, updates and removals. */
import { isRemoved, pollWatch, subscriptionEventTypes } from '@newsletter-kit/core/watch';
import { describe, expect, it } from 'vitest';
import type { Row } from './subscription-list.ts';
import { Watch, textsOf, publication } from './watched-list.ts';

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
