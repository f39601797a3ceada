/** After a lost response to a non-idempotent call, its record is looked up. */
import { describe, expect, it } from 'vitest';
import {
  AbortedError,
  ConflictError,
  createEngine,
  NetworkError,
  NotFoundError,
  ServerError,
  TimeoutError,
  TransportError,
  type AttemptEvent,
  type HostRequest,
} from '../../src/engine/index.ts';
import { json, scriptedHost, type Scripted } from './scripted-host.ts';

const now = Date.UTC(2026, 0, 1);
const seconds = now / 1000;
const lost = new TransportError('network', { code: 'ECONNRESET' });
const list = (...records: readonly object[]) =>
  json({ data: records, limit: 100, page: 1, total_pages: 1, total_results: records.length });
const journey = (fields: object) => ({
  id: 'aj_1',
  automation_id: 'aut_1',
  email: 'Ada@Example.com',
  status: 'in_progress',
  started_at: seconds,
  ...fields,
});
const late = journey({ id: 'aj_9', started_at: seconds });

function enrolling(...script: readonly Scripted[]) {
  const host = scriptedHost(script);
  const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1' });
  const call = engine.call('journeys.enroll', { automationId: 'aut_1', email: 'ada@example.com' });
  call.catch(() => {});
  return {
    call,
    sent: () => host.sent.map(({ method }) => method),
    looked: () => host.sent.flatMap(({ method, url }) => (method === 'GET' ? [new URL(url).search] : [])),
  };
}

