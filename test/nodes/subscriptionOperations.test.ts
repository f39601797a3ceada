/** The operations of subscriptions that read, create and update one. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { clientOf } from './context.ts';
import { workbench } from './workbench.ts';
import { waitFor, waitUntil } from '../support/waits.ts';

const bench = workbench();
const ada = { mode: 'email', value: 'ada.lovelace@example.com' };

describe('Subscription: Get', () => {
  it('finds an address case-insensitively', async () => {
    const [item] = await bench.run('subscription', 'get', {
      subscription: { mode: 'email', value: 'ADA.Lovelace@Example.com' },
    });
    expect(item?.json['email']).toBe(ada.value);
  });

  it('starts another scan for the next ID after a scan failed', async () => {
    const newest = await bench.run('subscription', 'getMany', { limit: 2 });
    bench.sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 503, retryAfter: 0 }, nth: 1, times: 5 });
    const subscription = (index: number) => ({ mode: 'id', value: newest[index]?.json['id'] });
    const [failed, found] = await bench.run(
      'subscription',
      'get',
      { subscription },
      { items: [{}, {}], continueOnFail: true },
    );
    expect(failed?.json).toEqual({ error: expect.any(String) });
    expect(found?.json['id']).toBe(newest[1]?.json['id']);
  });

  it('finds many IDs with one scan of the list', async () => {
    const all = await bench.run('subscription', 'getMany', { returnAll: true });
    const ids = [0, 299, 150, 1].map((index) => all[index]?.json['id']);
    const before = bench.requests('subscriptions.list').length;
    const found = await bench.run(
      'subscription',
      'get',
      { subscription: (index: number) => ({ mode: 'id', value: ids[index] }) },
      { items: [{}, {}, {}, {}] },
    );
    expect(found.map(({ json }) => json['id'])).toEqual(ids);
    expect(bench.requests('subscriptions.list').length - before).toBeLessThanOrEqual(4);
  });

  it.each([
    { mode: 'email', value: 'nobody@example.com' },
    { mode: 'id', value: 'sub_00000000-0000-4000-8000-00000000dead' },
  ])('fails for an unknown subscription by $mode, without the address in the message', async (subscription) => {
    const refused = bench.run('subscription', 'get', { subscription });
    await expect(refused).rejects.toMatchObject({
      message: expect.stringContaining('"Subscription" names no subscription'),
    });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('nobody') });
  });
});

describe('Subscription: Create', () => {
  const create = (email: string, ifSubscribed: string) =>
    bench.run('subscription', 'create', { email, ifSubscribed, customFields: {}, additionalFields: {} });

  it('leaves an existing subscription unchanged with Refuse', async () => {
    await expect(create(ada.value, 'refuse')).rejects.toMatchObject({
      message: expect.stringContaining('"Email" is subscribed already'),
    });
    expect(bench.requests('subscriptions.create')).toEqual([]);
    expect(await create('new@example.com', 'refuse')).toHaveLength(1);
  });

  it('returns an existing subscription unchanged with Pass Over', async () => {
    const [item] = await create(ada.value, 'passOver');
    expect(item?.json).toMatchObject({
      email: ada.value,
      outcome: 'unchanged',
      custom_fields: { 'First Name': 'Ada' },
    });
    expect(bench.requests('subscriptions.create')).toEqual([]);
    const [added] = await create('new@example.com', 'passOver');
    expect(added?.json).toMatchObject({ email: 'new@example.com', outcome: 'created', ignored_fields: [] });
  });
});

describe('the automations of a new subscription', () => {
  it.each([
    [
      'chosen one by one',
      (id: string) => ({ automations: [{ automationId: { __rl: true, mode: 'list', value: id } }] }),
    ],
    ['given by an expression', (id: string) => [id]],
  ])('are sent with the creation, %s', async (_how, given) => {
    const id = await bench.first('searchAutomations');
    await bench.run('subscription', 'createOrUpdate', {
      email: 'new@example.com',
      customFields: {},
      additionalFields: { automation_ids: given(id), double_opt_override: 'off' },
    });
    const journeys = await bench.run('journey', 'getMany', {
      automationId: { mode: 'list', value: id },
      returnAll: true,
    });
    expect(journeys.map(({ json }) => json['email'])).toContain('new@example.com');
  });
});

describe('Subscription: Update', () => {
  const update = (fields: object, more: object = {}, run: object = {}) =>
    bench.run('subscription', 'update', { subscription: ada, customFields: {}, updateFields: fields, ...more }, run);
  const read = async () =>
    (
      await bench.run('subscription', 'get', {
        subscription: ada,
        output: 'raw',
        options: { expand: ['custom_fields'] },
      })
    )[0]?.json;
  const fields = async () => {
    const stored = ((await read())?.['custom_fields'] ?? []) as { name: string; value: unknown }[];
    return Object.fromEntries(stored.map(({ name, value }) => [name, value]));
  };

  it('sets and clears custom fields, and waits for the job', async () => {
    const [item] = await update(
      { delete: ['First Name'], tier: 'premium' },
      { customFields: { mappingMode: 'defineBelow', value: { 'Team size': '12' } } },
    );
    expect(item?.json).toMatchObject({
      id: expect.stringMatching(/^sub_/),
      email: ada.value,
      subscription_tier: 'premium',
      custom_fields: { 'Team size': 12, Topics: ['boats', 'history'] },
      subscription_update_id: expect.any(String),
      job_status: 'complete',
      ignored_fields: [],
    });
    expect(item?.json['custom_fields']).not.toHaveProperty('First Name');
    expect(await read()).toMatchObject({ subscription_tier: 'premium' });
    expect(await fields()).toMatchObject({ 'Team size': 12 });
    expect(await fields()).not.toHaveProperty('First Name');
  });

  it('does not wait without Wait for Completion', async () => {
    const [item] = await update({ tier: 'premium' }, { waitForCompletion: false });
    expect(item?.json).toEqual({
      id: expect.stringMatching(/^sub_/),
      subscription_update_id: expect.any(String),
      job_status: 'pending',
    });
    expect(bench.requests('bulkSubscriptionUpdates.get')).toEqual([]);
  });

  it('unsubscribes, and reports the fields that the service ignored', async () => {
    await update({ unsubscribe: true });
    expect(await read()).toMatchObject({ status: 'inactive' });
    const hints: { message: string }[] = [];
    const [item] = await update({ unsubscribe: false }, {}, { hints });
    expect(item?.json).toMatchObject({ status: 'inactive', ignored_fields: ['unsubscribe'] });
    expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('"Unsubscribe"')]);
  });

  describe('by ID', () => {
    const byId = async (email: string, items: readonly object[], more: object = {}) => {
      const [known] = await bench.run('subscription', 'get', { subscription: { mode: 'email', value: email } });
      const before = bench.requests('subscriptions.list').length;
      const subscription = { mode: 'id', value: known?.json['id'] };
      const [item] = await update({ tier: 'premium' }, { subscription }, { items, ...more });
      return { id: known?.json['id'], item: item?.json, lists: bench.requests('subscriptions.list').length - before };
    };

    it('reads the subscription by the address in the item, with one request', async () => {
      const { id, item, lists } = await byId(ada.value, [{ email: ada.value }]);
      expect({ item, lists }).toMatchObject({ item: { id, email: ada.value }, lists: 1 });
    });

    it('ignores the address of another subscription in the item', async () => {
      const { id, item } = await byId(ada.value, [{ email: 'grace@example.org' }]);
      expect(item).toMatchObject({ id, email: ada.value, subscription_tier: 'premium' });
    });

    it('searches the newest thousand subscriptions at most', async () => {
      const { subscriptions } = clientOf(bench.sandbox);
      for (let index = 0; index < 1100; index += 1) await subscriptions.create({ email: `newer${index}@example.com` });
      const hints: { message: string }[] = [];
      const { id, item, lists } = await byId(ada.value, [{}], { hints });
      expect(item).toEqual({ id, subscription_update_id: expect.any(String), job_status: 'complete' });
      expect(lists).toBeLessThanOrEqual(10);
      expect(hints).toHaveLength(1);
    });
  });

  it('reports the reason for which the service refused the change', async () => {
    const refused = update({ newsletter_list_ids: ['nl_list_00000000-0000-4000-8000-00000000dead'] });
    await expect(refused).rejects.toMatchObject({
      message: expect.stringMatching(/did not carry out the whole update: .*newsletter list/),
    });
  });

  it.each([
    { operation: 'update', named: (id: string) => ({ subscription: { mode: 'id', value: id } }) },
    { operation: 'bulkUpdate', named: (id: string) => ({ subscription: { mode: 'id', value: id } }) },
  ])(
    '$operation says what to do where a custom field was renamed, and that other changes may have been made',
    async (given) => {
      const id = await bench.first('searchSubscriptions');
      const items = await bench.run(
        'subscription',
        given.operation,
        {
          ...given.named(id),
          customFields: { mappingMode: 'defineBelow', value: { 'Old Name': 'Ada', 'First Name': 'Augusta' } },
        },
        { continueOnFail: true },
      );
      expect(items.map(({ json }) => json['error'])).toEqual([
        expect.stringMatching(
          /did not carry out the whole update: .*"Old Name".*Other changes of the item may have been made\..*renamed.*choose it again/,
        ),
      ]);
    },
  );

  it('stops waiting at the timeout, and names the job', async () => {
    const slow = update({ tier: 'premium' }, { timeout: 1 }, { sandbox: bench.sandbox });
    await expect(slow).rejects.toMatchObject({
      message: expect.stringContaining('still works on the job after 1 seconds'),
    });
  });

  it('stops waiting as soon as the execution is stopped', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const stopped = new AbortController();
    const updating = expect(
      update({ tier: 'premium' }, {}, { sandbox: bench.sandbox, signal: stopped.signal }),
    ).rejects.toThrow('aborted');
    await waitUntil(
      'the first pause runs',
      () => bench.requests('bulkSubscriptionUpdates.get').length === 1 && vi.getTimerCount() > 0,
    );
    stopped.abort();
    await waitFor('the update has stopped', updating);
    expect(bench.requests('bulkSubscriptionUpdates.get')).toHaveLength(1);
  });

  it('rejects an update without a change, before any request', async () => {
    await expect(update({})).rejects.toMatchObject({ message: expect.stringContaining('nothing to update') });
    expect(bench.requests('subscriptions.bulkUpdate')).toEqual([]);
  });
});
