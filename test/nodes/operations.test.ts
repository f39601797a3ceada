/** Every operation against the sandbox: its output, the form of its output, and its errors. */
import { publicationId } from '@newsletter-kit/sandbox';
import { describe, expect, it } from 'vitest';
import { fillings, offered } from './parameters.ts';
import { scenarios } from './scenarios.ts';
import { workbench } from './workbench.ts';

const bench = workbench();
const ada = { mode: 'email', value: 'ada.lovelace@example.com' };

describe('every operation', () => {
  it('has a scenario', () => {
    const name = ({ resource, operation }: { resource: string; operation: string }): string =>
      `${resource} ${operation}`;
    expect(scenarios.map(name).toSorted()).toEqual(offered(bench.bundle).map(name).toSorted());
  });

  it.each(scenarios)(
    '$resource $operation returns records linked to their input item',
    async ({ resource, operation, parameters, items: given }) => {
      const items = await bench.run(resource, operation, await parameters?.(bench), given && { items: given });
      expect(items.length).toBeGreaterThan(0);
      for (const [index, { json, pairedItem, error }] of items.entries()) {
        expect(error).toBeUndefined();
        expect(pairedItem).toEqual({ item: given ? index : 0 });
        expect(Object.keys(json).length).toBeGreaterThan(0);
      }
    },
  );
});

describe('the output', () => {
  const get = (more: object) =>
    bench.run('subscription', 'get', { subscription: ada, options: { expand: ['custom_fields'] }, ...more });

  it('is simplified by default: readable times, custom fields by name, ten fields and the included ones', async () => {
    const [item] = await get({});
    expect(item?.json).toMatchObject({
      email: ada.value,
      created: expect.stringMatching(/^20\d\d-.*Z$/),
      custom_fields: { 'First Name': 'Ada', Topics: ['boats', 'history'] },
    });
    expect(Object.keys(item?.json ?? {})).toHaveLength(11);
  });

  it('is the answer of the service with Raw', async () => {
    const [item] = await get({ output: 'raw' });
    expect(item?.json).toMatchObject({
      created: expect.any(Number),
      utm_channel: expect.any(String),
      custom_fields: expect.arrayContaining([{ name: 'First Name', kind: 'string', value: 'Ada' }]),
    });
  });

  it('has the selected fields alone, with readable times', async () => {
    const [item] = await get({ output: 'selected', fields: ['created', 'utm_term'] });
    expect(item?.json).toEqual({ created: expect.stringMatching(/Z$/), utm_term: expect.any(String) });
  });

  it('rejects an unknown field before any request', async () => {
    await expect(get({ output: 'selected', fields: ['shoe_size'] })).rejects.toMatchObject({
      message: expect.stringContaining('"Fields" must be one of'),
      context: { itemIndex: 0 },
    });
    expect(bench.requests('subscriptions.list')).toEqual([]);
  });
});

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

  it('names the empty parameter', async () => {
    await expect(
      bench.run('subscription', 'get', { subscription: { mode: 'email', value: '' } }),
    ).rejects.toMatchObject({ message: '"Subscription" is empty', context: { itemIndex: 0 } });
  });
});

