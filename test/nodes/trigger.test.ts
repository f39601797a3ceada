/** The trigger against the sandbox: new subscribers, its parameters, and a poll by hand. */
import { describe, expect, it } from 'vitest';
import { triggerWorld } from './triggerWorld.ts';

const world = triggerWorld();

describe('New Subscriber', () => {
  it('reports nothing on activation, then each new subscription once, oldest first', async () => {
    await world.subscribe('before@example.com');
    expect(await world.poll()).toBeNull();
    world.now += 5_000;
    await world.subscribe('ada@example.com');
    world.now += 1_000;
    await world.subscribe('grace@example.com');
    expect(await world.poll()).toEqual(['ada@example.com', 'grace@example.com']);
    expect(await world.requestsOf(async () => expect(await world.poll()).toBeNull())).toBe(1);
  });

  it('reports the rest beyond Requests per Poll in the next polls, each subscription once', async () => {
    await world.poll();
    const emails = Array.from({ length: 250 }, (_, index) => `new.${index}@example.com`);
    for (const email of emails) {
      world.now += 1_000;
      await world.subscribe(email);
    }
    const parameters = { options: { pages: 1 } };
    const log: string[] = [];
    const found: (string[] | null)[] = [];
    for (let times = 0; times < 5; times += 1) {
      world.kept = world.snapshot();
      found.push(await world.poll('subscriptionCreated', { parameters, log }));
    }
    expect(found.map((each) => each?.length ?? 0)).toEqual([100, 100, 50, 0, 0]);
    const more = 'Newsletter Trigger: more is new than one poll may read; the next poll continues from there';
    expect(log).toEqual([more, more]);
    expect(
      found
        .flat()
        .filter((each) => each !== null)
        .toSorted(),
    ).toEqual(emails.toSorted());
  });

  it('reports subscriptions created since the date of Created Since, in the time zone of the workflow', async () => {
    const zone = { timezone: 'Europe/Berlin' };
    const subscribeAt = async (moment: string, email: string) => {
      world.now = Date.parse(moment);
      await world.subscribe(email);
    };
    await subscribeAt('2026-11-20T22:59:59Z', 'too-early@example.com');
    await subscribeAt('2026-11-20T23:00:00Z', 'midnight@example.com');
    await subscribeAt('2026-11-21T08:00:00Z', 'morning@example.com');
    const parameters = { options: { since: '2026-11-21T00:00:00' } };
    expect(await world.poll('subscriptionCreated', { parameters, ...zone })).toEqual([
      'midnight@example.com',
      'morning@example.com',
    ]);
    expect(await world.poll('subscriptionCreated', { parameters, ...zone })).toBeNull();
  });

  it('reports only subscriptions that match the filters', async () => {
    const parameters = { filters: { subscription_tier: ['free'], utm_source: ['Quay', 'pier'] } };
    await world.poll('subscriptionCreated', { parameters });
    for (const utm_source of ['harbour', 'pier'])
      await world.api.subscriptions.create({ email: `${utm_source}@example.com`, utm_source });
    world.now += 60_000;
    expect(await world.poll('subscriptionCreated', { parameters })).toEqual(['pier@example.com']);
  });

  it('returns the record in the form of Output, with the custom fields unless Include is set', async () => {
    await world.poll();
    await world.subscribe('ada@example.com');
    const again = world.snapshot();
    const item = async (parameters: Readonly<Record<string, unknown>>) => {
      world.kept = structuredClone(again);
      world.restart();
      return (await world.pollItems('subscriptionCreated', { parameters }))?.[0]?.json;
    };
    expect(await item({ output: 'simplified' })).toMatchObject({
      created: '2026-11-20T10:00:00.000Z',
      custom_fields: {},
    });
    expect(await item({ output: 'raw' })).toMatchObject({ created: world.now / 1000, custom_fields: [] });
    const selected = { email: 'ada@example.com', event: 'subscriptionCreated' };
    expect(await item({ output: 'selected', fields: ['email'] })).toEqual(selected);
    await expect(item({ output: 'selected', fields: [] })).rejects.toThrow('"Fields" is empty');
    const included = await item({ output: 'raw', options: { expand: ['stats'] } });
    expect(included).toMatchObject({ stats: {} });
    expect(included).not.toHaveProperty('custom_fields');
  });
});

