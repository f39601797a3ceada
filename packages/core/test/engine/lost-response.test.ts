/** After a lost response to a non-idempotent call, its record is looked up. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AbortedError,
  ConflictError,
  NetworkError,
  NewsletterError,
  NotFoundError,
  TransportError,
  type AttemptEvent,
  type EngineOptions,
  type HostRequest,
} from '../../src/engine/index.ts';
import { engineOn } from './calling.ts';
import { json, scriptedHost, type Scripted } from './scripted-host.ts';

const now = Date.UTC(2026, 0, 1);
/** How long a call waits before it looks its record up, in milliseconds. */
const pause = 250;
const unknown = 'Whether it has happened is unknown. List the';
const lost = new TransportError('network', { code: 'ECONNRESET' });
const refused = new TransportError('network', { code: 'ECONNREFUSED' });
const list = (...records: readonly unknown[]) => json({ data: records, limit: 100, page: 1, total_pages: 1 });

function calling(script: readonly Scripted[], options: Partial<EngineOptions> = {}) {
  const { host, engine } = engineOn(script, options);
  return { host, engine, sent: () => host.sent.map(({ method }) => method).join(' ') };
}

/** Enrolls a person, where these are the answers. */
function enrolling(script: readonly Scripted[], options: Partial<EngineOptions> = {}) {
  const { host, engine, sent } = calling(script, options);
  const call = engine.call('journeys.enroll', { automationId: 'aut_1', email: 'ada@example.com' });
  call.catch(() => {});
  return { host, call, sent };
}

const journey = { id: 'aj_1', email: 'Ada@Example.com', started_at: now / 1000 };
const tooMany = { status: 429, headers: { 'retry-after': '10' } };

/** Every call that is looked up: its arguments, and fields of its own record, of another, and of an unclear one. */
const calls = [
  {
    id: 'journeys.enroll',
    args: { automationId: 'aut_1', email: 'ada@example.com' },
    fields: { own: { email: 'Ada@Example.com' }, other: { email: 'bo@example.com' }, unsaid: { email: null } },
    time: 'started_at',
  },
  {
    id: 'journeys.enroll',
    args: { automationId: 'aut_1', subscription_id: 'sub_1' },
    fields: { own: { subscription_id: 'sub_1' }, other: { subscription_id: 'sub_2' }, unsaid: {} },
    time: 'created',
  },
  {
    id: 'deletionRequests.create',
    args: { email: 'ADA@ＥＸＡＭＰＬＥ.com' },
    fields: { own: { email: 'ada@example.com' }, other: { email: 'bo@example.com' }, unsaid: {} },
    time: 'requested_at',
  },
  {
    id: 'customFields.create',
    args: { kind: 'string', display: 'Town' },
    fields: { own: { display: 'Town', kind: 'text' }, other: { display: 'Village' }, unsaid: { display: null } },
    time: 'created',
  },
] as const;

/** A record of the list: whose it is, and when it was made, in milliseconds after the call; null without a time. */
interface Listed {
  readonly about: 'own' | 'other' | 'unsaid';
  readonly at: number | null;
}

/** What the list shows of the call: a record that surely was there before is none of its own. */
function modelOf(listed: readonly Listed[], isClockKnown: boolean): Listed | 'absent' | 'unclear' {
  const surelyBefore = isClockKnown ? -5_000 : -300_000;
  const [one, ...others] = listed.filter(({ about, at }) => about !== 'other' && !(at !== null && at < surelyBefore));
  if (one === undefined) return 'absent';
  const isNear = one.at !== null && one.at >= -2_000 && one.at <= pause + 2_000;
  return one.about === 'own' && isNear && others.length === 0 ? one : 'unclear';
}

const moments = [-300_001, -300_000, -5_001, -5_000, -2_001, -2_000, 0, pause + 2_000, pause + 2_001];
const listedOf = (...about: readonly Listed['about'][]) =>
  fc.record<Listed>({
    about: fc.constantFrom(...about),
    at: fc.oneof(fc.constantFrom(...moments), fc.integer({ min: -400_000, max: 9_000 }), fc.constant(null)),
  });

