/** Parts of the import, each compared with a simple implementation. */
import fc from 'fast-check';
import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { AddressSet } from '../../src/import/batch-reader.ts';
import { classifyError, divide, utf8Length } from '../../src/import/batch.ts';
import { hashText, hex } from '../../src/hash.ts';
import { JournalError, RangeSet, readRecord, ResumeState, SourceChangedError } from '../../src/import/journal.ts';
import { ProgressCounter } from '../../src/import/options.ts';
import { checkRequest, requestFields } from '../../src/import/request.ts';
import { numbered, pull } from '../../src/import/source.ts';
import {
  apiError,
  AbortedError,
  InvalidAnswerError,
  InvalidRequestError,
  NetworkError,
  TimeoutError,
} from '../../src/engine/errors.ts';
import { TransportError } from '../../src/engine/host.ts';
import { subscriptionRequest } from '../../src/schema/index.ts';
import { addressKey } from '../../src/signup/index.ts';

const seed = [1, 2, 3, 4] as const;

describe('the hash', () => {
  it('differs between texts that differ in one place, and in half of its bits', () => {
    let bits = 0;
    const texts = 2000;
    for (let n = 0; n < texts; n += 1) {
      const [a, b] = [hashText(`reader${n}@example.com`, seed), hashText(`reader${n}@example.con`, seed)];
      for (const [index, word] of a.entries())
        bits += ((word ^ (b[index] ?? 0)) >>> 0).toString(2).replaceAll('0', '').length;
    }
    expect(bits / texts).toBeGreaterThan(62);
    expect(bits / texts).toBeLessThan(66);
  });

  it('differs for every text of up to two letters, whatever the length of the prefix', () => {
    const letters = Array.from('abcdefghijklmnopqrstuvwxyz0123456789');
    for (let length = 0; length < 9; length += 1) {
      const texts = [...letters, ...letters.flatMap((one) => letters.map((other) => one + other))].map(
        (text) => 'x'.repeat(length) + text,
      );
      expect(new Set(texts.map((text) => hex(hashText(text, seed)))).size).toBe(texts.length);
    }
  });
});

describe('the set of addresses', () => {
  it('finds the first row of each address, as a Map does', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-cA-C]{1,3}$/), { maxLength: 3000, size: 'max' }), (names) => {
        const set = new AddressSet(seed);
        const map = new Map<string, number>();
        for (const [index, name] of names.entries()) {
          const address = `${name}@example.com`;
          const known = map.get(addressKey(address));
          expect(set.add(address, index + 1)).toBe(known);
          if (known === undefined) map.set(addressKey(address), index + 1);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('keeps 200,000 addresses apart', () => {
    const set = new AddressSet(seed);
    for (let row = 1; row <= 200_000; row += 1)
      if (set.add(`reader${row}@example.com`, row) !== undefined) throw new Error(`Row ${row} was taken for another.`);
    expect(set.add('READER77777@example.com', 200_001)).toBe(77_777);
  });
});

it('a RangeSet holds the same numbers as a Set', () => {
  const range = fc
    .tuple(fc.integer({ min: 1, max: 60 }), fc.nat({ max: 9 }))
    .map(([first, more]) => ({ first, last: first + more }));
  fc.assert(
    fc.property(fc.array(range, { maxLength: 30 }), (added) => {
      const ranges = new RangeSet();
      const plain = new Set<number>();
      for (const { first, last } of added) {
        ranges.add({ first, last });
        for (let value = first; value <= last; value += 1) plain.add(value);
      }
      for (let value = 0; value <= 75; value += 1) expect(ranges.has(value)).toBe(plain.has(value));
      for (const [index, { first }] of ranges.ranges.entries())
        expect(first).toBeGreaterThan((ranges.ranges[index - 1]?.last ?? -1) + 1);
    }),
  );
});