describe('Subscription: Create', () => {
  const create = (email: string, ifSubscribed: string, more: object = {}) =>
    bench.run('subscription', 'create', { email, ifSubscribed, customFields: {}, additionalFields: {} }, more);

  it('leaves an existing subscription unchanged with Refuse', async () => {
    await expect(create(ada.value, 'refuse')).rejects.toMatchObject({
      message: expect.stringContaining('"Email" is subscribed already'),
    });
    expect(bench.requests('subscriptions.create')).toEqual([]);
    expect(await create('new@example.com', 'refuse')).toHaveLength(1);
  });

  it('returns an existing subscription unchanged with Pass Over', async () => {
    const [item] = await create(ada.value, 'passOver');
    expect(item?.json).toMatchObject({ email: ada.value, created: false, custom_fields: { 'First Name': 'Ada' } });
    expect(bench.requests('subscriptions.create')).toEqual([]);
    const [added] = await create('new@example.com', 'passOver');
    expect(added?.json).toMatchObject({ email: 'new@example.com', created: true, ignored_fields: [] });
  });

  it('does not update in version 2', async () => {
    await expect(create(ada.value, 'update')).rejects.toMatchObject({
      message: expect.stringContaining('"If Already Subscribed" must be one of'),
    });
  });

  it('updates with one request in version 1', async () => {
    const [item] = await create(ada.value, 'update', { version: 1 });
    expect(item?.json['created']).toMatch(/^20\d\d-/);
    expect(bench.sandbox.requests()).toHaveLength(1);
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
      subscription_update_status: 'complete',
      ignored_fields: [],
    });
    expect(item?.json['custom_fields']).not.toHaveProperty('First Name');
    expect(await read()).toMatchObject({ subscription_tier: 'premium' });
    expect(await fields()).toMatchObject({ 'Team size': 12 });
    expect(await fields()).not.toHaveProperty('First Name');
  });

  it('maps input fields by name with automatic mapping', async () => {
    await update(
      {},
      { customFields: { mappingMode: 'autoMapInputData', value: null } },
      { items: [{ 'Team size': 7, colour: 'blue' }] },
    );
    expect(await fields()).toMatchObject({ 'Team size': 7 });
  });

  it('unsubscribes', async () => {
    await update({ unsubscribe: true });
    expect(await read()).toMatchObject({ status: 'inactive' });
  });

  it('does not wait without Wait for Completion', async () => {
    const [item] = await update({ tier: 'premium' }, { waitForCompletion: false });
    expect(item?.json).toEqual({
      id: expect.stringMatching(/^sub_/),
      subscription_update_id: expect.any(String),
      subscription_update_status: 'pending',
    });
    expect(bench.requests('bulkSubscriptionUpdates.get')).toEqual([]);
  });

  it('reports the fields that the service ignored', async () => {
    await update({ unsubscribe: true });
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
      for (let index = 0; index < 1100; index += 1)
        await bench.sandbox.fetch(
          'http://sandbox.test/v2/publications/pub_00000000-0000-4000-8000-000000000001/subscriptions',
          {
            method: 'POST',
            headers: { authorization: 'Bearer sandbox-key', 'content-type': 'application/json' },
            body: JSON.stringify({ email: `newer${index}@example.com` }),
          },
        );
      const hints: { message: string }[] = [];
      const { id, item, lists } = await byId(ada.value, [{}], { hints });
      expect(item).toEqual({ id, subscription_update_id: expect.any(String), subscription_update_status: 'complete' });
      expect(lists).toBeLessThanOrEqual(10);
      expect(hints).toHaveLength(1);
    });
  });

  it('keeps the output of version 1', async () => {
    const item = (await update({ tier: 'premium' }, {}, { version: 1 }))[0]?.json;
    expect(item).toEqual({
      subscription_id: expect.stringMatching(/^sub_/),
      subscription_update_id: expect.any(String),
      status: 'complete',
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
    { operation: 'bulkUpdate', named: (id: string) => ({ subscription_id: id }) },
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
    const stopped = new AbortController();
    const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      // While the first pause runs.
      if (String(input).includes('bulk_subscription_updates')) setTimeout(() => stopped.abort(), 50);
      return bench.sandbox.fetch(input, init);
    };
    await expect(update({ tier: 'premium' }, {}, { sandbox: { fetch }, signal: stopped.signal })).rejects.toThrow(
      'aborted',
    );
    expect(bench.requests('bulkSubscriptionUpdates.get')).toHaveLength(1);
  });

  it('rejects an update without a change, before any request', async () => {
    await expect(update({})).rejects.toMatchObject({ message: expect.stringContaining('nothing to update') });
    expect(bench.requests('subscriptions.bulkUpdate')).toEqual([]);
  });
});

