/** Batch operations with and without On Error: Continue, where an item or a request fails. */
import { describe, expect, it } from 'vitest';
import { workbench } from './workbench.ts';

const bench = workbench();

const known = async (count: number): Promise<readonly string[]> =>
  (await bench.run('subscription', 'getMany', { limit: count })).map(({ json }) => String(json['id']));

/** A publication whose expression fails for the item at this index, so that the item has no context. */
const failingAt = (failing: number) => (index: number) => {
  if (index === failing) throw new Error('The expression failed');
  return '';
};

describe.each([
  ['bulkUpdate', 'subscriptions.bulkUpdate'],
  ['updateStatus', 'subscriptions.updateStatus'],
  ['bulkImport', 'subscriptions.bulkCreate'],
])('%s of an item without a context', (operation, request) => {
  const run = async (continueOnFail: boolean) => {
    const ids = await known(3);
    return bench.run(
      'subscription',
      operation,
      {
        publicationId: failingAt(1),
        subscription_id: (index: number) => ids[index],
        subscription: (index: number) => ({ mode: 'id', value: ids[index] }),
        new_status: 'inactive',
        customFields: {},
        updateFields: { tier: 'premium' },
      },
      { items: ids.map((_, index) => ({ email: `person.${index}@example.com` })), continueOnFail },
    );
  };

  it('fails the node before any request', async () => {
    await expect(run(false)).rejects.toMatchObject({
      message: 'The expression failed',
      context: { itemIndex: 1 },
    });
    expect(bench.requests(request)).toEqual([]);
  });

  it('runs the other items with Continue On Fail, and returns all in their order', async () => {
    const items = await run(true);
    expect(items.map(({ pairedItem, json }) => [pairedItem?.item, 'error' in json])).toEqual([
      [0, false],
      [1, true],
      [2, false],
    ]);
    expect(items[1]?.json['error']).toBe('The expression failed');
    expect(bench.requests(request)).toHaveLength(1);
  });
});

describe('a refused batch of bulkUpdate', () => {
  const run = async (continueOnFail: boolean): Promise<number> => {
    let sent = 0;
    const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
      init?.method === 'PATCH' && ++sent === 2
        ? Response.json(
            { status: 400, statusText: 'bad_request', errors: [{ message: 'Not today', code: 'NO' }] },
            { status: 400 },
          )
        : bench.sandbox.fetch(input, init);
    const subscription_id = (index: number) => `sub_00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const running = bench.run(
      'subscription',
      'bulkUpdate',
      { subscription_id, customFields: {}, updateFields: { tier: 'premium' }, waitForCompletion: false },
      { sandbox: { fetch }, items: Array.from({ length: 2001 }, () => ({})), continueOnFail },
    );
    if (continueOnFail) expect((await running).filter(({ error }) => error)).toHaveLength(1000);
    else await expect(running).rejects.toMatchObject({ message: 'Not today', context: { itemIndex: 1000 } });
    return sent;
  };

  it('prevents the following batches', async () => {
    expect(await run(false)).toBe(2);
  });

  it('does not prevent the following batches with Continue On Fail', async () => {
    expect(await run(true)).toBe(3);
  });
});