it('divides a batch into ordered parts that hold every row once', () => {
  const refused = fc.record({
    size: fc.integer({ min: 2, max: 40 }),
    named: fc.array(fc.nat({ max: 50 }), { maxLength: 6 }),
    gap: fc.nat({ max: 3 }),
  });
  fc.assert(
    fc.property(refused, ({ size, named, gap }) => {
      const rows = Array.from({ length: size }, (_, index) => ({
        ordinal: 5 + index * (gap + 1),
        row: index,
        request: { email: 'a@b.c' },
        original: null,
        digest: seed,
      }));
      const parts = divide(
        { first: 3, last: rows.at(-1)?.ordinal ?? 0, rows, resent: true },
        named.map((index) => `subscriptions[${index}].email is wrong`),
      );
      expect(parts.flatMap((part) => part.rows)).toEqual(rows);
      expect(parts.length).toBeGreaterThan(1);
      for (const [index, part] of parts.entries()) {
        expect(part.first).toBe(index === 0 ? 3 : (parts[index - 1]?.last ?? 0) + 1);
        expect(part.last).toBe(part.rows.at(-1)?.ordinal);
      }
    }),
  );
});

it('counts the bytes of any text as an encoder does', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => utf8Length(text) === new TextEncoder().encode(text).length),
  );
  // Each last and first character of a length, and both ends of the surrogates.
  const lengths = ['\u{7f}', '\u{80}', '\u{7ff}', '\u{800}', '\u{d7ff}', '\u{10000}', '\u{103ff}', '\u{10ffff}'].map(
    utf8Length,
  );
  expect(lengths).toEqual([1, 2, 2, 3, 3, 4, 4, 4]);
});

it('a row is accepted where the schema accepts it, and rejected where the schema rejects it', () => {
  const id = fc.constantFrom('tier_1-a', 'aut_9', 'nl_list_x', 'comp_access_0', 'tier_', 'plain', '');
  const texts = fc.array(id, { maxLength: 3 });
  const field = fc.record(
    {
      name: fc.constantFrom('Name', 'Topics'),
      value: fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.array(fc.string()), fc.constant({})),
    },
    { requiredKeys: ['name'] },
  );
  const value = fc.oneof(
    fc.string(),
    id,
    fc.boolean(),
    fc.constantFrom('on', 'off', 'free', 'premium'),
    texts,
    fc.array(field, { maxLength: 2 }),
    fc.integer(),
    fc.constant({}),
  );
  const fields = fc.dictionary(
    fc.constantFrom(...Object.keys(requestFields).filter((name) => name !== 'email'), 'first_name'),
    value,
    { maxKeys: 3 },
  );
  const email = fc.constantFrom('ada@example.com', ' Ada@BÜCHER.example', 'nope', 'a@b', 7);
  fc.assert(
    fc.property(email, fields, (address, rest) => {
      const row = { email: address, ...rest };
      const schema = subscriptionRequest.safeParse(row);
      const ours = checkRequest(row);
      expect('request' in ours, JSON.stringify({ row, ours })).toBe(schema.success);
      if ('request' in ours) expect(ours.request).toEqual(schema.data);
    }),
    { numRuns: 3000 },
  );
});