it('the parameters choose the publication to watch, and are checked before the first request', async () => {
  const publicationId = 'pub_00000000-0000-4000-8000-00000000dead';
  const refused = world.poll('subscriptionCreated', { parameters: { publicationId } });
  await expect(refused).rejects.toMatchObject({ httpCode: '404' });
  const unchecked = world.poll('subscriptionUpdated', { parameters: { changes: [] } });
  await expect(unchecked).rejects.toThrow('"Changes" is empty');
});

describe('several events', () => {
  const all = [
    'subscriptionBecameActive',
    'subscriptionCreated',
    'subscriptionStatusChanged',
    'subscriptionUnsubscribed',
    'subscriptionUpdated',
  ];

  it('are found by one scan, and each item says which it is', async () => {
    const [leaving = '', upgraded = ''] = await world.subscribe('leaves@example.com', 'upgraded@example.com');
    expect(await world.poll(all)).toBeNull();
    world.now += 60_000;
    await world.subscribe('new@example.com');
    await world.change(leaving, { unsubscribe: true });
    await world.change(upgraded, { tier: 'premium' });
    const items = await world.pollItems(all);
    expect(items?.map(({ json }) => [json['email'], json['event']]).toSorted()).toEqual([
      ['leaves@example.com', 'subscriptionStatusChanged'],
      ['leaves@example.com', 'subscriptionUnsubscribed'],
      ['new@example.com', 'subscriptionBecameActive'],
      ['new@example.com', 'subscriptionCreated'],
      ['upgraded@example.com', 'subscriptionUpdated'],
    ]);
    expect(await world.poll(all)).toBeNull();
  });

  it('on 10,000 subscriptions take 25 requests a poll and 160 kB at most, which n8n stores twice', async () => {
    world.reset(10_000);
    await world.poll(all);
    expect(world.keptText().length).toBeLessThanOrEqual(2 * 160_000);
    for (let polls = 0; polls < 3; polls += 1)
      expect(await world.requestsOf(() => world.poll(all))).toBeLessThanOrEqual(25);
  });

  it('give a sample each by hand, and leave the state unchanged', async () => {
    await world.subscribe('latest@example.com');
    await world.poll(all);
    const before = world.snapshot();
    const items = await world.pollItems(all, { mode: 'manual' });
    expect(
      items?.map(({ json: { event, status, previous_status, changed } }) => [event, status, previous_status, changed]),
    ).toEqual([
      ['subscriptionBecameActive', 'active', null, undefined],
      ['subscriptionCreated', 'active', undefined, undefined],
      ['subscriptionStatusChanged', 'active', null, undefined],
      ['subscriptionUnsubscribed', 'inactive', null, undefined],
      ['subscriptionUpdated', 'active', undefined, ['custom_fields', 'tier']],
    ]);
    expect(world.snapshot()).toEqual(before);
  });
});

describe('a poll by hand', () => {
  it.each([
    { filters: {}, limit: '1' },
    { filters: { utm_source: ['harbour'] }, limit: '100' },
  ])('returns the newest subscription that matches $filters', async ({ filters, limit }) => {
    for (const email of ['older@example.com', 'newest@example.com']) {
      world.now += 60_000;
      await world.api.subscriptions.create({ email, utm_source: 'harbour' });
    }
    expect(await world.poll('subscriptionCreated', { mode: 'manual', parameters: { filters } })).toEqual([
      'newest@example.com',
    ]);
    expect(world.sandbox.requests().at(-1)?.query).toMatchObject({ order_by: 'created', direction: 'desc', limit });
  });

  it('searches five pages at most', async () => {
    world.reset(1_000);
    const parameters = { filters: { utm_source: ['nobody'] } };
    const poll = () =>
      expect(world.poll('subscriptionCreated', { mode: 'manual', parameters })).rejects.toMatchObject({
        message: 'There is no subscription yet that fits',
        description: expect.stringContaining('fetch it again'),
      });
    expect(await world.requestsOf(poll)).toBe(5);
  });
});