describe('Subscription: Bulk Update', () => {
  const bulk = (ids: readonly string[], more: object = {}, run: object = {}) =>
    bench.run(
      'subscription',
      'bulkUpdate',
      { subscription_id: (index: number) => ids[index], customFields: {}, updateFields: { tier: 'premium' }, ...more },
      { items: ids.map(() => ({})), ...run },
    );
  const unknown = 'sub_00000000-0000-4000-8000-00000000dead';
  const known = async (count: number) =>
    (await bench.run('subscription', 'getMany', { limit: count })).map(({ json }) => String(json['id']));

  it('sends the items as one job, and returns an item for each', async () => {
    const ids = await known(30);
    const items = await bulk(ids);
    expect(items.map(({ json, pairedItem }) => [json['subscription_id'], json['status'], pairedItem?.item])).toEqual(
      ids.map((id, index) => [id, 'complete', index]),
    );
    expect(bench.requests('subscriptions.bulkUpdate')).toHaveLength(1);
  });

  it('splits the items into jobs of the size that the service takes', async () => {
    const ids = Array.from(
      { length: 2500 },
      (_, index) => `sub_00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    );
    const items = await bulk(ids, { waitForCompletion: false });
    expect(bench.requests('subscriptions.bulkUpdate').map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(items.map(({ json }) => json['subscription_id'])).toEqual(ids);
    expect(new Set(items.map(({ json }) => json['subscription_update_id'])).size).toBe(3);
  });

  it('reports the refused items, and returns the others', async () => {
    const [one = '', other = ''] = await known(2);
    const items = await bulk([one, unknown, '', other], {}, { continueOnFail: true });
    expect(items.map(({ pairedItem }) => pairedItem?.item)).toEqual([0, 1, 2, 3]);
    expect(items.map(({ error }) => error === undefined)).toEqual([true, false, false, true]);
    expect(items[1]?.json['error']).toContain('no subscription with this id');
    expect(items[2]?.json['error']).toBe('"Subscription ID" is empty');
  });

  it('sends nothing where an item is wrong and the node stops on errors', async () => {
    const [one = ''] = await known(1);
    await expect(bulk([one, ''])).rejects.toMatchObject({
      message: '"Subscription ID" is empty',
      context: { itemIndex: 1 },
    });
    expect(bench.requests('subscriptions.bulkUpdate')).toEqual([]);
  });

  it('returns the outcome of the other batches when one fails', async () => {
    const ids = Array.from(
      { length: 2500 },
      (_, index) => `sub_00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    );
    let sent = 0;
    const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
      init?.method === 'PATCH' && ++sent === 2
        ? Response.json(
            { status: 400, statusText: 'bad_request', errors: [{ message: 'Not today', code: 'NO' }] },
            { status: 400 },
          )
        : bench.sandbox.fetch(input, init);
    const items = await bulk(ids, { waitForCompletion: false }, { sandbox: { fetch }, continueOnFail: true });
    const failed = items.flatMap(({ error, pairedItem }) => (error ? [pairedItem?.item] : []));
    expect(failed).toEqual(Array.from({ length: 1000 }, (_, index) => 1000 + index));
    expect(items[1000]?.json['error']).toMatch(/^Not today\. Correct the fields/);
  });
});

