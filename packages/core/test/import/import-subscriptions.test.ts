/** Bulk imports: batches, rejected and refused rows, failures that stop a run, and progress. */
import { describe, expect, it } from 'vitest';
import {
  forecastImport,
  importSubscriptions,
  memoryJournal,
  SourceChangedError,
  type ImportOptions,
  type ImportProgress,
  type Rejection,
} from '../../src/import/index.ts';
import { people, refusal, service } from './service.ts';

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
      left: 0,
      unconfirmed: 0,
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
      { row: 42, subscription: { email: 'bo@bücher.example' } },
      { row: 43, subscription: { email: 'Bo@xn--bcher-kva.example' } },
    ] as never[];
    const result = await importSubscriptions({
      ...api,
      source,
      onRejected: (rejection) => void rejections.push(rejection),
    });
    expect(result).toMatchObject({ outcome: 'complete', read: 7, accepted: 2, rejected: 3, duplicates: 2 });
    expect(sent).toHaveLength(1);
    expect(rejections.map(({ row, kind, reason }) => [row, kind, reason])).toEqual([
      [2, 'duplicate', 'row 1 has the same address'],
      [3, 'invalid', '"email" must be an e-mail address such as name@example.com'],
      [40, 'invalid', '"tier" must be one of "free", "premium"'],
      [41, 'invalid', 'column "Age" must hold a whole number'],
      [43, 'duplicate', 'row 42 has the same address'],
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
    });
    expect(sent.length).toBeLessThan(15);
  });

  it.each([
    ['402 of the API', refusal('Your plan has ended.', 402)],
    ['400 of the API', refusal('You are over your subscriber limit.')],
    ['410 with a page', { status: 410, body: '<title>Gone</title>' }],
    ['400 with a page', { status: 400, body: '<html>' }],
  ])('ends where every request is refused, rejects nobody, and goes on later: %s', async (_, answer) => {
    for (const taken of [0, 1]) {
      const journal = memoryJournal();
      const broken = service((_rows, call) => (call > taken ? answer : undefined));
      const source = people(1800);
      const result = await importSubscriptions({ ...broken, concurrency: 1, batchSize: 600, source, journal });
      expect(result).toMatchObject({ outcome: 'incomplete', accepted: taken * 600, rejected: 0 });
      expect(broken.sent.length).toBeLessThanOrEqual(taken + 4);
      const whole = await importSubscriptions({ ...service(), batchSize: 600, source, journal });
      expect(whole).toMatchObject({ outcome: 'complete', accepted: 1800, rejected: 0 });
    }
  });

  it('takes 998 rows beside two bad neighbours, wherever they stand', async () => {
    for (const first of [1, 2, 166, 167, 500, 501, 833, 999]) {
      const bad = new Set([first, first + 1].map((row) => `reader${row}@example.com`));
      const { sent, ...api } = service((rows) =>
        rows.some(({ email }) => bad.has(email)) ? refusal('No.') : undefined,
      );
      const result = await importSubscriptions({ ...api, source: people(1000) });
      expect(result).toMatchObject({ outcome: 'complete', accepted: 998, rejected: 2 });
      expect(sent.length).toBeLessThan(45);
    }
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

  it('reads rows only as fast as calls are sent', async () => {
    let pulled = 0;
    async function* endless(): AsyncGenerator<{ email: string }> {
      for (;;) yield { email: `reader${(pulled += 1)}@example.com` };
    }
    const stop = new AbortController();
    let furthest = 0;
    const { sent, ...api } = service(async (_, call) => {
      await new Promise((resolve) => setImmediate(resolve));
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

    it('once at its end, also where no row was read', async () => {
      const journal = memoryJournal();
      await importSubscriptions({ ...service(), journal, source: { rows: people(3), fingerprint: 'a' } });
      const ends: Readonly<Record<string, Partial<ImportOptions>>> = {
        complete: {},
        refused: service(() => refusal('No.', 401)),
        interrupted: { signal: AbortSignal.abort() },
        'of another journal': { journal },
        'of a wrong option': { batchSize: 0 },
        'of a failing callback': {
          onRejected: () => Promise.reject(new Error('no space left')),
          keepOut: () => 'left',
        },
      };
      const runs = [
        importSubscriptions,
        ({ source, signal, batchSize }: ImportOptions) =>
          forecastImport({ ...service(), source, signal, batchSize, known: false }),
      ];
      for (const [what, options] of Object.entries(ends))
        for (const run of runs) {
          let closed = 0;
          const source = { rows: people(3), fingerprint: 'b', close: async () => void (closed += 1) };
          await Promise.allSettled([run({ ...service(), ...options, source })]);
          expect(closed, `${what}, ${runs.indexOf(run)}`).toBe(1);
        }
    });
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
});
