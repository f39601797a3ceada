/** The trigger against the sandbox: new subscribers, its parameters, and a poll by hand. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTriggerWorld, type TriggerWorld } from './triggerWorld.ts';

let world: TriggerWorld;
beforeAll(async () => {
  world = await openTriggerWorld();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

describe('New Subscriber', () => {
  it('reports nothing on activation, then each new subscription once, oldest first', async () => {
    await world.subscribe('before@example.com');
    expect(await world.poll()).toBeNull();
    world.now += 5_000;
    await world.subscribe('ada@example.com');
    world.now += 1_000;
    await world.subscribe('grace@example.com');
    expect(await world.poll()).toEqual(['ada@example.com', 'grace@example.com']);
    expect(await world.poll()).toBeNull();
  });

  it('reports each of several subscriptions of the same second', async () => {
    await world.subscribe('before@example.com');
    await world.poll();
    await world.subscribe('same-second@example.com');
    expect(await world.poll()).toEqual(['same-second@example.com']);
    await world.subscribe('again@example.com');
    expect(await world.poll()).toEqual(['again@example.com']);
  });

  it('takes one request without new subscriptions, and at most N/100 + 2 with N', async () => {
    world.reset(300);
    await world.poll();
    expect(await world.requestsOf(() => world.poll())).toBe(1);
    for (let index = 0; index < 250; index += 1) {
      world.now += 1_000;
      await world.subscribe(`new.${index}@example.com`);
    }
    let reported: string[] | null = null;
    expect(await world.requestsOf(async () => (reported = await world.poll()))).toBeLessThanOrEqual(2.5 + 2);
    expect(reported).toHaveLength(250);
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
    await expect(
      world.poll('subscriptionCreated', { parameters: { options: { since: 'yesterday' } } }),
    ).rejects.toThrow('"Created Since" must be a date');
  });

  it.each([
    { filters: { utm_source: ['Harbour'] }, expected: ['harbour@example.com'] },
    { filters: { subscription_tier: ['free'], utm_source: ['quay', 'pier'] }, expected: ['pier@example.com'] },
    { filters: { status: ['pending'] }, expected: ['unconfirmed@example.com'] },
    { filters: { utm_channel: ['boost'] }, expected: null },
  ])('reports only subscriptions that match $filters', async ({ filters, expected }) => {
    const parameters = { filters };
    await world.poll('subscriptionCreated', { parameters });
    await world.api.subscriptions.create({
      email: 'harbour@example.com',
      utm_source: 'harbour',
      double_opt_override: 'off',
    });
    await world.api.subscriptions.create({ email: 'pier@example.com', utm_source: 'pier', double_opt_override: 'off' });
    await world.api.subscriptions.create({ email: 'unconfirmed@example.com', double_opt_override: 'on' });
    world.now += 60_000;
    expect(await world.poll('subscriptionCreated', { parameters })).toEqual(expected);
  });

  it('returns the record in the form of Output', async () => {
    await world.poll();
    await world.subscribe('ada@example.com');
    const again = world.snapshot();
    const item = async (output: Readonly<Record<string, unknown>>) => {
      world.kept = structuredClone(again);
      return (await world.pollItems('subscriptionCreated', { parameters: output }))?.[0]?.json;
    };
    expect(await item({ output: 'simplified' })).toMatchObject({
      created: '2026-11-20T10:00:00.000Z',
      custom_fields: {},
    });
    expect(await item({ output: 'raw' })).toMatchObject({ created: world.now / 1000, custom_fields: [] });
    expect(await item({ output: 'selected', fields: ['email'] })).toEqual({
      email: 'ada@example.com',
      event: 'subscriptionCreated',
    });
    await expect(item({ output: 'selected', fields: [] })).rejects.toThrow('"Fields" is empty');
  });

  it('includes the custom fields unless Include is set', async () => {
    await world.poll();
    await world.subscribe('ada@example.com');
    const again = world.snapshot();
    const item = async (options: Readonly<Record<string, unknown>>) => {
      world.kept = structuredClone(again);
      return (await world.pollItems('subscriptionCreated', { parameters: { output: 'raw', options } }))?.[0]?.json;
    };
    expect(await item({ pages: 5 })).toMatchObject({ custom_fields: [] });
    expect(await item({ expand: ['stats'] })).toMatchObject({ stats: {} });
    for (const expand of [['stats'], []]) expect(await item({ expand })).not.toHaveProperty('custom_fields');
  });
});

describe('the parameters', () => {
  it.each([
    [[], '"Events" is empty'],
    [['subscriptionMoved'], '"Events" must be one of'],
  ])('are rejected with the events %j', async (events, message) => {
    await expect(world.poll(events)).rejects.toThrow(message);
  });

  it('are rejected without any of the changes to report', async () => {
    await expect(world.poll('subscriptionUpdated', { parameters: { changes: [] } })).rejects.toThrow(
      '"Changes" is empty',
    );
  });

  it('ignore an option that is hidden for the event', async () => {
    const parameters = { options: { since: 'yesterday' } };
    expect(await world.poll('subscriptionBecameActive', { parameters })).toBeNull();
  });

  it.each(['', null])('report nothing from before the activation with Created Since %j', async (since) => {
    await world.subscribe('before@example.com');
    expect(await world.poll('subscriptionCreated', { parameters: { options: { since } } })).toBeNull();
  });

  it('round Requests per Poll down', async () => {
    const parameters = { options: { pages: 1.9 } };
    await world.poll('subscriptionCreated', { parameters });
    for (let index = 0; index < 150; index += 1) {
      world.now += 1_000;
      await world.subscribe(`new.${index}@example.com`);
    }
    expect(await world.poll('subscriptionCreated', { parameters })).toHaveLength(100);
  });

  it('choose the publication to watch', async () => {
    const publicationId = 'pub_00000000-0000-4000-8000-00000000dead';
    await expect(world.poll('subscriptionCreated', { parameters: { publicationId } })).rejects.toMatchObject({
      httpCode: '404',
    });
  });
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

  it('give a sample each by hand', async () => {
    await world.subscribe('latest@example.com');
    const items = await world.pollItems(all, { mode: 'manual' });
    expect(items?.map(({ json }) => [json['event'], json['status']])).toEqual([
      ['subscriptionBecameActive', 'active'],
      ['subscriptionCreated', 'active'],
      ['subscriptionStatusChanged', 'active'],
      ['subscriptionUnsubscribed', 'inactive'],
      ['subscriptionUpdated', 'active'],
    ]);
  });
});

describe('a poll by hand', () => {
  it.each([
    { event: 'subscriptionCreated', wanted: { status: 'active' } },
    { event: 'subscriptionBecameActive', wanted: { status: 'active', previous_status: null } },
    { event: 'subscriptionUnsubscribed', wanted: { status: 'inactive' } },
    { event: 'subscriptionStatusChanged', wanted: { previous_status: null } },
    { event: 'subscriptionUpdated', wanted: { changed: ['custom_fields', 'tier'] } },
  ])('returns a subscription as an item of $event, and leaves the state unchanged', async ({ event, wanted }) => {
    await world.subscribe('latest@example.com');
    await world.poll(event);
    const before = world.snapshot();
    const items = await world.pollItems(event, { mode: 'manual', parameters: { options: { expand: [] } } });
    expect(items).toHaveLength(1);
    expect(items?.[0]?.json).toMatchObject({ email: expect.stringContaining('@'), ...wanted });
    expect(world.snapshot()).toEqual(before);
  });

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
    expect(await world.requestsOf(() => world.poll('subscriptionCreated', { mode: 'manual', parameters }))).toBe(5);
  });

  it('includes what Include adds', async () => {
    const parameters = { output: 'raw', options: { expand: ['stats'] } };
    const [item] = (await world.pollItems('subscriptionCreated', { mode: 'manual', parameters })) ?? [];
    expect(item?.json).toHaveProperty('stats');
    expect(item?.json).not.toHaveProperty('custom_fields');
  });

  it('searches older subscriptions for one that matches the filters', async () => {
    await world.api.subscriptions.create({ email: 'harbour@example.com', utm_source: 'harbour' });
    world.now += 60_000;
    await world.subscribe('latest@example.com');
    const parameters = { filters: { utm_source: ['harbour'] } };
    expect(await world.poll('subscriptionCreated', { mode: 'manual', parameters })).toEqual(['harbour@example.com']);
    expect(
      await world.poll('subscriptionCreated', { mode: 'manual', parameters: { filters: { utm_source: ['nobody'] } } }),
    ).toBeNull();
  });
});
