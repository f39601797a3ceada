/** A watch whose events, list or custom fields change between two polls: what both choices need goes on. */
import type { SubscriptionEventType } from '@newsletter-kit/core/watch';
import { describe, expect, it } from 'vitest';
import { type Options, publication, textsOf, Watch } from './watched-list.ts';

const events = (...types: SubscriptionEventType[]): Options => ({ events: types });
const inactive: Options = { ...events('unsubscribed'), list: 'inactive' };

/** What happened between the last poll with one choice and the first with another, and is reported. */
const changes: readonly { what: string; from: Options; to: Options; reported: readonly string[] }[] = [
  {
    what: 'an event is added to New',
    from: events('created'),
    to: events('created', 'unsubscribed'),
    reported: ['created new'],
  },
  {
    what: 'New is added to an event',
    from: events('status_changed'),
    to: events('status_changed', 'created'),
    reported: ['created new', 'status_changed leaving'],
  },
  {
    what: 'an event is removed',
    from: events('created', 'unsubscribed', 'updated'),
    to: events('created'),
    reported: ['created new'],
  },
  {
    what: 'others are added to Unsubscribed',
    from: inactive,
    to: events('created', 'became_active', 'unsubscribed'),
    reported: ['unsubscribed leaving'],
  },
  {
    what: 'Unsubscribed alone remains',
    from: events('created', 'became_active', 'unsubscribed'),
    to: inactive,
    reported: ['unsubscribed leaving'],
  },
  {
    what: 'custom fields are added',
    from: events('unsubscribed', 'created'),
    to: { ...events('unsubscribed', 'created', 'updated'), customFields: 'all' },
    reported: ['created new', 'unsubscribed leaving', 'updated upgraded'],
  },
  {
    what: 'other custom fields are named',
    from: { ...events('unsubscribed', 'updated'), customFields: ['Team'] },
    to: { ...events('unsubscribed', 'updated'), customFields: ['Team', 'City'] },
    reported: ['unsubscribed leaving', 'updated upgraded'],
  },
];

describe.each(changes)('where $what', ({ from, to, reported }) => {
  it.each([2, 3, 10])('reports what happened meanwhile once, with %i pages a poll', async (pages) => {
    const { list, rows } = publication(20);
    const [gone, leaving, upgraded] = rows;
    list.change(gone!.id, { status: 'inactive' });
    const watch = new Watch(list, { limit: 5, pages });
    for (let polls = 0; polls < 40; polls++) await watch.poll(from);

    list.now += 60;
    const [added] = list.insert(1, 'active');
    list.change(leaving!.id, { status: 'inactive' });
    list.change(upgraded!.id, { subscription_tier: 'premium', custom_fields: [{ name: 'Team', value: 'Red' }] });
    const names = new Map([
      [added!.id, 'new'],
      [leaving!.id, 'leaving'],
      [upgraded!.id, 'upgraded'],
    ]);

    const found: string[] = [];
    for (let polls = 0; polls < 60; polls++, list.now += 60) {
      for (const text of textsOf((await watch.poll(to)).events)) {
        const [type, id = ''] = text.split(' ');
        found.push(`${type} ${names.get(id) ?? id}`);
      }
    }
    // A new subscription that is active at once also became active.
    expect(found.filter((text) => text !== 'became_active new').sort()).toEqual(reported);
  });

  it('reports later changes', async () => {
    const { list, rows } = publication(20);
    const watch = new Watch(list, { limit: 5, pages: 3 });
    for (let polls = 0; polls < 40; polls++) await watch.poll(from);
    for (let polls = 0; polls < 40; polls++) await watch.poll(to);
    list.change(rows[3]!.id, { status: 'inactive' });
    list.now += 60;
    const [added] = list.insert(1, 'active');
    const found: string[] = [];
    for (let polls = 0; polls < 60; polls++, list.now += 60) found.push(...textsOf((await watch.poll(to)).events));
    const wanted = new Set<string>(to.events);
    const expected = [
      ...(wanted.has('created') ? [`created ${added!.id}`] : []),
      ...(wanted.has('unsubscribed') ? [`unsubscribed ${rows[3]!.id}`] : []),
    ];
    expect(found.map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual(expect.arrayContaining(expected));
    expect(new Set(found).size).toBe(found.length);
  });
});

it('learns the list of one status anew where all subscriptions were not read to the end', async () => {
  const { list, rows } = publication(20);
  list.change(rows[15]!.id, { status: 'inactive' });
  const watch = new Watch(list, { limit: 5, pages: 2 });
  await watch.poll(events('unsubscribed'));
  for (let polls = 0; polls < 5; polls++) expect((await watch.poll(inactive)).events).toEqual([]);
});

it('does not report as new what was subscribed while only those who left were watched', async () => {
  const { list } = publication(20);
  const watch = new Watch(list);
  const all = events('created', 'unsubscribed');
  await watch.poll(all);
  await watch.poll(inactive);
  list.insert(1, 'active');
  await watch.poll(inactive);
  for (let polls = 0; polls < 5; polls++) expect((await watch.poll(all)).events).toEqual([]);
});
