/** The journal of an import: its records, the state they leave, and what a run reports. */
import { describe, expect, it } from 'vitest';
import { classifyError } from '../../src/import/batch.ts';
import { hashText, hex } from '../../src/hash.ts';
import { JournalError, readRecord, ResumeState, SourceChangedError } from '../../src/import/journal.ts';
import { ProgressCounter } from '../../src/import/options.ts';
import {
  apiError,
  AbortedError,
  InvalidAnswerError,
  InvalidRequestError,
  NetworkError,
  TimeoutError,
} from '../../src/engine/errors.ts';
import { TransportError } from '../../src/engine/host.ts';

const seed = [1, 2, 3, 4] as const;

describe('the progress', () => {
  it('has no speed and no time left before a row is settled', () => {
    let now = 5000;
    const progress = new ProgressCounter(() => now, 10);
    expect(progress.progress()).toEqual({
      read: 0,
      accepted: 0,
      rejected: 0,
      duplicates: 0,
      left: 0,
      unconfirmed: 0,
      failed: 0,
      batches: 0,
      total: 10,
      rowsPerSecond: 0,
      secondsLeft: undefined,
    });
    progress.start();
    expect(progress.progress()).toMatchObject({ rowsPerSecond: 0, secondsLeft: undefined });
    now += 2000;
    expect(progress.progress()).toMatchObject({ rowsPerSecond: 0, secondsLeft: undefined });
  });

  it('counts every settled row of this run from its first row on', () => {
    let now = 5000;
    const progress = new ProgressCounter(
      () => now,
      () => 100,
    );
    progress.resumed = 10;
    progress.start();
    now += 2000;
    progress.start();
    Object.assign(progress.counts, { read: 31, accepted: 13, rejected: 7, duplicates: 6, failed: 4 });
    expect(progress.progress()).toMatchObject({ total: 100, rowsPerSecond: 10, secondsLeft: 7 });
    progress.resumed = 50;
    expect(progress.progress()).toMatchObject({ rowsPerSecond: 0, secondsLeft: undefined });
  });

  it('raises an estimated total that is too low, and has none where none is known', () => {
    let now = 0;
    const progress = new ProgressCounter(() => now, 3);
    progress.start();
    now = 1000;
    Object.assign(progress.counts, { read: 5, accepted: 4 });
    expect(progress.progress()).toMatchObject({ total: 5, rowsPerSecond: 4, secondsLeft: 0 });
    const unknown = new ProgressCounter(() => now, undefined);
    unknown.start();
    now = 2000;
    unknown.counts.accepted = 4;
    expect(unknown.progress()).toMatchObject({ total: undefined, rowsPerSecond: 4, secondsLeft: undefined });
  });
});

describe('an error of a call', () => {
  const call = 'subscriptions.bulkCreate';
  const answered = (status: number, ...messages: readonly string[]) =>
    apiError(call, {
      status,
      statusText: '',
      errors: messages.map((message) => ({ message, code: 'X' })),
      retryAfterMs: undefined,
      requestId: null,
    });
  const refused = (messages: readonly string[], reason: string) => ({ kind: 'refused', messages, reason });

  it.each<[error: unknown, failure: object]>([
    [
      new InvalidRequestError(call, ['"email" is missing', 'No.']),
      refused(['"email" is missing', 'No.'], 'the service refused it: "email" is missing; No'),
    ],
    [answered(400, 'A. B.', 'C'), refused(['A. B.', 'C'], 'the service refused it: A. B; C')],
    [answered(413), refused(['status 413'], 'the service refused it: status 413')],
    [answered(422), refused(['status 422'], 'the service refused it: status 422')],
    [new NetworkError(call, new TransportError('network')), { kind: 'failed' }],
    [new TimeoutError(call, 5), { kind: 'failed' }],
    [new AbortedError(call), { kind: 'failed' }],
    [new InvalidAnswerError(call, 200, ['no JSON']), { kind: 'failed' }],
    [answered(408), { kind: 'failed' }],
    [answered(429), { kind: 'failed' }],
    [answered(500), { kind: 'failed' }],
    [answered(599), { kind: 'failed' }],
    [answered(401), { kind: 'fatal' }],
    [answered(403), { kind: 'fatal' }],
    [answered(404), { kind: 'fatal' }],
    [new Error('anything'), { kind: 'fatal' }],
    ['a text', { kind: 'fatal' }],
  ])('%s means %j', (error, failure) => {
    expect(classifyError(error)).toEqual(failure);
  });
});