describe('Subscription: Update Status', () => {
  const known = async (count: number) => {
    const all = await bench.run('subscription', 'getMany', { limit: count, filters: { status: 'active' } });
    return all.map(({ json }) => ({ id: String(json['id']), email: String(json['email']) }));
  };
  const setStatus = (named: readonly string[], more: object = {}, run: object = {}) =>
    bench.run(
      'subscription',
      'updateStatus',
      { subscription: (index: number) => ({ mode: 'id', value: named[index] }), new_status: 'inactive', ...more },
      { items: named.map(() => ({})), ...run },
    );
  const inactive = async (): Promise<unknown[]> => {
    const all = await bench.run('subscription', 'getMany', { returnAll: true, filters: { status: 'inactive' } });
    return all.map(({ json }) => json['id']);
  };

  it('sends sixty items as one job, and returns the status of each', async () => {
    const ids = (await known(60)).map(({ id }) => id);
    expect(ids).toHaveLength(60);
    const items = await setStatus(ids);
    expect(bench.requests('subscriptions.updateStatus')).toHaveLength(1);
    expect(items.map(({ json, pairedItem }) => [json, pairedItem?.item])).toEqual(
      ids.map((id, index) => [
        {
          subscription_id: id,
          new_status: 'inactive',
          subscription_update_id: expect.any(String),
          status: 'complete',
        },
        index,
      ]),
    );
    expect(await inactive()).toEqual(expect.arrayContaining(ids));
  });

  it('accepts addresses, each found with one request', async () => {
    const some = await known(3);
    const before = bench.requests('subscriptions.list').length;
    const items = await setStatus(some.map(({ email }) => email.toUpperCase()));
    expect(items.map(({ json }) => json['subscription_id'])).toEqual(some.map(({ id }) => id));
    expect(bench.requests('subscriptions.list').length - before).toBe(3);
  });

  it('reads the whole list where that takes fewer requests than a lookup per address', async () => {
    const some = await known(60);
    const before = bench.requests('subscriptions.list').length;
    const items = await setStatus(some.map(({ email }) => email));
    expect(items.map(({ json }) => json['subscription_id'])).toEqual(some.map(({ id }) => id));
    // 300 subscriptions are three pages, after the request for their number.
    expect(bench.requests('subscriptions.list').length - before).toBeLessThanOrEqual(4);
    expect(bench.requests('subscriptions.updateStatus')).toHaveLength(1);
  });

  it('reports the refused items, and returns the others', async () => {
    const [one, other] = await known(2);
    const unknown = 'sub_00000000-0000-4000-8000-00000000dead';
    const named = [one?.id ?? '', unknown, 'nobody@example.com', other?.email ?? ''];
    const items = await setStatus(named, {}, { continueOnFail: true });
    expect(items.map(({ json }) => json)).toEqual([
      expect.objectContaining({ subscription_id: one?.id, status: 'complete' }),
      { error: expect.stringContaining('no subscription with this id') },
      { error: expect.stringContaining('"Subscription" names no subscription') },
      expect.objectContaining({ subscription_id: other?.id, status: 'complete' }),
    ]);
  });

  it.each([true, false])(
    'reports an item whose publication cannot be read; continues with the others: %s',
    async (continueOnFail) => {
      const [one, other] = await known(2);
      const publicationOf = (index: number): string => {
        if (index === 1) throw new Error('The expression of Publication failed');
        return publicationId;
      };
      const named = [one?.id ?? '', one?.id ?? '', other?.id ?? ''];
      const run = setStatus(named, { publicationId: publicationOf }, { continueOnFail });
      if (continueOnFail) {
        expect((await run).map(({ json }) => json)).toEqual([
          expect.objectContaining({ subscription_id: one?.id, status: 'complete' }),
          { error: expect.stringContaining('The expression of Publication failed') },
          expect.objectContaining({ subscription_id: other?.id, status: 'complete' }),
        ]);
      } else {
        await expect(run).rejects.toMatchObject({ context: { itemIndex: 1 } });
        expect(bench.requests('subscriptions.updateStatus')).toEqual([]);
      }
    },
  );

  it('sends nothing where an item is wrong and the node stops on errors', async () => {
    const [one] = await known(1);
    await expect(setStatus([one?.id ?? '', 'nobody@example.com'])).rejects.toMatchObject({ context: { itemIndex: 1 } });
    expect(bench.requests('subscriptions.updateStatus')).toEqual([]);
  });

  it('starts one job per status', async () => {
    const ids = (await known(4)).map(({ id }) => id);
    const new_status = (index: number) => (index % 2 === 0 ? 'active' : 'inactive');
    const items = await setStatus(ids, { new_status });
    expect(items.map(({ json }) => json['new_status'])).toEqual(['active', 'inactive', 'active', 'inactive']);
    expect(bench.requests('subscriptions.updateStatus')).toHaveLength(2);
  });

  it('neither waits nor looks the job up without Wait for Completion', async () => {
    const ids = (await known(2)).map(({ id }) => id);
    const items = await setStatus(ids, { waitForCompletion: false });
    expect(items.map(({ json }) => json)).toEqual(
      ids.map((id) => ({
        subscription_id: id,
        new_status: 'inactive',
        subscription_update_id: null,
        status: 'pending',
      })),
    );
    expect(bench.requests('bulkSubscriptionUpdates.list')).toEqual([]);
  });

  it('shows a hint where the job cannot be identified, and does not wait', async () => {
    const ids = (await known(2)).map(({ id }) => id);
    const hints: { message: string }[] = [];
    const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
      String(input).endsWith('/bulk_subscription_updates')
        ? Response.json({ data: [] })
        : bench.sandbox.fetch(input, init);
    const items = await setStatus(ids, {}, { sandbox: { fetch }, hints });
    expect(items.map(({ json }) => json['status'])).toEqual(['pending', 'pending']);
    expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('did not wait for it')]);
  });

  it('accepts a list of IDs in version 1', async () => {
    const ids = (await known(2)).map(({ id }) => id);
    const [item] = await setStatus([''], { subscription_ids: ids }, { version: 1 });
    expect(item?.json).toEqual({ success: true, subscription_ids: ids, new_status: 'inactive' });
  });
});

