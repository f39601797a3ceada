/** The events of the trigger that are found by reading the whole list, against the sandbox. */
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Run } from './context.ts';
import { triggerWorld } from './triggerWorld.ts';

const world = triggerWorld();

describe('the events found by reading the whole list', () => {
  it('Subscriber Activated: reports confirmed subscribers, and those active from the start', async () => {
    await world.api.subscriptions.create({ email: 'confirms@example.com', double_opt_override: 'on' });
    world.now += 60_000;
    expect(await world.poll('subscriptionBecameActive')).toBeNull();
    await world.subscribe('at-once@example.com');
    await world.api.subscriptions.updateStatus({
      subscription_ids: [await world.idOf('confirms@example.com')],
      new_status: 'active',
    });
    world.now += 60_000;
    const items = await world.pollItems('subscriptionBecameActive');
    expect(items?.map(({ json }) => [json['email'], json['previous_status']])).toEqual(
      expect.arrayContaining([
        ['at-once@example.com', null],
        ['confirms@example.com', 'pending'],
      ]),
    );
    expect(items).toHaveLength(2);
    expect(await world.poll('subscriptionBecameActive')).toBeNull();
  });

  /** The service with words of its own for the statuses of some people, who are in no list of a status. */
  const inOwnWords = (told: Readonly<Record<string, string>>): Run['sandbox'] => ({
    fetch: async (input, init) => {
      const answer = await world.sandbox.fetch(input, init);
      const { data, total_results, ...others } = (await answer.json()) as {
        data: readonly { id: string; status: string }[];
        total_results?: number;
      };
      const status = new URL(new Request(input).url).searchParams.get('status');
      const all = data.map((one) => ({ ...one, status: told[one.id] ?? one.status }));
      const missing = status === 'active' ? Object.keys(told).length : 0;
      return Response.json({
        ...others,
        data: status === null ? all : all.filter((one) => one.status === status),
        ...(total_results !== undefined && { total_results: total_results - missing }),
      });
    },
  });

  it('Subscriber Unsubscribed: in the words of the service, and nobody whose known status is another', async () => {
    const [left = '', paused = '', complains = ''] = await world.subscribe(
      'leaves@example.com',
      'pauses@example.com',
      'complains@example.com',
    );
    const events = ['subscriptionUnsubscribed', 'subscriptionCreated'];
    expect(await world.poll(events)).toBeNull();
    await world.change(left, { unsubscribe: true });
    const sandbox = inOwnWords({ [paused]: 'paused', [complains]: 'complained' });
    const items = await world.pollItems(events, { sandbox });
    expect(items?.map(({ json }) => [json['email'], json['status'], json['previous_status']])).toEqual([
      ['leaves@example.com', 'inactive', 'active'],
      ['complains@example.com', 'complained', 'active'],
    ]);
    expect(await world.poll(events, { sandbox })).toBeNull();
  });

  describe('Subscriber Unsubscribed alone', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
    afterEach(() => void vi.useRealTimers());

    const pollRequests = async (more: Partial<Run> = {}): Promise<number> =>
      world.requestsOf(() => world.poll('subscriptionUnsubscribed', more));

    it('reads the list of the inactive, and counts once an hour', async () => {
      world.reset(3_000);
      const { totalResults } = await world.api.subscriptions.list({ status: 'inactive', page: 1, limit: 1 });
      const pages = Math.ceil(Number(totalResults) / 100);
      await world.poll('subscriptionUnsubscribed');
      for (let polls = 0; polls < 3; polls += 1) expect(await pollRequests()).toBe(pages);
      vi.advanceTimersByTime(3_600_000);
      const counting = await pollRequests();
      expect(counting - pages).toBeGreaterThan(0);
      expect(counting - pages).toBeLessThanOrEqual(8);
      expect(await pollRequests()).toBe(pages);
    });

    it.each([
      { restarts: false, saves: true },
      { restarts: true, saves: true },
      { restarts: true, saves: false },
    ])(
      'finds the first who leaves in an unknown word, once (restart: $restarts, saved: $saves)',
      async ({ restarts, saves }) => {
        world.reset(500);
        const [complains = '', later = ''] = await world.subscribe('complains@example.com', 'later@example.com');
        const parameters = { options: { pages: 4 } };
        await world.poll('subscriptionUnsubscribed', { parameters });
        for (let polls = 0; polls < 2; polls += 1) await world.poll('subscriptionUnsubscribed', { parameters });
        const saved = world.snapshot();
        vi.advanceTimersByTime(3_600_000);
        const sandbox = inOwnWords({ [complains]: 'complained' });
        const found: string[] = [];
        const pollAll = async (service: Run['sandbox']): Promise<void> => {
          for (let polls = 0; polls < 12; polls += 1)
            found.push(...((await world.poll('subscriptionUnsubscribed', { parameters, sandbox: service })) ?? []));
        };
        await world.poll('subscriptionUnsubscribed', { parameters, sandbox });
        if (!saves) world.kept = saved;
        if (restarts) world.restart();
        await pollAll(sandbox);
        expect(found).toEqual(['complains@example.com']);
        await pollAll(inOwnWords({ [complains]: 'complained', [later]: 'bounced' }));
        expect(found).toEqual(['complains@example.com', 'later@example.com']);
      },
    );

    it('reads the whole list where the service tells no sizes', async () => {
      world.reset(500);
      const sandbox: Run['sandbox'] = {
        fetch: async (...call) => {
          const { total_results: _, ...others } = (await (await world.sandbox.fetch(...call)).json()) as object & {
            total_results?: number;
          };
          return Response.json(others);
        },
      };
      await world.poll('subscriptionUnsubscribed', { sandbox });
      for (let polls = 0; polls < 2; polls += 1) expect(await pollRequests({ sandbox })).toBeGreaterThanOrEqual(5);
    });
  });

  it.each([
    {
      parameters: {},
      expected: [
        ['tier@example.com', ['tier']],
        ['field@example.com', ['custom_fields']],
      ],
    },
    { parameters: { changes: ['tier'] }, expected: [['tier@example.com', ['tier']]] },
    { parameters: { changes: ['custom_fields'], fieldNames: ['Birthday'] }, expected: undefined },
  ])('Subscriber Updated: reports only the changes in $parameters', async ({ parameters, expected }) => {
    const [tier = '', field = ''] = await world.subscribe('tier@example.com', 'field@example.com');
    await world.poll('subscriptionUpdated', { parameters });
    await world.change(tier, { tier: 'premium' });
    await world.change(field, { custom_fields: [{ name: 'First Name', value: 'Nova' }] });
    const items = await world.pollItems('subscriptionUpdated', { parameters });
    expect(items?.map(({ json }) => [json['email'], json['changed']]).toSorted()).toEqual(expected?.toSorted());
  });

  describe('with Custom Field Names', () => {
    const watching = (...fieldNames: readonly string[]) => ({
      parameters: { changes: ['custom_fields'], fieldNames },
    });
    const fieldOf = async (name: string): Promise<string> => {
      const { items } = await world.api.customFields.list();
      return items.find(({ display }) => display === name)?.id ?? '';
    };

    it('is refused where the publication has no such field', async () => {
      const refused = world.poll('subscriptionUpdated', watching('First Name', 'Frist Name', 'Lsat Name'));
      await expect(refused).rejects.toMatchObject({
        message:
          '"Custom Field Names or IDs" names "Frist Name" and "Lsat Name", but the publication has no such custom field',
        description: expect.stringMatching(/renamed.*"First Name"/),
        failure: { cause: 'configuration-invalid' },
      });
      expect(world.keptText()).not.toContain('created');
    });

    it('names the remedy after a field was renamed, and reports changes again under the new name', async () => {
      const [id = ''] = await world.subscribe('field@example.com');
      await world.change(id, { custom_fields: [{ name: 'First Name', value: 'Nova' }] });
      await world.poll('subscriptionUpdated', watching('First Name'));
      const before = world.keptText();
      await world.api.customFields.update({ id: await fieldOf('First Name'), display: 'Given Name' });
      await expect(world.poll('subscriptionUpdated', watching('First Name'))).rejects.toMatchObject({
        description: expect.stringContaining('"Given Name"'),
      });
      expect(world.keptText()).toBe(before);
      expect(await world.poll('subscriptionUpdated', watching('Given Name'))).toBeNull();
      await world.change(id, { custom_fields: [{ name: 'Given Name', value: 'Vega' }] });
      expect(await world.poll('subscriptionUpdated', watching('Given Name'))).toEqual(['field@example.com']);
    });

    it('polls as well where the access does not include custom fields', async () => {
      world.sandbox.faults.add({ match: 'customFields.list', effect: { status: 403 } });
      const [id = ''] = await world.subscribe('field@example.com');
      await world.poll('subscriptionUpdated', watching('First Name'));
      await world.change(id, { custom_fields: [{ name: 'First Name', value: 'Nova' }] });
      expect(await world.poll('subscriptionUpdated', watching('First Name'))).toEqual(['field@example.com']);
    });
  });

  it('reads the whole list in the first poll, and later Requests per Poll at most', async () => {
    world.reset(1_000);
    expect(
      await world.requestsOf(() => world.poll('subscriptionStatusChanged', { parameters: { options: { pages: 3 } } })),
    ).toBeGreaterThanOrEqual(10);
    // Asks for the size of the list before it reads any of it.
    expect(world.sandbox.requests()[0]).toMatchObject({
      operation: 'subscriptions.list',
      query: { page: '1', limit: '1' },
    });
    expect(
      await world.requestsOf(() => world.poll('subscriptionStatusChanged', { parameters: { options: { pages: 3 } } })),
    ).toBe(3);
  });

  it('is refused for more subscriptions than it may keep, with a remedy, as far as the service tells their number', async () => {
    const telling = (total_results: number): Run['sandbox'] => ({
      fetch: async (...call) =>
        Response.json({ ...((await (await world.sandbox.fetch(...call)).json()) as object), total_results }),
    });
    const poll = (total: number) => world.poll('subscriptionStatusChanged', { sandbox: telling(total) });
    const refused = () =>
      expect(poll(250_001)).rejects.toMatchObject({
        message: 'This trigger can watch 250,000 subscriptions at most, and there are 250,001',
        description: expect.stringMatching(/"New Subscriber".*newsletter watch/),
        failure: { cause: 'configuration-invalid' },
      });
    expect(await world.requestsOf(refused)).toBe(1);
    expect(await poll(250_000)).toBeNull();
    world.kept = {};
    world.restart();
    world.sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 400 }, nth: 1 });
    expect(await world.poll('subscriptionStatusChanged')).toBeNull();
  });

  it('makes as many requests in the first poll as the list takes, and 100 in another poll of the first scan', async () => {
    world.reset(10_200);
    expect(await world.requestsOf(() => world.poll('subscriptionStatusChanged'))).toBeGreaterThan(102);
    world.kept = {};
    world.restart();
    world.sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 429, retryAfter: 120 }, nth: 3 });
    await world.poll('subscriptionStatusChanged');
    world.sandbox.faults.clear();
    // The process forgets the pause that the service asked for.
    world.restart();
    expect(await world.requestsOf(() => world.poll('subscriptionStatusChanged'))).toBe(100);
  });

  it('starts no request 50 seconds after the start of the first poll, and 45 seconds after that of another', async () => {
    world.reset(3_000);
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const slow: Run['sandbox'] = {
      fetch: (...call) => {
        vi.setSystemTime(Date.now() + 4_800);
        return world.sandbox.fetch(...call);
      },
    };
    const work = () =>
      world.poll('subscriptionStatusChanged', { sandbox: slow, parameters: { options: { pages: 100 } } });
    // The first request asks for the size of the list.
    expect(await world.requestsOf(work)).toBe(1 + 10);
    expect(await world.requestsOf(work)).toBe(10);
  });

  it('reads at least two pages per poll, so that every scan ends', async () => {
    world.reset(500);
    const parameters = { options: { pages: 1 } };
    await world.poll('subscriptionStatusChanged', { parameters });
    expect(await world.requestsOf(() => world.poll('subscriptionStatusChanged', { parameters }))).toBe(2);
  });

  describe('after an interrupted activation', () => {
    const parameters = { options: { pages: 3 } };
    const log: string[] = [];
    beforeEach(async () => {
      world.reset(1_000);
      log.length = 0;
      world.sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 429, retryAfter: 120 }, nth: 5 });
      expect(await world.pollItems('subscriptionStatusChanged', { parameters, log })).toBeNull();
      world.sandbox.faults.clear();
      world.restart();
    });

    it('continues the first scan with more requests than Requests per Poll', async () => {
      expect(log).toEqual([
        expect.stringContaining('The next poll tries again, and reports what happens meanwhile.'),
        expect.stringMatching(/the first scan has read \d+ subscriptions; the next poll continues$/),
      ]);
      const work = () => world.poll('subscriptionStatusChanged', { parameters, log });
      expect(await world.requestsOf(work)).toBeGreaterThan(3);
      expect(log.at(-1)).toBe('Newsletter Trigger: at 0 % of 1000 subscriptions');
      await work();
      expect(log.at(-1)).toBe('Newsletter Trigger: at 20 % of 1000 subscriptions');
    });

    it('starts an execution without items, so that n8n saves the state', async () => {
      expect(await world.pollItems('subscriptionStatusChanged', { parameters })).toEqual([]);
    });

    it('starts none with Always Output Data, which would add an item', async () => {
      expect(await world.pollItems('subscriptionStatusChanged', { parameters, alwaysOutputData: true })).toBeNull();
    });
  });

  it('reports every change after n8n lost the state of polls without an event', async () => {
    world.reset(500);
    const parameters = { options: { pages: 2 } };
    await world.poll('subscriptionStatusChanged', { parameters });
    const saved = world.snapshot();
    for (let times = 0; times < 2; times += 1)
      expect(await world.poll('subscriptionStatusChanged', { parameters })).toBeNull();
    // n8n is restarted: it saved nothing since the activation.
    world.kept = saved;
    world.restart();
    const { items } = await world.api.subscriptions.list({ status: 'active', direction: 'asc', limit: 1 });
    await world.change(items[0]?.id ?? '', { unsubscribe: true });
    const found: string[] = [];
    for (let times = 0; times < 4; times += 1)
      found.push(...((await world.poll('subscriptionStatusChanged', { parameters })) ?? []));
    expect(found).toEqual([items[0]?.email]);
  });
});