describe('a record of the journal', () => {
  const started = { type: 'started', version: 1, seed: [1, 2, 3, 4] } as const;
  const range = { first: 1, last: 2 };

  it.each([
    started,
    { ...started, fingerprint: 'a' },
    { type: 'released', ...range },
    { type: 'released', first: 2, last: 2 },
    { type: 'refused', ...range, reason: 'no' },
    { type: 'sending', ...range, rows: 1, digest: 'd' },
    { type: 'accepted', ...range, rows: 1 },
    { type: 'accepted', ...range, rows: 1, id: 'import-1' },
  ])('%j is read, without fields of another version', (record) => {
    expect(readRecord({ ...record, more: 1 }, 1)).toEqual(record);
  });

  it('is read without a fingerprint or id of another type', () => {
    expect(readRecord({ ...started, fingerprint: 7 }, 1)).toStrictEqual(started);
    const accepted = { type: 'accepted', ...range, rows: 1 };
    expect(readRecord({ ...accepted, id: 7 }, 1)).toStrictEqual(accepted);
  });

  it.each<[value: unknown, problem: string]>([
    [null, 'is not a record of this version'],
    ['text', 'is not a record of this version'],
    [{}, 'is not a record of this version'],
    [{ type: 'later', ...range, rows: 1, digest: 'd', reason: 'no' }, 'is not a record of this version'],
    [{ ...started, version: 2 }, 'is not a record of this version'],
    [{ ...started, seed: [1, 2, 3] }, 'is not a record of this version'],
    [{ ...started, seed: [1, 2, 3, 4.5] }, 'is not a record of this version'],
    [{ ...started, seed: { length: 4 } }, 'is not a record of this version'],
    [{ type: 'refused', ...range }, 'is not a record of this version'],
    [{ type: 'sending', ...range, rows: 1 }, 'is not a record of this version'],
    [{ type: 'sending', ...range, digest: 'd' }, 'is not a record of this version'],
    [{ type: 'accepted', ...range, rows: 0 }, 'is not a record of this version'],
    [{ type: 'released', first: 0, last: 2 }, 'names no rows'],
    [{ type: 'released', first: 1, last: 1.5 }, 'names no rows'],
    [{ type: 'released', first: '1', last: 2 }, 'names no rows'],
    [{ type: 'released', first: 3, last: 2 }, 'names no rows'],
  ])('%j is damaged', (value, problem) => {
    expect(() => readRecord(value, 3)).toThrow(
      new JournalError(
        `Record 3 of the journal ${problem}. Start with a new journal: rows that were sent are sent again then, which only updates them.`,
      ),
    );
  });
});

describe('the state that earlier runs left', () => {
  const started = { type: 'started', version: 1, seed, fingerprint: 'a' } as const;
  const digest = hashText('rows', seed);
  const sending = (first: number, last: number) =>
    ({ type: 'sending', first, last, rows: last - first + 1, digest: hex(digest) }) as const;

  it('accepts the import it was started with, and a source without a fingerprint', () => {
    const state = new ResumeState(started);
    expect(() => state.checkStart('a')).not.toThrow();
    expect(() => state.checkStart(undefined)).not.toThrow();
    expect(() => new ResumeState({ type: 'started', version: 1, seed }).checkStart('b')).not.toThrow();
    expect(() => state.checkStart('b')).toThrow(
      new SourceChangedError('The source is not the one this import was begun with: its fingerprint differs'),
    );
    expect(() => state.checkStart('b')).toThrow(
      expect.objectContaining({
        name: 'SourceChangedError',
        message: expect.stringMatching(
          /To go on, give back the source and the mapping of the first run; to import the new one, start with a new journal \(rows that were sent are sent again then, which only updates them\)\.$/,
        ) as string,
      }),
    );
  });

  it('holds what was sent, lost, released, accepted and refused', () => {
    const state = new ResumeState(started);
    state.apply(sending(1, 3));
    state.apply(sending(4, 6));
    state.apply(sending(7, 9));
    state.apply(sending(10, 10));
    expect(state.lostAround(4)).toMatchObject({ first: 4, last: 6 });
    state.apply({ type: 'accepted', first: 1, last: 3, rows: 3, id: 'import-1' });
    state.apply({ type: 'released', first: 7, last: 9 });
    state.apply({ type: 'refused', first: 10, last: 10, reason: 'no' });
    expect([state.batches, state.importIds]).toEqual([1, ['import-1']]);
    expect([0, 1, 3, 4, 6, 7, 10, 11].map((row) => state.isSettled(row))).toEqual([
      false,
      true,
      true,
      false,
      false,
      false,
      true,
      false,
    ]);
    expect([3, 4, 6, 7, 9].map((row) => state.lostAround(row)?.first)).toEqual([undefined, 4, 4, undefined, undefined]);
    expect([3, 5, 6, 9, 10].map((row) => state.endsBatch(row))).toEqual([false, false, true, true, false]);
    expect([state.refusal(10), state.refusal(9)]).toEqual(['no', undefined]);
  });

  it('refuses other rows and fewer rows than were sent', () => {
    const state = new ResumeState(started);
    expect(() => state.checkEnd(0)).not.toThrow();
    state.apply(sending(4, 6));
    state.apply(sending(1, 3));
    state.apply({ type: 'accepted', first: 4, last: 6, rows: 3 });
    expect([state.batches, state.importIds]).toEqual([1, []]);
    const other = hashText('other rows', seed);
    for (const row of [3, 6]) {
      expect(() => state.checkRow(row, digest)).not.toThrow();
      expect(() => state.checkRow(row, other)).toThrow(
        `Among the first ${row} rows, some are not what they were when this import was begun: the source, or the mapping of its columns, has changed.`,
      );
    }
    expect(() => state.checkRow(4, other)).not.toThrow();
    expect(() => state.checkEnd(6)).not.toThrow();
    expect(() => state.checkEnd(5)).toThrow(
      'The source ends after 5 rows; an earlier run of this import had already sent row 6.',
    );
  });
});