describe('a row that cannot be sent', () => {
  const email = 'ada@example.com';
  const names = 'must hold names (the display text of the custom field), but entry 2 does not';
  const values = 'must hold values that are a text, a number, true, false or a list of texts, but entry 1 does not';
  const field = { name: 'Team', value: 'Red' };

  it.each<[unknown, string]>([
    ['ada@example.com', 'the row must be an object with at least "email"'],
    [null, 'the row must be an object with at least "email"'],
    [{ utm_source: 'fair' }, '"email" is missing'],
    [{ email: null }, '"email" is missing'],
    [{ email: '' }, '"email" is missing'],
    [{ email: 7 }, '"email" must be an e-mail address such as name@example.com'],
    [{ email: 'nope' }, '"email" must be an e-mail address such as name@example.com'],
    [
      { email, 'bo@example.com': 1 },
      '"[address]" is no field of a subscription; what the publication defined itself belongs into "custom_fields"',
    ],
    [{ email, send_welcome_email: 'yes' }, '"send_welcome_email" must be true or false'],
    [{ email, utm_source: 7 }, '"utm_source" must be a text'],
    [{ email, tier: 'gold' }, '"tier" must be one of "free", "premium"'],
    [{ email, complimentary_gift_id: 'gift_1' }, '"complimentary_gift_id" must look like comp_access_<uuid>'],
    [{ email, complimentary_gift_id: 'comp_access_' }, '"complimentary_gift_id" must look like comp_access_<uuid>'],
    [{ email, premium_tiers: 'Gold' }, '"premium_tiers" must be a list of texts'],
    [{ email, premium_tiers: ['Gold', 7] }, '"premium_tiers" must be a list of texts'],
    [{ email, automation_ids: ['aut_1', 'tier_1'] }, '"automation_ids" must hold ids such as aut_<uuid>'],
    [{ email, automation_ids: ['aut_1 '] }, '"automation_ids" must hold ids such as aut_<uuid>'],
    [{ email, automation_ids: ['aut_ 1'] }, '"automation_ids" must hold ids such as aut_<uuid>'],
    [{ email, custom_fields: field }, '"custom_fields" must be a list of {name, value}'],
    [{ email, custom_fields: ['Red'] }, '"custom_fields" must hold {name, value}, but entry 1 does not'],
    [
      { email, custom_fields: [field, { ...field, kind: 'string' }] },
      '"custom_fields" must hold {name, value}, but entry 2 does not',
    ],
    [{ email, custom_fields: [field, { value: 'Red' }] }, `"custom_fields" ${names}`],
    [{ email, custom_fields: [field, { ...field, name: '' }] }, `"custom_fields" ${names}`],
    [{ email, custom_fields: [{ name: 'Team', value: {} }] }, `"custom_fields" ${values}`],
    [{ email, custom_fields: [{ name: 'Team', value: Number.NaN }] }, `"custom_fields" ${values}`],
    [{ email, custom_fields: [{ name: 'Team', value: ['Red', 7] }] }, `"custom_fields" ${values}`],
  ])('%j is described without its values', (row, problem) => {
    expect(checkRequest(row)).toEqual({ problem });
  });

  it('is no row with whole ids of every kind', () => {
    const ids = {
      automation_ids: ['aut_12-a', 'aut_b'],
      complimentary_gift_id: 'comp_access_1B',
      premium_tier_ids: [],
    };
    expect(checkRequest({ email, ...ids })).toEqual({ request: { email, ...ids } });
  });

  it('leaves out what is null or undefined, and normalises the address', () => {
    const fields = ['Red', 7, true, ['a'], null, undefined].map((value) => ({ name: 'Team', value }));
    expect(
      checkRequest({ email: ' Ada@EXAMPLE.com', tier: null, utm_source: undefined, custom_fields: fields }),
    ).toEqual({ request: { email: 'Ada@example.com', custom_fields: fields } });
  });
});

