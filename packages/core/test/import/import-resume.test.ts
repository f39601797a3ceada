/** Bulk imports in several runs: interruptions, lost responses, and the journal that the next run continues from. */
import { describe, expect, it } from 'vitest';
import {
  importSubscriptions,
  memoryJournal,
  SourceChangedError,
  JournalError,
  type JournalRecord,
} from '../../src/import/index.ts';
import { people, refusal, service } from './service.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('a bulk import in several runs', () => {
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

  it('asks to reactivate once: rows that are sent again reactivate nobody', async () => {
    const { sent, ...api } = service((_, call) => (call === 1 ? { status: 500 } : undefined));
    const source = people(1).map((row) => ({ ...row, reactivate_existing: true }));
    const options = { ...api, journal: memoryJournal(), source };
    await importSubscriptions(options);
    expect(await importSubscriptions(options)).toMatchObject({ outcome: 'complete', resent: 1 });
    expect(sent.map(({ rows }) => rows)).toEqual([source, [{ ...source[0], reactivate_existing: false }]]);
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
    const started = { type: 'started', version: 1, seed: [1, 2, 3, 4] };
    await expect(reading([started, started])).rejects.toThrow('The journal holds two imports');
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
});
