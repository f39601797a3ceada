import { describe, expect, it } from 'vitest';
import {
  importOneByOne,
  importSubscriptions,
  memoryJournal,
  SourceChangedError,
  JournalError,
  type ImportProgress,
  type JournalRecord,
  type Rejection,
} from '../../src/import/index.ts';
import { createEngine } from '../../src/engine/index.ts';
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

  it('is interrupted where its signal aborts before the source ends, also after every row read was accepted', async () => {
    const stop = new AbortController();
    async function* stuck(): AsyncGenerator<{ email: string }> {
      yield* people(1);
      await new Promise(() => undefined);
    }
    const onAccepted = () => void setImmediate(() => stop.abort());
    const options = { ...service(), batchSize: 1, source: stuck(), signal: stop.signal, onAccepted };
    expect(await importSubscriptions(options)).toMatchObject({ outcome: 'interrupted', read: 1, accepted: 1 });
  });

  it('may be interrupted again before the rows that an earlier run sent', async () => {
    const journal = memoryJournal();
    const api = service();
    await importSubscriptions({ ...api, journal, source: people(30) });
    const stop = new AbortController();
    function* interrupted(): Generator<{ email: string }> {
      yield* people(5);
      stop.abort();
      yield { email: 'reader6@example.com' };
    }
    const options = { ...api, journal, source: interrupted(), signal: stop.signal };
    expect(await importSubscriptions(options)).toMatchObject({ outcome: 'interrupted', accepted: 6, resumed: 6 });
  });

  describe('closes its source', () => {
    /** Rows that note their closing. */
    function closable(count: number, closing: () => void = () => undefined) {
      const closed: string[] = [];
      const rows = people(count).values();
      const source = {
        [Symbol.iterator]: () => ({
          next: () => rows.next(),
          return: () => {
            closed.push('closed');
            closing();
            return { done: true, value: undefined } as const;
          },
        }),
      };
      return { closed, source };
    }

    it('where it stops before the end, once, and not where it has read it to its end', async () => {
      const whole = closable(3);
      await importSubscriptions({ ...service(), source: whole.source });
      expect(whole.closed).toEqual([]);
      const part = closable(30);
      const refusing = service(() => refusal('No.', 401));
      await importSubscriptions({ ...refusing, batchSize: 1, concurrency: 1, source: part.source });
      expect(part.closed).toEqual(['closed']);
    });

    it('where it fails, and throws the error of the closing', async () => {
      const journal = memoryJournal();
      await importSubscriptions({ ...service(), journal, source: people(3).toReversed() });
      const changed = closable(9);
      const run = importSubscriptions({ ...service(), journal, source: changed.source });
      await expect(run).rejects.toThrow(SourceChangedError);
      expect(changed.closed).toEqual(['closed']);
      const broken = closable(30, () => {
        throw new Error('the file is gone');
      });
      const options = { ...service(), source: broken.source, signal: AbortSignal.abort() };
      await expect(importSubscriptions(options)).rejects.toThrow('the file is gone');
    });
  });

  it('resumes around rows that were accepted, and sends a lost batch as it was', async () => {
    const records: JournalRecord[] = [];
    const journal = {
      read: () => [...records],
      append: async (record: JournalRecord) => void records.push(record),
    };
    const first = service((_, call) => (call === 1 ? refusal('No.', 401) : undefined));
    await importSubscriptions({ ...first, journal, batchSize: 2, concurrency: 2, source: people(4) });
    const begun = records.length;
    const second = service(() => ({ status: 503 }));
    await importSubscriptions({ ...second, journal, concurrency: 1, source: people(6) });
    expect(second.sent.map(({ rows }) => rows)).toEqual([people(2), people(6).slice(4)]);
    expect(records.slice(begun)).toMatchObject([
      { type: 'sending', first: 1, last: 2 },
      { type: 'sending', first: 5, last: 6 },
    ]);
    const third = service();
    await importSubscriptions({ ...third, journal, batchBytes: 1, source: people(6) });
    expect(third.sent.map(({ rows }) => rows)).toEqual([people(2), people(6).slice(4)]);
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
    await expect(reading([{ hello: 1 }])).rejects.toHaveProperty('name', 'JournalError');
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
    const single = { engine, source: people(1), publicationId: 'pub_2', call: { timeoutMs: 7 } };
    await importOneByOne(single);
    expect(calls[1]).toMatchObject({
      id: 'subscriptions.create',
      args: { publicationId: 'pub_2', email: 'reader1@example.com' },
      options: { timeoutMs: 7 },
    });
    expect(calls[1]?.options).toHaveProperty('stream', single);
  });

  it.each([
    [importSubscriptions, undefined, 4],
    [importSubscriptions, 2, 2],
    [importSubscriptions, 0, 1],
    [importOneByOne, undefined, 8],
  ] as const)('of %o with a concurrency of %s are %i at a time', async (run, concurrency, most) => {
    let inFlight = 0;
    let highest = 0;
    const { host, sent } = service(async () => {
      highest = Math.max(highest, (inFlight += 1));
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      return undefined;
    });
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1', pacer: false });
    await run({ engine, source: people(20), ...(run === importSubscriptions && { batchSize: 1 }), concurrency });
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

  it('stop after 25 refused rows before the first accepted one, not after 24', async () => {
    const run = async (refused: number, first?: number) => {
      const { sent, ...api } = service((_, call) => (call === first || call > refused ? undefined : refusal('No.')));
      const result = await importOneByOne({ ...api, concurrency: 1, source: people(40) });
      return [sent.length, result.outcome, result.rejected];
    };
    expect(await run(24)).toEqual([40, 'complete', 24]);
    expect(await run(25)).toEqual([25, 'incomplete', 25]);
    expect(await run(30, 3)).toEqual([40, 'complete', 29]);
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
        mode: 'bulk',
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
      const result = await importOneByOne({
        ...api,
        journal,
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