describe('Data Deletion: Request', () => {
  const request = (email: string, emailConfirmation: string, more: object = {}, run: object = {}) =>
    bench.run('dataDeletion', 'request', { email, emailConfirmation, ...more }, run);

  it('rejects a different confirmation of the address', async () => {
    await expect(request(ada.value, 'ada.lovelace@example.org')).rejects.toMatchObject({
      message: expect.stringContaining('"Email" and "Confirm Email" are not the same'),
    });
    await expect(request(ada.value, '')).rejects.toMatchObject({ message: '"Confirm Email" is empty' });
    expect(bench.requests('deletionRequests.create')).toEqual([]);
  });

  it('rejects an agent unless Allow Agents to Request Deletion is on', async () => {
    await expect(request(ada.value, ada.value, {}, { tool: true })).rejects.toMatchObject({
      message: expect.stringContaining('Allow Agents to Request Deletion'),
    });
    expect(bench.requests('deletionRequests.create')).toEqual([]);
    expect(await request(ada.value, ada.value, { allowAgents: true }, { tool: true })).toHaveLength(1);
  });

  it('offers agents no way to set the switch', () => {
    const found = bench.bundle.newsletter.description.properties.find(({ name }) => name === 'allowAgents');
    expect(found).toMatchObject({
      default: false,
      noDataExpression: true,
      displayOptions: { show: { '@tool': [true] } },
    });
  });

  it('explains the refusal of a restricted key and of a second request', async () => {
    await expect(
      request(ada.value, ada.value, {}, { credential: { apiKey: 'sandbox-key-restricted' } }),
    ).rejects.toMatchObject({
      httpCode: '403',
      description: expect.stringContaining('must not be restricted to publications'),
    });
    await request(ada.value, ada.value);
    await expect(request(ada.value, ada.value)).rejects.toMatchObject({
      httpCode: '409',
      description: expect.stringContaining('already requested'),
    });
  });
});

describe('refusals of the service', () => {
  const automationId = async () => ({ mode: 'list', value: await bench.first('searchAutomations') });

  it('names the requirements of Enroll', async () => {
    const refused = bench.run('journey', 'enroll', {
      automationId: await automationId(),
      subscription: { mode: 'email', value: 'nobody@example.com' },
    });
    await expect(refused).rejects.toMatchObject({
      httpCode: '404',
      description: expect.stringContaining('Only existing subscribers'),
    });
  });

  it('names the access that publication fields need', async () => {
    const refused = bench.run('publicationField', 'getMany', {}, { credential: { apiKey: 'sandbox-key-restricted' } });
    await expect(refused).rejects.toMatchObject({
      httpCode: '403',
      description: expect.stringContaining('every publication'),
    });
  });

  it.each([
    ['automation', 'get', { automationId: { mode: 'list', value: '' } }, '"Automation" is empty'],
    ['customField', 'create', { display: ' ', kind: 'string' }, '"Name" is empty'],
    ['customField', 'create', { display: 'Colour', kind: 'colour' }, '"Kind" must be one of'],
    [
      'subscription',
      'updateStatus',
      { subscription: { value: '' }, new_status: 'inactive' },
      '"Subscription" is empty',
    ],
    ['subscription', 'getMany', { returnAll: false, limit: 0 }, '"Limit" must be a number from 1'],
  ])('names the invalid parameter of %s %s', async (resource, operation, parameters, message) => {
    await expect(bench.run(resource, operation, parameters)).rejects.toMatchObject({
      message: expect.stringContaining(message),
      context: { itemIndex: 0 },
    });
    expect(bench.sandbox.requests()).toEqual([]);
  });

  it('replaces field names in messages of the service by labels', async () => {
    const refused = bench.run('subscription', 'create', {
      email: 'ada',
      customFields: {},
      additionalFields: { premium_tier_ids: ['gold'] },
    });
    await expect(refused).rejects.toMatchObject({
      httpCode: '400',
      description: expect.stringMatching(/^See .*"Premium Tier IDs".* Correct/),
    });
  });

  it('reports a custom field as missing after its deletion', async () => {
    const customFieldId = { mode: 'list', value: await bench.first('searchCustomFields') };
    expect((await bench.run('customField', 'delete', { customFieldId }))[0]?.json).toEqual({ deleted: true });
    await expect(bench.run('customField', 'get', { customFieldId })).rejects.toMatchObject({ httpCode: '404' });
  });
});