describe('after a lost response', () => {
  const failures = [
    { failure: lost },
    { failure: { status: 500 } },
    { failure: { status: 502, body: '<html>' } },
    { failure: { status: 520 } },
    { failure: { status: 200, body: '{"data":{"id":"aj_' } },
    { failure: { status: 200, body: '' } },
    // The service may still be processing these.
    { failure: new TransportError('timeout'), goesOn: true },
    { failure: { status: 504 }, goesOn: true },
    { failure: { status: 524 }, goesOn: true },
  ] as const satisfies readonly { failure: Scripted; goesOn?: true }[];

  it('the list decides by person and time: the record is answered, the call is sent again, or nothing is known', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...calls),
        fc.constantFrom<(typeof failures)[number] & { readonly goesOn?: true }>(...failures),
        fc.array(fc.oneof(listedOf('own'), listedOf('own', 'other', 'unsaid')), { maxLength: 3 }),
        fc.record({ pages: fc.constantFrom(1, 2), clockAhead: fc.constantFrom(null, 0, 3_600_000, -86_400_000) }),
        async ({ id, args, fields, time }, { failure, goesOn }, listed, { pages, clockAhead }) => {
          // The last answer with a Date tells the clock: that to the call, or else that to the lookup.
          const headers = clockAhead === null ? {} : { date: new Date(now + clockAhead).toUTCString() };
          const isAnswered = !(failure instanceof TransportError);
          const called = now + (clockAhead ?? 0) - (isAnswered || !clockAhead ? 0 : pause);
          const records = listed.map(({ about, at }, index) => ({
            id: `r${index}`,
            ...fields[about],
            [time]: at === null ? null : new Date(called + at).toISOString(),
          }));
          const lookup = (pages === 1 ? [records] : [records.slice(0, 1), records.slice(1)]).map((data, index) =>
            json({ data, limit: 100, page: index + 1, total_pages: pages }, { headers: isAnswered ? {} : headers }),
          );
          const again = { id: 'again' };
          const { engine, sent } = calling([
            isAnswered ? { ...failure, headers } : failure,
            ...lookup,
            json({ data: again }),
          ]);
          const call = engine.call(id, args as never) as Promise<unknown>;
          const expected = modelOf(listed, clockAhead !== null);
          const looked = ['POST', ...lookup.map(() => 'GET')].join(' ');
          if (expected === 'unclear' || (expected === 'absent' && goesOn)) {
            const error: unknown = await call.catch((reason: unknown) => reason);
            expect(error).toBeInstanceOf(NewsletterError);
            expect(String(error)).toContain(unknown);
            expect(sent()).toBe(looked);
          } else {
            expect(await call).toEqual({ data: expected === 'absent' ? again : records[listed.indexOf(expected)] });
            expect(sent()).toBe(expected === 'absent' ? `${looked} POST` : looked);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it.each(calls)(
    'a list for $id that cannot be read leaves the first error, with how to look',
    async ({ id, args }) => {
      for (const status of [500, 502, 504, 520, 524]) {
        const call = calling([{ status }, { status: 403 }]).engine.call(id, args as never) as Promise<unknown>;
        await expect(call).rejects.toMatchObject({ status, message: expect.stringContaining(unknown) });
      }
    },
  );

  it('a record from before the lost attempt decides nothing, although it is younger than the call', async () => {
    const { call } = enrolling([tooMany, lost, list({ ...journey, started_at: now / 1000 + 7 })]);
    await expect(call).rejects.toThrow(unknown);
  });

  it('a record that lists leave out shows it too: without an id it is answered, and as no object nothing is known', async () => {
    const { id: _id, ...unnamed } = journey;
    const found = enrolling([lost, list(unnamed)]);
    expect(await found.call).toEqual({ data: unnamed });
    expect(found.sent()).toBe('POST GET');
    const unreadable = enrolling([lost, list(17)]);
    await expect(unreadable.call).rejects.toThrow(unknown);
    expect(unreadable.sent()).toBe('POST GET');
  });

  it('the lookup has the time that is left of the call, and large pages', async () => {
    const { host, call } = enrolling([lost, list(journey)], { totalTimeoutMs: 10_000 });
    expect(await call.withResponse()).toMatchObject({ data: { data: journey }, status: 200, headers: {} });
    expect(host.sent.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000, 10_000 - pause]);
    expect(host.sent[1]?.url).toMatch(/\/journeys\?limit=100$/);
  });

  it('the record of the first attempt is found also after a later response was lost', async () => {
    const { call, sent } = enrolling([lost, list(), tooMany, lost, list(journey)]);
    expect(await call).toEqual({ data: journey });
    expect(sent()).toBe('POST GET POST POST GET');
  });

  it.each([
    ['a call without retries gets the error at once, without a lookup', [lost], false, 'POST'],
    ['the last retry is the last, although it was not carried out', [lost, list(), lost, list()], { retries: 1 }, ''],
  ] as const)('%s', async (_, script, retry, sequence) => {
    const { call, sent } = enrolling(script, { retry });
    await expect(call).rejects.toBeInstanceOf(NetworkError);
    expect(sent()).toBe(sequence || 'POST GET POST GET');
  });

  it.each([
    ['400', [{ status: 400 }]],
    ['409', [{ status: 409 }]],
    ['an aborted attempt', [new TransportError('aborted')]],
    ['503, again and again', Array.from({ length: 5 }, () => ({ status: 503 }))],
    ['a refused connection, again and again', Array.from({ length: 5 }, () => refused)],
  ])('%s is no lost response: nothing is looked up', async (_, script) => {
    const { call, sent } = enrolling(script);
    await expect(call).rejects.not.toThrow(unknown);
    expect(sent()).toBe(script.map(() => 'POST').join(' '));
  });

  it('a call aborted during the lookup rejects with AbortedError', async () => {
    const abort = new AbortController();
    const scripted = scriptedHost([lost, new TransportError('aborted')]);
    const send = (request: HostRequest) => (request.method === 'GET' && abort.abort(), scripted.send(request));
    const { engine } = calling([], { host: { ...scripted, send } });
    const { signal } = abort;
    const call = engine.call('journeys.enroll', { automationId: 'aut_1', email: 'ada@example.com' }, { signal });
    await expect(call).rejects.toBeInstanceOf(AbortedError);
  });

  it('a retry that is refused is answered by the record, where it says that there is one', async () => {
    for (const status of [400, 409]) {
      const { call, sent } = enrolling([lost, list(), { status }, list(journey)]);
      expect(await call).toEqual({ data: journey });
      expect(sent()).toBe('POST GET POST GET');
    }
    const earlier = { ...journey, started_at: now / 1000 - 86_400 };
    await expect(enrolling([lost, list(earlier), { status: 409 }, list(earlier)]).call).rejects.toBeInstanceOf(
      ConflictError,
    );
    const { call, sent } = enrolling([lost, list(), { status: 403 }]);
    await expect(call).rejects.toMatchObject({ status: 403 });
    expect(sent()).toBe('POST GET POST');
  });

  it('an OAuth grant has no list for a lookup: the error stays', async () => {
    const { host, engine } = calling([lost], { appUrl: 'http://app.test' });
    const grant = { grant_type: 'refresh_token', refresh_token: 'r', client_id: 'c' } as const;
    await expect(engine.call('oauth.refresh', grant)).rejects.toBeInstanceOf(NetworkError);
    expect([host.sent.length, host.slept]).toEqual([1, []]);
  });
});

describe('a deletion that finds nothing', () => {
  const deleting = (...script: readonly Scripted[]) => {
    const outcomes: AttemptEvent['outcome'][] = [];
    const { engine } = calling(script, { onAttempt: ({ outcome }) => outcomes.push(outcome) });
    return { engine, outcomes, call: () => engine.call('customFields.delete', { id: 'f1' }) };
  };

  it.each([
    ['a lost answer', lost, 'network'],
    ['500', { status: 500 }, 500],
  ])('after %s is done', async (_, failure, outcome) => {
    const { call, outcomes } = deleting(failure, { status: 404 });
    expect(await call().withResponse()).toMatchObject({ data: null, status: 204, headers: {} });
    expect(outcomes).toEqual([outcome, 404]);
  });

  it('is an error where nothing was lost before, and where it is no deletion', async () => {
    for (const before of [[], [tooMany], [refused]])
      await expect(deleting(...before, { status: 404 }).call()).rejects.toBeInstanceOf(NotFoundError);
    const { engine } = deleting(lost, { status: 404 });
    await expect(engine.call('customFields.get', { id: 'f1' })).rejects.toBeInstanceOf(NotFoundError);
  });
});
