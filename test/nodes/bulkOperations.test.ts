/** The operations that update many subscriptions. */
import { describe, expect, it } from 'vitest';
import { refusal, workbench } from './workbench.ts';

const bench = workbench();

describe('Subscription: Bulk Update', () => {
  const bulk = (ids: readonly string[], more: object = {}, run: object = {}) =>
    bench.run(
      'subscription',
      'bulkUpdate',
      {
        subscription: (index: number) => ids[index],
        customFields: {},
        updateFields: { tier: 'premium' },
        ...more,
      },
      { items: ids.map(() => ({})), ...run },
    );
  const unknownIds = Array.from(
    { length: 2500 },
    (_, index) => `sub_00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  );
  const known = async (count: number) =>
    (await bench.run('subscription', 'getMany', { limit: count })).map(({ json }) => String(json['id']));

  it('sends the items as one job, and returns an item for each', async () => {
    const ids = await known(30);
    const items = await bulk(ids);
    expect(items.map(({ json, pairedItem }) => [json['id'], json['job_status'], pairedItem?.item])).toEqual(
      ids.map((id, index) => [id, 'complete', index]),
    );
    expect(bench.requests('subscriptions.bulkUpdate')).toHaveLength(1);
  });

  it('splits the items into jobs of the size that the service takes', async () => {
    const items = await bulk(unknownIds, { waitForCompletion: false });
    expect(bench.requests('subscriptions.bulkUpdate').map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(items.map(({ json }) => json['id'])).toEqual(unknownIds);
    expect(new Set(items.map(({ json }) => json['subscription_update_id'])).size).toBe(3);
  });

  describe('where one of three batches is refused', () => {
    const run = async (continueOnFail: boolean) => {
      let sent = 0;
      const refusing = bench.before('PATCH', () => ((sent += 1) === 2 ? refusal(400, 'Not today') : undefined));
      const more = { ...refusing, continueOnFail };
      const outcome = await bulk(unknownIds, { waitForCompletion: false }, more).catch((error: unknown) => error);
      return { outcome, sent };
    };

    it('sends no further batch, and fails with the first item of the refused one', async () => {
      const { outcome, sent } = await run(false);
      expect(outcome).toMatchObject({ message: 'Not today', context: { itemIndex: 1000 } });
      expect(sent).toBe(2);
    });

    it('returns the outcome of the other batches with Continue On Fail', async () => {
      const { outcome, sent } = await run(true);
      const items = outcome as Awaited<ReturnType<typeof bulk>>;
      const failed = items.flatMap(({ error, pairedItem }) => (error ? [pairedItem?.item] : []));
      expect(failed).toEqual(Array.from({ length: 1000 }, (_, index) => 1000 + index));
      expect(items[1000]?.json['error']).toMatch(/^Not today\. Correct the fields/);
      expect(sent).toBe(3);
    });
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

  it('sends sixty items as one job, and returns each subscription as it is read afterwards', async () => {
    const ids = (await known(60)).map(({ id }) => id);
    expect(ids).toHaveLength(60);
    const items = await setStatus(ids);
    expect(bench.requests('subscriptions.updateStatus')).toHaveLength(1);
    expect(items.map(({ json, pairedItem }) => [json, pairedItem?.item])).toEqual(
      ids.map((id, index) => [
        expect.objectContaining({
          id,
          email: expect.stringContaining('@'),
          status: 'inactive',
          created: expect.stringMatching(/^20\d\d-/),
          subscription_update_id: expect.any(String),
          job_status: 'complete',
        }),
        index,
      ]),
    );
    expect(await inactive()).toEqual(expect.arrayContaining(ids));
  });

  it('starts one job per status', async () => {
    const ids = (await known(4)).map(({ id }) => id);
    const new_status = (index: number) => (index % 2 === 0 ? 'active' : 'inactive');
    const items = await setStatus(ids, { new_status });
    expect(items.map(({ json }) => json['status'])).toEqual(['active', 'inactive', 'active', 'inactive']);
    expect(bench.requests('subscriptions.updateStatus')).toHaveLength(2);
  });

  it('neither waits nor looks the job up without Wait for Completion', async () => {
    const ids = (await known(2)).map(({ id }) => id);
    const items = await setStatus(ids, { waitForCompletion: false });
    expect(items.map(({ json }) => json)).toEqual(
      ids.map((id) => ({ id, subscription_update_id: null, job_status: 'pending' })),
    );
    expect(bench.requests('bulkSubscriptionUpdates.list')).toEqual([]);
  });

  it('shows a hint where the job cannot be identified, and does not wait', async () => {
    const ids = (await known(2)).map(({ id }) => id);
    const hints: { message: string }[] = [];
    const unlisted = bench.before('GET', (url) =>
      url.endsWith('/bulk_subscription_updates') ? Response.json({ data: [] }) : undefined,
    );
    const items = await setStatus(ids, {}, { ...unlisted, hints });
    expect(items.map(({ json }) => [json['job_status'], json['status']])).toEqual([
      ['pending', 'inactive'],
      ['pending', 'inactive'],
    ]);
    expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('did not wait for it')]);
  });
});

describe.each([
  ['bulkUpdate', 'subscriptions.bulkUpdate'],
  ['updateStatus', 'subscriptions.updateStatus'],
] as const)('the subscriptions of %s', (operation, request) => {
  const isReadAgain = operation === 'updateStatus';
  const known = async (count: number) =>
    (await bench.run('subscription', 'getMany', { limit: count })).map(({ json }) => ({
      id: String(json['id']),
      email: String(json['email']),
    }));
  const run = async (named: readonly string[], more: object = {}) => {
    const before = bench.requests('subscriptions.list').length;
    const parameters = { new_status: 'inactive', customFields: {}, updateFields: { tier: 'premium' } };
    const subscription = (index: number) => ({ mode: 'id', value: named[index] });
    const items = await bench.run(
      'subscription',
      operation,
      { ...parameters, subscription },
      { items: named.map(() => ({})), ...more },
    );
    return {
      ids: items.map(({ json }) => json['id']),
      errors: items.map(({ json }) => json['error']),
      lookups: bench.requests('subscriptions.list').length - before,
    };
  };

  it('are done once the service shows their changes, in whatever word their job ends', async () => {
    const some = await known(2);
    const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const response = await bench.prompt.fetch(input, init);
      if (!String(input).includes('/bulk_subscription_updates/')) return response;
      return new Response((await response.text()).replace('"complete"', '"SUCCEEDED"'), response);
    };
    const { ids, errors } = await run(
      some.map(({ email }) => email),
      { sandbox: { fetch } },
    );
    expect([ids, errors]).toEqual([some.map(({ id }) => id), [undefined, undefined]]);
  });

  it('may be named by addresses, each found with one request', async () => {
    const some = await known(3);
    const { ids, lookups } = await run(some.map(({ email }) => email.toUpperCase()));
    expect({ ids, lookups }).toEqual({ ids: some.map(({ id }) => id), lookups: isReadAgain ? 6 : 3 });
    expect(bench.requests(request)).toHaveLength(1);
  });

  it('are found in the whole list where that takes fewer requests than a lookup per address', async () => {
    const some = await known(60);
    const { ids, lookups } = await run(some.map(({ email }) => email));
    expect(ids).toEqual(some.map(({ id }) => id));
    // 300 subscriptions are three pages, after the request for their number.
    expect(lookups).toBeLessThanOrEqual(isReadAgain ? 8 : 4);
    expect(bench.requests(request)).toHaveLength(1);
  });

  it('may be named by a mixture, of which unknown ones fail alone', async () => {
    const [one, other] = await known(2);
    const unknown = 'sub_00000000-0000-4000-8000-00000000dead';
    const named = [one?.id ?? '', unknown, 'nobody@example.com', '', other?.email ?? ''];
    const { ids, errors } = await run(named, { continueOnFail: true });
    expect(ids).toEqual([one?.id, undefined, undefined, undefined, other?.id]);
    expect(errors).toEqual([
      undefined,
      expect.stringContaining('no subscription with this id'),
      expect.stringContaining('"Subscription" names no subscription'),
      '"Subscription" is empty',
      undefined,
    ]);
  });

  it('are not looked up where an item is wrong and the node stops on errors', async () => {
    await expect(run(['ada.lovelace@example.com', ''])).rejects.toMatchObject({
      message: '"Subscription" is empty',
      context: { itemIndex: 1 },
    });
    expect(bench.sandbox.requests()).toEqual([]);
  });
});

describe('New Status', () => {
  const set = async (new_status: unknown) => {
    const hints: { message: string }[] = [];
    const subscription = { mode: 'email', value: 'ada.lovelace@example.com' };
    const [item] = await bench.run('subscription', 'updateStatus', { subscription, new_status }, { hints });
    return { status: item?.json['status'], hints: hints.map(({ message }) => message).join() };
  };

  it.each(['Unsubscribed', 'unsubscribed', 'opt-out', 'Opted Out', 'abgemeldet', 'bounced', 'no', false])(
    'takes %j, which refuses mails, for inactive, and says so',
    async (word) => {
      expect(await set(word)).toEqual({
        status: 'inactive',
        hints: `"New Status" took "${String(word)}" for "inactive", which was set.`,
      });
    },
  );

  it.each(['subscribed', 'yes', 'true', 'confirmed', 'pending', 'paused', 'opt-in'])(
    'is raised by its own word alone, not by %j',
    async (word) => {
      await expect(set(word)).rejects.toThrow('"New Status" must be one of active, inactive');
    },
  );

  it.each(['active', ' Active ', 'inactive', 'INACTIVE'])('takes %j without a hint', async (word) => {
    expect(await set(word)).toEqual({ status: word.trim().toLowerCase(), hints: '' });
  });
});
