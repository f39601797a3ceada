/** The calls of a bulk import: their options, limits and journal entries, and how a run ends. */
import { describe, expect, it } from 'vitest';
import { importSubscriptions, memoryJournal, type Rejection } from '../../src/import/index.ts';
import { createEngine } from '../../src/engine/index.ts';
import { people, refusal, service } from './service.ts';

describe('the calls of an import', () => {
  /** The options that each call was made with. */
  function recording(answering?: Parameters<typeof service>[0]) {
    const api = service(answering);
    const calls: { readonly id: string; readonly args: object; readonly options: object | undefined }[] = [];
    const call = ((id: string, args: object, options?: object) => {
      calls.push({ id, args, options });
      return api.engine.call(id as never, args as never, options as never);
    }) as typeof api.engine.call;
    return { ...api, calls, engine: { ...api.engine, host: api.host, call } };
  }

  it('have two minutes and a stream of their own, unless told otherwise', async () => {
    const { calls, engine } = recording();
    const options = { engine, source: people(1), publicationId: 'pub_2', call: { background: true } };
    await importSubscriptions(options);
    expect(calls).toMatchObject([
      {
        id: 'subscriptions.bulkCreate',
        args: { publicationId: 'pub_2', subscriptions: people(1) },
        options: { timeoutMs: 120_000, background: true },
      },
    ]);
    expect(calls[0]?.options).toHaveProperty('stream', options);
  });

  it.each([
    [undefined, 4],
    [2, 2],
    [0, 1],
  ] as const)('with a concurrency of %s are %i at a time', async (concurrency, most) => {
    let inFlight = 0;
    let highest = 0;
    const { host, sent } = service(async () => {
      highest = Math.max(highest, (inFlight += 1));
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      return undefined;
    });
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1', pacer: false });
    await importSubscriptions({ engine, source: people(20), batchSize: 1, concurrency });
    expect([highest, sent.length]).toEqual([most, 20]);
  });

  it.each([
    [1, true],
    [1000, true],
    [0, false],
    [1001, false],
    [2.5, false],
  ])('of %d rows are allowed: %s', async (batchSize, allowed) => {
    const run = importSubscriptions({ ...service(), batchSize, source: people(1) });
    if (allowed) expect(await run).toMatchObject({ accepted: 1 });
    else await expect(run).rejects.toThrow(new RangeError('batchSize must be a whole number from 1 to 1000.'));
  });

  it('hold a million bytes at most by default', async () => {
    const { sent, ...api } = service();
    const source = people(5).map((row) => ({ ...row, utm_campaign: 'x'.repeat(300_000) }));
    await importSubscriptions({ ...api, source });
    expect(sent.map(({ rows }) => rows.length)).toEqual([3, 2]);
  });

  it('hold exactly the bytes of their rows and commas', async () => {
    const bytes = JSON.stringify(people(2)[0]).length + 1;
    for (const [batchBytes, sizes] of [
      [bytes * 2, [2, 2]],
      [bytes * 2 - 1, [1, 1, 1, 1]],
    ] as const) {
      const { sent, ...api } = service();
      await importSubscriptions({ ...api, batchBytes, source: people(4) });
      expect(sent.map(({ rows }) => rows.length)).toEqual(sizes);
    }
  });

  it.each([
    [1, 1],
    [3, 3],
    [undefined, 5],
  ])('stop after %s failures in succession', async (giveUpAfter, calls) => {
    const { sent, ...api } = service(() => ({ status: 500 }));
    await importSubscriptions({ ...api, batchSize: 1, concurrency: 1, giveUpAfter, source: people(9) });
    expect(sent).toHaveLength(calls);
  });

  it('go on where failures are not in succession', async () => {
    const { sent, ...api } = service((_, call) => (call % 3 === 0 ? undefined : { status: 500 }));
    await importSubscriptions({ ...api, batchSize: 1, concurrency: 1, giveUpAfter: 3, source: people(9) });
    expect(sent).toHaveLength(9);
  });

  it('are journalled before and after, with the digest of all rows so far', async () => {
    const records: Readonly<Record<string, unknown>>[] = [];
    const journal = {
      read: () => [],
      append: async (record: object) => void records.push({ ...record }),
    };
    const { sent, ...api } = service((rows, call) =>
      call === 1
        ? refusal('subscriptions[0]: no.')
        : rows.some(({ email }) => email.startsWith('reader1@'))
          ? refusal('No.')
          : undefined,
    );
    const source = { rows: people(3), fingerprint: 'file' };
    await importSubscriptions({ ...api, journal, batchSize: 2, concurrency: 1, source });
    const digest = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(records).toEqual([
      {
        type: 'started',
        version: 1,
        fingerprint: 'file',
        seed: [0x8000_0000 | 0, 0x8000_0000 | 0, 0x8000_0000 | 0, 0x8000_0000 | 0],
      },
      { type: 'sending', first: 1, last: 2, rows: 2, digest },
      { type: 'released', first: 1, last: 2 },
      { type: 'sending', first: 1, last: 1, rows: 1, digest },
      { type: 'refused', first: 1, last: 1, reason: 'the service refused it: No' },
      { type: 'sending', first: 2, last: 2, rows: 1, digest },
      { type: 'accepted', first: 2, last: 2, rows: 1, id: 'import-3' },
      { type: 'sending', first: 3, last: 3, rows: 1, digest },
      { type: 'accepted', first: 3, last: 3, rows: 1, id: 'import-4' },
    ]);
    expect(records[1]?.['digest']).toBe(records[5]?.['digest']);
    expect(new Set(records.flatMap((record) => record['digest'] ?? [])).size).toBe(3);
    expect(sent).toHaveLength(4);
  });

  it('are reported with their rows, in both results', async () => {
    const accepted: object[] = [];
    const failed: object[] = [];
    const { sent, ...api } = service((_, call) => (call === 2 ? { status: 500 } : undefined));
    const options = {
      ...api,
      journal: memoryJournal(),
      batchSize: 2,
      concurrency: 1,
      source: people(5),
      onAccepted: (batch: object) => void accepted.push(batch),
      onFailed: (batch: object) => void failed.push(batch),
    };
    expect(await importSubscriptions(options)).toMatchObject({
      outcome: 'incomplete',
      importIds: ['import-1', 'import-3'],
    });
    expect(accepted).toEqual([
      { rows: [1, 2], resent: false, importId: 'import-1' },
      { rows: [5], resent: false, importId: 'import-3' },
    ]);
    expect(failed).toMatchObject([{ rows: [3, 4], resent: false, error: { status: 500 } }]);
    const again = await importSubscriptions(options);
    expect(again).not.toHaveProperty('error');
    expect(again.importIds).toEqual(['import-1', 'import-3', 'import-4']);
    expect(accepted[2]).toEqual({ rows: [3, 4], resent: true, importId: 'import-4' });
    expect(sent).toHaveLength(4);
  });

  it('end with the signal, also between the parts of a refused batch', async () => {
    const stop = new AbortController();
    const { sent, ...api } = service(() => (stop.abort(), refusal('No.')));
    const result = await importSubscriptions({ ...api, source: people(8), signal: stop.signal });
    expect(result).toMatchObject({ outcome: 'interrupted', accepted: 0, rejected: 0, failed: 0 });
    expect(sent).toHaveLength(1);
  });

  it('end with an error of a callback, once those in flight have ended', async () => {
    const { sent, ...api } = service();
    const run = importSubscriptions({
      ...api,
      batchSize: 1,
      concurrency: 1,
      source: people(5),
      onAccepted: ({ rows: [row] }) => (row === 2 ? Promise.reject(new Error('full')) : undefined),
    });
    await expect(run).rejects.toThrow('full');
    expect(sent.length).toBeLessThan(4);
  });

  it('report skipped rows every 10,000', async () => {
    const journal = memoryJournal();
    const source = people(20_001);
    await importSubscriptions({ ...service(), journal, source });
    const reads: number[] = [];
    const again = await importSubscriptions({
      ...service(),
      journal,
      source,
      onProgress: ({ read }) => void reads.push(read),
    });
    expect(reads).toEqual([10_000, 20_000, 20_001]);
    expect(again).toMatchObject({ resumed: 20_001, accepted: 20_001, batches: 21 });
  });

  it('leave out a row that an earlier run found refused, with the same reason', async () => {
    const journal = memoryJournal();
    const run = async (answering?: Parameters<typeof service>[0]) => {
      const rejections: Rejection[] = [];
      const { sent, ...api } = service(answering);
      const result = await importSubscriptions({
        ...api,
        journal,
        batchSize: 1,
        concurrency: 1,
        source: [...people(2), { email: 'READER1@example.com' }],
        onRejected: (rejection) => void rejections.push(rejection),
      });
      return { result, rejections, sent };
    };
    const first = await run((_, call) => (call === 2 ? refusal('No.') : undefined));
    const second = await run();
    expect(second.sent).toEqual([]);
    expect(second.rejections).toEqual(first.rejections.toSorted((a, b) => a.row - b.row));
    expect(second.rejections.map(({ row, kind }) => [row, kind])).toEqual([
      [2, 'refused'],
      [3, 'duplicate'],
    ]);
    expect(second.result).toMatchObject({ outcome: 'complete', accepted: 1, rejected: 1, duplicates: 1, resumed: 2 });
  });
});