describe('after a lost response', () => {
  it.each([
    ['a broken connection', lost],
    ['a timeout', new TransportError('timeout')],
    ['500', { status: 500 }],
    ['502 in HTML', { status: 502, body: '<html>' }],
    ['504', { status: 504 }],
    ['an answer that is cut off', { status: 200, body: '{"data":{"id":"aj_' }],
    ['an empty answer', { status: 200, body: '' }],
  ])('(%s) what has happened is found and answered', async (_, failure) => {
    const { call, sent } = enrolling(failure, list(journey({ id: 'aj_0', email: 'someone@example.com' }), late));
    expect(await call).toEqual({ data: late });
    expect(sent()).toEqual(['POST', 'GET']);
  });

  it('a call that was not carried out is sent again', async () => {
    const { call, sent } = enrolling(lost, list(), json({ data: late }));
    expect(await call).toEqual({ data: late });
    expect(sent()).toEqual(['POST', 'GET', 'POST']);
  });

  it('a record is found by the subscription id of the call', async () => {
    const other = journey({ id: 'aj_2', subscription_id: 'sub_2' });
    const own = journey({ id: 'aj_1', subscription_id: 'sub_1' });
    const host = scriptedHost([lost, list(other, own)]);
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1' });
    expect(await engine.call('journeys.enroll', { automationId: 'aut_1', subscription_id: 'sub_1' })).toEqual({
      data: own,
    });
  });

  it('a record that lacks the subscription id of the call decides nothing', async () => {
    const host = scriptedHost([lost, list(journey({ subscription_id: null }))]);
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1' });
    await expect(engine.call('journeys.enroll', { automationId: 'aut_1', subscription_id: 'sub_1' })).rejects.toThrow(
      'Whether it has happened is unknown',
    );
  });

  it('a record from before the lost attempt decides nothing, although it is younger than the call', async () => {
    const { call } = enrolling(
      { status: 429, headers: { 'retry-after': '10' } },
      lost,
      list(journey({ started_at: seconds + 7 })),
    );
    await expect(call).rejects.toThrow('Whether it has happened is unknown');
  });

  it("an earlier record is not taken for the call's own", async () => {
    const earlier = journey({ status: 'completed', started_at: seconds - 3_600 });
    const { call } = enrolling(lost, list(earlier), json({ data: late }));
    expect(await call).toEqual({ data: late });
  });

  it.each([
    ['a record of moments before', journey({ started_at: seconds - 60 })],
    ['a record of the future: the clocks differ', journey({ started_at: seconds + 60 })],
    ['a record without a time', journey({ started_at: null })],
    ['a record without an address', journey({ email: null })],
    ['a record that does not name an address', journey({ email: undefined })],
  ])('%s decides nothing: the error stays, and says how to look', async (_, record) => {
    const { call, sent } = enrolling(lost, list(record));
    await expect(call).rejects.toBeInstanceOf(NetworkError);
    await expect(call).rejects.toThrow('Whether it has happened is unknown. List the journeys of the automation');
    expect(sent()).toEqual(['POST', 'GET']);
  });

  it('the clock of the service is read from its answers', async () => {
    const date = { headers: { date: new Date(now + 3_600_000).toUTCString() } };
    const ours = journey({ started_at: seconds + 3_600 });
    const before = journey({ id: 'aj_0', status: 'completed', started_at: seconds + 3_590 });
    const { call } = enrolling(lost, json({ data: [before, ours], limit: 100, page: 1, total_pages: 1 }, date));
    expect(await call).toEqual({ data: ours });
  });

  it.each([
    ['older than 5 minutes, the clock unknown', -300.001, undefined, 'resent'],
    ['5 minutes old, the clock unknown', -300, undefined, 'unclear'],
    ['older than 5 seconds', -5.001, 0, 'resent'],
    ['5 seconds old', -5, 0, 'unclear'],
    ['just too old', -2.001, 0, 'unclear'],
    ['2 seconds old', -2, 0, 'found'],
    // The lookup begins 250 ms after the call.
    ['2 seconds ahead', 2.25, 0, 'found'],
    ['more than 2 seconds ahead', 2.251, 0, 'unclear'],
    ['2 seconds old, the clock unknown', -2, undefined, 'found'],
  ])('a record %s: %4$s', async (_, offset, skew, result) => {
    const record = journey({ started_at: new Date(now + offset * 1000).toISOString() });
    const headers: Record<string, string> = skew === undefined ? {} : { date: new Date(now + skew).toUTCString() };
    const answer = json({ data: [record], limit: 100, page: 1, total_pages: 1 }, { headers });
    const { call } = enrolling(lost, answer, json({ data: late }));
    if (result === 'unclear') await expect(call).rejects.toThrow('Whether it has happened is unknown');
    else expect(await call).toEqual({ data: result === 'found' ? record : late });
  });

  it('the clock of the service is known from the last answer with a Date', async () => {
    const { call } = enrolling(
      { status: 500, headers: { date: new Date(now + 3_600_000).toUTCString() } },
      list(journey({ started_at: seconds + 3_600 })),
    );
    expect(await call).toMatchObject({ data: { id: 'aj_1' } });
  });

  it('the lookup has the time that is left of the call', async () => {
    const host = scriptedHost([lost, list(late)]);
    const engine = createEngine({
      host,
      baseUrl: 'http://api.test/v2',
      publicationId: 'pub_1',
      totalTimeoutMs: 10_000,
    });
    await engine.call('journeys.enroll', { automationId: 'aut_1', email: 'ada@example.com' });
    expect(host.sent.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000, 9_750]);
  });

  it('the lookup reads every page', async () => {
    const page = (number: number, ...records: readonly object[]) =>
      json({ data: records, limit: 100, page: number, total_pages: 2 });
    const { call, sent, looked } = enrolling(lost, page(1, journey({ email: 'b@example.com' })), page(2, late));
    expect(await call).toEqual({ data: late });
    expect(looked()).toEqual(['?limit=100', '?limit=100&page=2']);
    expect(sent()).toEqual(['POST', 'GET', 'GET']);
  });

  it('two matching records are inconclusive', async () => {
    const { call } = enrolling(lost, list(late, journey({ id: 'aj_8' })));
    await expect(call).rejects.toThrow('Whether it has happened is unknown');
  });

  it.each([17, null])('a list with the item %j is inconclusive', async (item) => {
    const { call } = enrolling(lost, json({ data: [item] }));
    await expect(call).rejects.toThrow('Whether it has happened is unknown');
  });

  it('the record of the first attempt is found also after a later response was lost', async () => {
    const { call, sent } = enrolling(lost, list(), { status: 429, headers: { 'retry-after': '10' } }, lost, list(late));
    expect(await call).toEqual({ data: late });
    expect(sent()).toEqual(['POST', 'GET', 'POST', 'POST', 'GET']);
  });

  it('a call without retries gets the error at once, without a lookup', async () => {
    const host = scriptedHost([lost]);
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1', retry: false });
    await expect(engine.call('journeys.enroll', { automationId: 'aut_1', email: 'ada@example.com' })).rejects.toThrow(
      'Whether it has happened is unknown',
    );
    expect(host.sent).toHaveLength(1);
  });

  it('the last retry is the last, although the call was not carried out', async () => {
    const host = scriptedHost([lost, list(), lost, list()]);
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1', retry: { retries: 1 } });
    await expect(
      engine.call('journeys.enroll', { automationId: 'aut_1', email: 'ada@example.com' }),
    ).rejects.toBeInstanceOf(NetworkError);
    expect(host.sent.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST', 'GET']);
  });

  it.each([
    ['400', [{ status: 400 }]],
    ['409', [{ status: 409 }]],
    ['an aborted attempt', [new TransportError('aborted')]],
    ['503, again and again', Array.from({ length: 5 }, () => ({ status: 503 }))],
    [
      'a refused connection, again and again',
      Array.from({ length: 5 }, () => new TransportError('network', { code: 'ECONNREFUSED' })),
    ],
  ])('%s is no lost answer: nobody looks', async (_, script) => {
    const { call, sent } = enrolling(...script);
    await expect(call).rejects.not.toThrow('unknown');
    expect(new Set(sent())).toEqual(new Set(['POST']));
  });

  it('a call aborted during the lookup rejects with AbortedError', async () => {
    const abort = new AbortController();
    const scripted = scriptedHost([lost, new TransportError('aborted')]);
    const host = {
      ...scripted,
      send: (request: HostRequest) => (request.method === 'GET' && abort.abort(), scripted.send(request)),
    };
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1' });
    const call = engine.call(
      'journeys.enroll',
      { automationId: 'aut_1', email: 'ada@example.com' },
      { signal: abort.signal },
    );
    await expect(call).rejects.toBeInstanceOf(AbortedError);
  });

  it('a failed lookup leaves the first error', async () => {
    const { call } = enrolling({ status: 500 }, { status: 403 });
    await expect(call).rejects.toBeInstanceOf(ServerError);
    await expect(call).rejects.toThrow('Whether it has happened is unknown');
  });

  it('a service that may still be processing the call is not called twice', async () => {
    const { call, sent } = enrolling(new TransportError('timeout'), list());
    await expect(call).rejects.toBeInstanceOf(TimeoutError);
    expect(sent()).toEqual(['POST', 'GET']);
    for (const status of [504, 524]) {
      const later = enrolling({ status }, list());
      await expect(later.call).rejects.toMatchObject({ status });
      expect(later.sent()).toEqual(['POST', 'GET']);
    }
    for (const status of [500, 502]) {
      const { call: failed } = enrolling({ status }, list(), json({ data: late }));
      expect(await failed).toEqual({ data: late });
    }
  });

  it.each([400, 409])('a retry that conflicts (%i) with the record of the first attempt succeeds', async (status) => {
    const refused = { status, body: '{"errors":[{"message":"already","code":"X"}]}' };
    const { call, sent } = enrolling(lost, list(), refused, list(late));
    expect(await call).toEqual({ data: late });
    expect(sent()).toEqual(['POST', 'GET', 'POST', 'GET']);
  });

  it('a retry that is refused for another reason fails', async () => {
    const { call, sent } = enrolling(lost, list(), { status: 403 }, list(late));
    await expect(call).rejects.toMatchObject({ status: 403 });
    expect(sent()).toEqual(['POST', 'GET', 'POST']);
  });

  it('the other two non-idempotent operations are looked up, too', async () => {
    const field = { id: 'f1', kind: 'string', display: 'Town', created: seconds };
    const request = {
      id: 'd1',
      email: 'ada@example.com',
      status: 'pending',
      requested_at: new Date(now).toISOString(),
    };
    const other = { ...request, id: 'd0', email: 'bob@example.com' };
    const engine = (...script: Scripted[]) =>
      createEngine({ host: scriptedHost(script), baseUrl: 'http://api.test/v2', publicationId: 'pub_1' });
    const fields = list({ ...field, id: 'f0', display: 'Village' }, { ...field, kind: 'text' });
    expect(await engine(lost, fields).call('customFields.create', { kind: 'string', display: 'Town' })).toEqual({
      data: { ...field, kind: 'text' },
    });
    expect(
      await engine(lost, list(other, request)).call('deletionRequests.create', { email: 'ADA@ＥＸＡＭＰＬＥ.com' }),
    ).toEqual({
      data: request,
    });
    const open = { ...request, requested_at: new Date(now - 86_400_000).toISOString() };
    await expect(
      engine(lost, list(open), { status: 409 }, list(open)).call('deletionRequests.create', {
        email: 'ada@example.com',
      }),
    ).rejects.toBeInstanceOf(ConflictError);
  });

  const onceOnly = [
    ['journeys.enroll', { automationId: 'aut_1', email: 'ada@example.com' }, late],
    ['customFields.create', { kind: 'string', display: 'Town' }, { id: 'f1', display: 'Town', created: seconds }],
    [
      'deletionRequests.create',
      { email: 'ada@example.com' },
      { id: 'd1', email: 'ada@example.com', requested_at: new Date(now).toISOString() },
    ],
  ] as const;

  it.each(onceOnly.flatMap((each) => [500, 502, 504, 520, 524].map((status) => [...each, status] as const)))(
    '%s looks its record up after %4$i, and gives the record or an error that says how to look',
    async (id, args, record, status) => {
      const calling = (...script: Scripted[]) =>
        createEngine({ host: scriptedHost(script), baseUrl: 'http://api.test/v2', publicationId: 'pub_1' }).call(
          id,
          args as never,
        );
      expect(await calling({ status, body: '<html>' }, list(record))).toEqual({ data: record });
      const unsure = calling({ status }, { status: 403 });
      await expect(unsure).rejects.toThrow('Whether it has happened is unknown');
      await expect(unsure).rejects.toMatchObject({ status });
    },
  );

  it('an OAuth grant has no list for a lookup: the error stays', async () => {
    const host = scriptedHost([lost]);
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', appUrl: 'http://app.test' });
    await expect(
      engine.call('oauth.refresh', { grant_type: 'refresh_token', refresh_token: 'r', client_id: 'c' }),
    ).rejects.toBeInstanceOf(NetworkError);
    expect(host.sent).toHaveLength(1);
    expect(host.slept).toEqual([]);
  });

  it('the record found comes with the status of the operation and no headers', async () => {
    const host = scriptedHost([lost, list(late)]);
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1' });
    const call = engine.call('journeys.enroll', { automationId: 'aut_1', email: 'ada@example.com' });
    expect(await call.withResponse()).toMatchObject({ data: { data: late }, status: 200, headers: {} });
  });
});

