import { describe, expect, it } from 'vitest';
import {
  importSubscriptions,
  memoryJournal,
  SourceChangedError,
  JournalError,
  type ImportProgress,
  type Rejection,
} from '../../src/import/index.ts';
import { people, refusal, service } from './service.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('a bulk import', () => {
  it('sends every row once, a thousand at a time, with the address normalised', async () => {
    const { sent, ...api } = service();
    const result = await importSubscriptions({
      ...api,
      source: [{ email: ' Ada@EXAMPLE.com ', utm_source: 'fair' }, ...people(2001)],
    });
    expect(sent.map(({ rows }) => rows.length)).toEqual([1000, 1000, 2]);
    expect(sent[0]?.rows[0]).toEqual({ email: 'Ada@example.com', utm_source: 'fair' });
    expect(result).toEqual({
      outcome: 'complete',
      read: 2002,
      accepted: 2002,
      rejected: 0,
      duplicates: 0,
      failed: 0,
      batches: 3,
      resumed: 0,
      resent: 0,
      importIds: ['import-1', 'import-2', 'import-3'],
    });
  });

  it('starts a new batch where the bytes would exceed the limit, and sends a large row alone', async () => {
    const { sent, ...api } = service();
    const long = { email: 'long@example.com', utm_campaign: 'ü'.repeat(400) };
    await importSubscriptions({
      ...api,
      batchBytes: 600,
      source: [...people(3), long, ...people(2).map(({ email }) => ({ email: `b${email}` }))],
    });
    expect(sent.map(({ rows }) => rows.length)).toEqual([3, 1, 2]);
  });

  it('rejects what can’t be sent by row and reason, and names no address', async () => {
    const { sent, ...api } = service();
    const rejections: Rejection[] = [];
    const source = [
      { email: 'ada@example.com' },
      { email: 'Ada@Example.COM' },
      { email: 'not an address' },
      { row: 40, subscription: { email: 'bo@example.com', tier: 'gold' } },
      { row: 41, problem: 'column "Age" must hold a whole number', original: { Mail: 'cy@example.com' } },
    ] as never[];
    const result = await importSubscriptions({
      ...api,
      source,
      onRejected: (rejection) => void rejections.push(rejection),
    });
    expect(result).toMatchObject({ outcome: 'complete', read: 5, accepted: 1, rejected: 3, duplicates: 1 });
    expect(sent).toHaveLength(1);
    expect(rejections.map(({ row, kind, reason }) => [row, kind, reason])).toEqual([
      [2, 'duplicate', 'row 1 has the same address'],
      [3, 'invalid', '"email" must be an e-mail address such as name@example.com'],
      [40, 'invalid', '"tier" must be one of "free", "premium"'],
      [41, 'invalid', 'column "Age" must hold a whole number'],
    ]);
    expect(rejections[3]?.original).toEqual({ Mail: 'cy@example.com' });
  });

  it('finds a refused row by halving the batch, and sends the 999 others', async () => {
    const { sent, ...api } = service((rows) =>
      rows.some(({ email }) => email === 'reader700@example.com') ? refusal('A list does not exist.') : undefined,
    );
    const rejections: Rejection[] = [];
    const result = await importSubscriptions({
      ...api,
      source: people(1000),
      onRejected: (rejection) => void rejections.push(rejection),
    });
    expect(result).toMatchObject({ outcome: 'complete', accepted: 999, rejected: 1 });
    expect(rejections).toMatchObject([
      { row: 700, kind: 'refused', reason: 'the service refused it: A list does not exist' },
    ]);
    expect(sent.length).toBeLessThan(25);
  });

  it('needs three calls where the service names the row', async () => {
    const { sent, ...api } = service((rows) => {
      const index = rows.findIndex(({ email }) => email === 'reader700@example.com');
      return index < 0 ? undefined : refusal(`subscriptions[${index}]: a list does not exist.`);
    });
    expect(await importSubscriptions({ ...api, source: people(1000) })).toMatchObject({ accepted: 999, rejected: 1 });
    expect(sent.map(({ rows }) => rows.length)).toEqual([1000, 699, 1, 300]);
  });

  it('divides a call that is too large', async () => {
    const { sent, ...api } = service((rows) => (rows.length > 300 ? { status: 413, body: '' } : undefined));
    expect(await importSubscriptions({ ...api, source: people(1000) })).toMatchObject({
      outcome: 'complete',
      accepted: 1000,
      batches: 4,
    });
    expect(sent.at(-1)?.rows).toHaveLength(250);
  });

  it('stops where the service refuses every row from the start', async () => {
    const { sent, ...api } = service(() => refusal('No.'));
    const result = await importSubscriptions({ ...api, concurrency: 1, source: people(5000) });
    expect(result).toMatchObject({ outcome: 'incomplete', accepted: 0, rejected: 25, error: { status: 400 } });
    expect(sent.length).toBeLessThan(70);
  });

  it('continues after a failed call, and sends its rows in the next run', async () => {
    const { sent, ...api } = service((_, call) => (call === 2 ? { status: 503 } : undefined));
    const journal = memoryJournal();
    const failed: number[] = [];
    const options = {
      ...api,
      journal,
      batchSize: 10,
      concurrency: 1,
      source: people(40),
      onFailed: ({ rows }: { rows: readonly number[] }) => void failed.push(...rows),
    };
    expect(await importSubscriptions(options)).toMatchObject({
      outcome: 'incomplete',
      accepted: 30,
      failed: 10,
      error: { status: 503 },
    });
    expect(failed).toEqual(numbers(20).slice(10));
    expect(await importSubscriptions(options)).toMatchObject({
      outcome: 'complete',
      accepted: 40,
      failed: 0,
      batches: 4,
      resumed: 30,
      resent: 10,
    });
    expect(sent.slice(4).map(({ rows }) => rows.map(({ email }) => email))).toEqual([
      people(20)
        .slice(10)
        .map(({ email }) => email),
    ]);
    expect(await importSubscriptions(options)).toMatchObject({
      outcome: 'complete',
      accepted: 40,
      resumed: 40,
      importIds: expect.arrayContaining(['import-5']),
    });
    expect(sent).toHaveLength(5);
  });

  it('keeps a batch whose answer was lost for another resend when the service refuses the key meanwhile', async () => {
    const { sent, ...api } = service((_, call) =>
      call === 2 ? { status: 503 } : call === 4 ? refusal('No.', 401) : undefined,
    );
    const options = { ...api, journal: memoryJournal(), batchSize: 10, concurrency: 1, source: people(30) };
    await importSubscriptions(options);
    expect(await importSubscriptions(options)).toMatchObject({ outcome: 'incomplete', failed: 10, resent: 0 });
    expect(await importSubscriptions({ ...options, batchSize: 3 })).toMatchObject({
      outcome: 'complete',
      accepted: 30,
      resent: 10,
    });
    expect(sent.slice(3).map(({ rows }) => rows)).toEqual([people(20).slice(10), people(20).slice(10)]);
  });

  it('sends a batch that the service did not take in batches of any other size in the next run', async () => {
    const { sent, ...api } = service((_, call) => (call === 2 ? refusal('No.', 401) : undefined));
    const options = { ...api, journal: memoryJournal(), concurrency: 1, source: people(20) };
    await importSubscriptions({ ...options, batchSize: 10 });
    expect(await importSubscriptions({ ...options, batchSize: 4 })).toMatchObject({
      outcome: 'complete',
      accepted: 20,
      resent: 0,
    });
    expect(sent.map(({ rows }) => rows.length)).toEqual([10, 10, 4, 4, 2]);
  });

  it.each([401, 403, 404])('stops at once on %i', async (status) => {
    const { sent, ...api } = service(() => refusal('No.', status));
    expect(await importSubscriptions({ ...api, batchSize: 1, concurrency: 1, source: people(50) })).toMatchObject({
      outcome: 'incomplete',
      failed: 1,
      error: { status },
    });
    expect(sent).toHaveLength(1);
  });

  it('stops after five failed calls in succession', async () => {
    const { sent, ...api } = service(() => ({ status: 500 }));
    expect(await importSubscriptions({ ...api, batchSize: 1, concurrency: 1, source: people(50) })).toMatchObject({
      outcome: 'incomplete',
      failed: 5,
    });
    expect(sent).toHaveLength(5);
  });

  it('reads rows only as fast as calls are sent', async () => {
    let pulled = 0;
    async function* endless(): AsyncGenerator<{ email: string }> {
      for (;;) yield { email: `reader${(pulled += 1)}@example.com` };
    }
    const stop = new AbortController();
    let furthest = 0;
    const { sent, ...api } = service(async (_, call) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      furthest = Math.max(furthest, pulled - (call - 1) * 10);
      if (call === 20) stop.abort();
      return undefined;
    });
    const result = await importSubscriptions({
      ...api,
      batchSize: 10,
      concurrency: 3,
      source: endless(),
      signal: stop.signal,
    });
    expect(result.outcome).toBe('interrupted');
    expect(result.accepted).toBe(sent.length * 10);
    expect(furthest).toBeLessThanOrEqual(50);
  });

  it('ends by its signal also while the source is waiting', async () => {
    const stop = new AbortController();
    async function* stuck(): AsyncGenerator<{ email: string }> {
      yield* people(3);
      setImmediate(() => stop.abort());
      await new Promise(() => undefined);
    }
    expect(await importSubscriptions({ ...service(), source: stuck(), signal: stop.signal })).toMatchObject({
      outcome: 'interrupted',
      read: 3,
      accepted: 0,
    });
  });

  it('refuses a source that differs from the one it started with', async () => {
    const journal = memoryJournal();
    const { sent, ...api } = service();
    await importSubscriptions({ ...api, journal, batchSize: 10, source: { rows: people(30), fingerprint: 'a' } });
    await expect(
      importSubscriptions({ ...api, journal, source: { rows: people(40), fingerprint: 'b' } }),
    ).rejects.toThrow(SourceChangedError);
    const changed = people(40).map((each, index) => (index === 4 ? { email: 'new@example.com' } : each));
    await expect(importSubscriptions({ ...api, journal, source: changed })).rejects.toThrow('Among the first 30 rows');
    await expect(importSubscriptions({ ...api, journal, source: people(20) })).rejects.toThrow('ends after 20 rows');
    expect(sent).toHaveLength(3);
    expect(
      await importSubscriptions({ ...api, journal, source: people(40) }),
      'rows may be added at the end',
    ).toMatchObject({ outcome: 'complete', accepted: 40 });
  });

  it('checks the rows of a call with a lost response before it sends them again', async () => {
    const journal = memoryJournal();
    const { sent, ...api } = service((_, call) => (call === 1 ? { status: 500 } : undefined));
    await importSubscriptions({ ...api, journal, batchSize: 10, concurrency: 1, source: people(30) });
    const changed = people(30).map((each, index) => (index === 4 ? { email: 'new@example.com' } : each));
    await expect(importSubscriptions({ ...api, journal, batchSize: 10, source: changed })).rejects.toThrow(
      SourceChangedError,
    );
    expect(sent).toHaveLength(3);
  });

  it('refuses a file that is no journal', async () => {
    const reading = (records: unknown[]) =>
      importSubscriptions({
        ...service(),
        source: people(1),
        journal: { read: () => records, append: async () => undefined },
      });
    await expect(reading([{ hello: 1 }])).rejects.toThrow(JournalError);
    await expect(reading([{ type: 'accepted', first: 1, last: 2, rows: 2 }])).rejects.toThrow(
      'its beginning is missing',
    );
    const started = { type: 'started', version: 1, mode: 'bulk', seed: [1, 2, 3, 4] };
    await expect(reading([started, started])).rejects.toThrow('The journal holds two imports');
    await expect(reading([{ ...started, mode: 'single' }])).rejects.toThrow('one by one, not in batches');
    await expect(reading([started, { type: 'accepted', first: 2, last: 1, rows: 1 }])).rejects.toThrow(
      'Record 2 of the journal names no rows',
    );
  });

  it('sends nothing that the journal could not store', async () => {
    const { sent, ...api } = service();
    const journal = {
      read: () => [],
      append: async ({ type }: { type: string }) =>
        type === 'sending' ? Promise.reject(new Error('disk full')) : undefined,
    };
    await expect(importSubscriptions({ ...api, journal, source: people(10) })).rejects.toThrow('disk full');
    expect(sent).toEqual([]);
  });

  it('waits for the calls in flight before it throws the error of the source', async () => {
    const { sent, ...api } = service();
    const told: number[] = [];
    async function* breaking(): AsyncGenerator<{ email: string }> {
      yield* people(25);
      throw new Error('row 26 is torn');
    }
    await expect(
      importSubscriptions({
        ...api,
        batchSize: 10,
        source: breaking(),
        onAccepted: ({ rows }) => void told.push(...rows),
      }),
    ).rejects.toThrow('row 26 is torn');
    expect(sent).toHaveLength(2);
    expect(told).toEqual(numbers(20));
  });

  it('reports its progress, speed and remaining time', async () => {
    const seen: ImportProgress[] = [];
    await importSubscriptions({
      ...service(),
      batchSize: 100,
      concurrency: 1,
      source: { rows: people(1000), total: 1000 },
      onProgress: (progress) => void seen.push(progress),
    });
    expect(seen[4]).toMatchObject({ accepted: 500, batches: 5, total: 1000, rowsPerSecond: 100, secondsLeft: 5 });
    expect(seen.at(-1)).toMatchObject({ read: 1000, accepted: 1000, secondsLeft: 0 });
  });

  it.each([0, 1001, 1.5])('refuses a batch size of %d', async (batchSize) => {
    await expect(importSubscriptions({ ...service(), batchSize, source: [] })).rejects.toThrow(RangeError);
  });
});