describe('the progress', () => {
  it('has no speed and no time left before a row is settled', () => {
    let now = 5000;
    const progress = new ProgressCounter(() => now, 10);
    expect(progress.progress()).toEqual({
      read: 0,
      accepted: 0,
      rejected: 0,
      duplicates: 0,
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

describe('the parts of a refused batch', () => {
  const rows = Array.from({ length: 5 }, (_, index) => ({
    ordinal: index + 1,
    row: index,
    request: { email: 'a@b.c' },
    original: null,
    digest: seed,
  }));
  const partsOf = (...messages: readonly string[]) =>
    divide({ first: 1, last: 7, rows, resent: true }, messages).map(({ first, last, resent, rows: part }) => [
      first,
      last,
      resent,
      part.length,
    ]);

  it('are its halves where no row is named', () => {
    const halves = [
      [1, 2, false, 2],
      [3, 5, false, 3],
    ];
    expect(partsOf('No.')).toEqual(halves);
    expect(partsOf('subscriptions[5] is one too many')).toEqual(halves);
    expect(partsOf('mysubscriptions[1] and subscriptions[x]')).toEqual(halves);
  });

  it('are each named row, and the rows between them', () => {
    expect(partsOf('subscriptions[3].email and subscriptions[1]', 'subscriptions[4]: no')).toEqual([
      [1, 1, false, 1],
      [2, 2, false, 1],
      [3, 3, false, 1],
      [4, 4, false, 1],
      [5, 5, false, 1],
    ]);
    expect(partsOf('subscriptions[0]')).toEqual([
      [1, 1, false, 1],
      [2, 5, false, 4],
    ]);
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
  const started = { type: 'started', version: 1, mode: 'bulk', seed: [1, 2, 3, 4] } as const;
  const range = { first: 1, last: 2 };

  it.each([
    started,
    { ...started, mode: 'single', fingerprint: 'a' },
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
    [{ ...started, mode: 'other' }, 'is not a record of this version'],
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
  const started = { type: 'started', version: 1, mode: 'bulk', seed, fingerprint: 'a' } as const;
  const digest = hashText('rows', seed);
  const sending = (first: number, last: number) =>
    ({ type: 'sending', first, last, rows: last - first + 1, digest: hex(digest) }) as const;

  it('accepts the import it was started with, and a source without a fingerprint', () => {
    const state = new ResumeState(started);
    expect(() => state.checkStart('bulk', 'a')).not.toThrow();
    expect(() => state.checkStart('bulk', undefined)).not.toThrow();
    expect(() =>
      new ResumeState({ type: 'started', version: 1, mode: 'bulk', seed }).checkStart('bulk', 'b'),
    ).not.toThrow();
    expect(() => state.checkStart('single', 'a')).toThrow(
      'The journal is that of an import in batches, not one by one. Start with a new journal, or go on as it began.',
    );
    expect(() => state.checkStart('bulk', 'b')).toThrow(
      new SourceChangedError('The source is not the one this import was begun with: its fingerprint differs'),
    );
    expect(() => state.checkStart('bulk', 'b')).toThrow(
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

  it('lists no ids of single subscriptions', () => {
    const state = new ResumeState({ ...started, mode: 'single' });
    state.apply({ type: 'accepted', first: 1, last: 1, rows: 1, id: 'sub_1' });
    expect([state.batches, state.importIds]).toEqual([1, []]);
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

describe('a source', () => {
  it('numbers rows by their position unless they have a number', () => {
    const own = { row: 40, subscription: {} };
    expect(numbered(own, 2)).toBe(own);
    const broken = { row: 41, problem: 'no' };
    expect(numbered(broken, 2)).toBe(broken);
    for (const value of [
      'text',
      null,
      { email: 'a@b.c' },
      { row: 1.5, subscription: {} },
      { row: 40 },
      { subscription: {} },
    ])
      expect(numbered(value, 2)).toEqual({ row: 2, subscription: value });
  });

  it('is read no further after its signal, and closed', async () => {
    const stop = new AbortController();
    let closed = 0;
    const source = {
      [Symbol.iterator]: () => ({
        next: () => ({ done: false, value: 1 }) as const,
        return: () => {
          closed += 1;
          return { done: true, value: undefined } as const;
        },
      }),
    };
    const rows = pull<number>(source, stop.signal);
    expect(await rows.next()).toEqual({ done: false, value: 1 });
    stop.abort();
    expect(rows.next()).toBeUndefined();
    await rows.close();
    expect(closed).toBe(1);
  });

  it('without a way to close it is closed by reading no further', async () => {
    const rows = pull<number>([1, 2], undefined);
    expect(await rows.next()).toEqual({ done: false, value: 1 });
    await expect(rows.close()).resolves.toBeUndefined();
  });

  it('leaves no listener at the signal after each row, also after one that failed', async () => {
    const { signal } = new AbortController();
    async function* torn(): AsyncGenerator<number> {
      yield 1;
      throw new Error('row 2 is torn');
    }
    const rows = pull<number>(torn(), signal);
    await rows.next();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await expect(rows.next()).rejects.toThrow('row 2 is torn');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('may fail while it is read and while it is closed', async () => {
    const stop = new AbortController();
    const failing = (next: () => Promise<IteratorResult<number>>): AsyncIterable<number> => ({
      [Symbol.asyncIterator]: () => ({ next, return: () => Promise.reject(new Error('not closed')) }),
    });
    const open = pull(
      failing(async () => ({ done: false, value: 1 })),
      stop.signal,
    );
    expect(await open.next()).toEqual({ done: false, value: 1 });
    await expect(open.close()).rejects.toThrow('not closed');
    const torn = pull(
      failing(() => Promise.reject(new Error('row 1 is torn'))),
      stop.signal,
    );
    await expect(torn.next()).rejects.toThrow('row 1 is torn');
  });

  it('that hangs is left at the signal, and closing does not wait for it', async () => {
    const stop = new AbortController();
    let fail: ((error: Error) => void) | undefined;
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<IteratorResult<number>>(() => undefined),
        return: () => new Promise<IteratorResult<number>>((_resolve, reject) => (fail = reject)),
      }),
    };
    const rows = pull<number>(source, stop.signal);
    const next = rows.next();
    stop.abort();
    expect(await next).toBeUndefined();
    await rows.close();
    // What becomes of the source after that is no error of the import.
    const unhandled = vi.fn<() => void>();
    process.once('unhandledRejection', unhandled);
    fail?.(new Error('not closed'));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