describe('a deletion that finds nothing', () => {
  const deleting = (...script: readonly Scripted[]) => {
    const outcomes: AttemptEvent['outcome'][] = [];
    const engine = createEngine({
      host: scriptedHost(script),
      baseUrl: 'http://api.test/v2',
      publicationId: 'pub_1',
      onAttempt: ({ outcome }) => outcomes.push(outcome),
    });
    return { outcomes, call: engine.call('customFields.delete', { id: 'f1' }) };
  };

  it.each([
    ['a lost answer', lost, 'network'],
    ['500', { status: 500 }, 500],
  ])('after %s is done', async (_, failure, outcome) => {
    const { call, outcomes } = deleting(failure, { status: 404 });
    expect(await call.withResponse()).toMatchObject({ data: null, status: 204, headers: {} });
    expect(outcomes).toEqual([outcome, 404]);
  });

  it.each([
    ['at once', []],
    ['after a 429', [{ status: 429, headers: { 'retry-after': '1' } }]],
    ['after a refused connection', [new TransportError('network', { code: 'ECONNREFUSED' })]],
  ])('%s is an error', async (_, before) => {
    await expect(deleting(...before, { status: 404 }).call).rejects.toBeInstanceOf(NotFoundError);
  });

  it('is none where it is not a deletion', async () => {
    const engine = createEngine({
      host: scriptedHost([lost, { status: 404 }]),
      baseUrl: 'http://api.test/v2',
      publicationId: 'pub_1',
    });
    await expect(engine.call('customFields.get', { id: 'f1' })).rejects.toBeInstanceOf(NotFoundError);
  });
});