describe('the list searches of the editor', () => {
  it('continue at the cursor of the service until the last page', async () => {
    const shown: string[] = [];
    let token: string | undefined = '';
    for (let pages = 0; token !== undefined && pages < 10; pages++) {
      const { results, paginationToken } = await bench.search('searchSubscriptions', '', token);
      shown.push(...results.map(({ value }) => value));
      token = paginationToken;
    }
    expect(new Set(shown).size).toBe(300);
    expect(shown).toHaveLength(300);
  });

  it('continue at the next page number where the service counts pages', async () => {
    const pages = 3;
    const fetch = async (input: string | URL | Request): Promise<Response> => {
      const page = Number(new URL(String(input)).searchParams.get('page') ?? 1);
      return Response.json({
        data: [{ id: `aut_${page}`, name: `Automation ${page}`, status: 'live', trigger_events: [] }],
        page,
        limit: 1,
        total_pages: pages,
        total_results: pages,
      });
    };
    const first = await bench.search('searchAutomations', '', '', { sandbox: { fetch } });
    const second = await bench.search('searchAutomations', '', first.paginationToken, { sandbox: { fetch } });
    expect([...first.results, ...second.results].map(({ value }) => value)).toEqual(['aut_1', 'aut_2']);
    // A search reads pages until it finds something.
    expect(await bench.search('searchAutomations', 'tion 3', '', { sandbox: { fetch } })).toEqual({
      results: [{ name: 'Automation 3 (live)', value: 'aut_3' }],
    });
  });

  it.each([
    ['searchAutomations', 'COME BACK', ['Come back (live)']],
    ['searchAutomations', 'welcome', ['Welcome aboard (running, Add by API)']],
    ['searchAuthors', 'johanna', ['Johanna Petersen (user)']],
    ['searchCustomFields', 'birth', ['Birthday (date)']],
    ['searchSubscriptions', 'ADA.lovelace@example.com', ['ada.lovelace@example.com (active)']],
    ['searchConditionSets', 'nothing of the kind', []],
  ])('%s finds "%s"', async (method, filter, names) => {
    expect((await bench.search(method, filter)).results.map(({ name }) => name)).toEqual(names);
  });

  it('name the remedy for a wrong key', async () => {
    await expect(
      bench.search('searchAutomations', '', '', { credential: { apiKey: 'no-such-key' } }),
    ).rejects.toMatchObject({ description: expect.stringContaining('Check the API Key') });
  });
});

describe('the parameters marked as required', () => {
  it('are exactly those that reject an empty value', async () => {
    // Bulk Import reports invalid rows in the output.
    const operations = offered(bench.bundle).filter(({ operation }) => operation !== 'bulkImport');
    const named = new Set(['string', 'resourceLocator', 'multiOptions', 'fixedCollection']);
    for (const { resource, operation, properties, ...rest } of operations) {
      const [filled = {}] = fillings({ resource, operation, properties, ...rest });
      for (const { name, displayName, type, required = false, displayOptions } of properties) {
        if (!named.has(type) || name === 'publicationId') continue;
        const shown = Object.entries(displayOptions?.show ?? {}).filter(([key]) => /^\w+$/.test(key));
        const others = Object.fromEntries(shown.map(([key, values]) => [key, values[0]]));
        const ran = bench.run(resource, operation, { ...filled, ...others, [name]: type === 'multiOptions' ? [] : '' });
        const message = await ran.then(String, ({ message: said }: Error) => said);
        expect.soft(message.includes(`"${displayName}" is empty`), `${resource} ${operation}: ${name}`).toBe(required);
      }
    }
  });
});
