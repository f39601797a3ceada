/** Reception: what a request to a form is answered, how its body is read, and what is logged and reported of it. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RelayEvent, Suspicion } from '../../src/events.ts';
import { StoreUnavailableError, type Check } from '../../src/index.ts';
import { changedStore } from '../changed-store.ts';
import { operatorRequest, post, runRelay, site, type RelayParts } from '../running-relay.ts';

const ada = { email: 'ada@example.com' };
const other = 'https://other.example';

/** A line of the log, without its time. */
type Line = Readonly<Record<string, unknown>>;

function linesOf(logged: readonly string[]): readonly Line[] {
  return logged.map((line) => {
    const { time: _, ...rest } = JSON.parse(line) as Line;
    return rest;
  });
}

const request = (method: string, path = '/signup', headers: Readonly<Record<string, string>> = {}): Request =>
  new Request(`http://relay.example${path}`, { method, headers: { origin: site, ...headers } });
const refusal = (status: number, code: string): Line => ({ level: 'debug', status, codes: [code], msg: 'refused' });
const refusedEvent = (status: number, code: string): RelayEvent => ({
  type: 'refused',
  form: 'default',
  status,
  codes: [code],
});
const kept = (suspectedBecause: Suspicion | null): Line => ({
  level: 'debug',
  signup: expect.any(String),
  suspectedBecause,
  msg: 'kept',
});
const acceptedEvent = (suspectedBecause: Suspicion | null): RelayEvent => ({
  type: 'accepted',
  form: 'default',
  suspectedBecause,
  needsConfirmation: false,
  tookMs: expect.any(Number) as number,
});
const noSignup = (status: number, method: string): Line => ({
  level: 'debug',
  status,
  method,
  msg: 'refused a request that is no signup',
});
const originLine = (origin: string | null): Line => ({
  level: 'warn',
  origin,
  form: 'default',
  msg: 'a signup was refused because of its origin; if this is your site, add it to RELAY_ALLOWED_ORIGINS',
});
const defectLine: Line = {
  level: 'error',
  err: expect.objectContaining({ type: 'TypeError', message: 'a defect' }),
  msg: 'an unexpected failure was answered with 503',
};
const failing = (failure: Error): RelayParts => ({
  store: changedStore(runRelay().store, { accept: () => Promise.reject(failure) }),
});
const throwing = (failure: Error): RelayParts => ({ checks: [() => Promise.reject(failure)] });

interface Row {
  readonly request: () => Request;
  readonly parts?: () => RelayParts;
  readonly status: number;
  readonly lines: readonly Line[];
  readonly events: readonly RelayEvent[];
}

const rows: Readonly<Record<string, Row>> = {
  'a signup': {
    request: () => post(ada),
    status: 202,
    lines: [kept(null)],
    events: [acceptedEvent(null)],
  },
  'a suspected signup': {
    request: () => post({ ...ada, hp_field: 'x' }),
    status: 202,
    lines: [kept('honeypot')],
    events: [acceptedEvent('honeypot')],
  },
  'a refused post': {
    request: () => post('{'),
    status: 400,
    lines: [refusal(400, 'INVALID_BODY')],
    events: [refusedEvent(400, 'INVALID_BODY')],
  },
  'a post of another site': {
    request: () => post(ada, { origin: other }),
    status: 403,
    lines: [refusal(403, 'ORIGIN_NOT_ALLOWED'), originLine(other)],
    events: [refusedEvent(403, 'ORIGIN_NOT_ALLOWED')],
  },
  'a post with an origin of 300 characters': {
    request: () => post(ada, { origin: `https://${'x'.repeat(292)}` }),
    status: 403,
    lines: [refusal(403, 'ORIGIN_NOT_ALLOWED'), originLine(`https://${'x'.repeat(192)}`)],
    events: [refusedEvent(403, 'ORIGIN_NOT_ALLOWED')],
  },
  'a post without an origin': {
    request: () => new Request('http://relay.example/signup', { method: 'POST', body: '{}' }),
    status: 403,
    lines: [refusal(403, 'ORIGIN_NOT_ALLOWED'), originLine(null)],
    events: [refusedEvent(403, 'ORIGIN_NOT_ALLOWED')],
  },
  'a post to another path': {
    request: () => request('POST', '/nowhere'),
    status: 404,
    lines: [refusal(404, 'NOT_FOUND')],
    events: [refusedEvent(404, 'NOT_FOUND')],
  },
  'a preflight of an allowed site': {
    request: () => request('OPTIONS'),
    status: 204,
    lines: [],
    events: [],
  },
  'a preflight of another site': {
    request: () => request('OPTIONS', '/signup', { origin: other }),
    status: 403,
    lines: [noSignup(403, 'OPTIONS'), originLine(other)],
    events: [],
  },
  'another method': {
    request: () => request('DELETE'),
    status: 405,
    lines: [noSignup(405, 'DELETE')],
    events: [],
  },
  'a signup that the store does not take': {
    request: () => post(ada),
    parts: () => failing(new StoreUnavailableError('the disk is full')),
    status: 503,
    lines: [
      {
        level: 'error',
        reason: 'the disk is full',
        msg: 'the store fails: signups are answered with 503, and delivery pauses until it works',
      },
      { level: 'error', reason: 'the disk is full', msg: 'a request was answered with 503' },
      refusal(503, 'UNAVAILABLE'),
    ],
    events: [
      { type: 'failing', what: 'store', scope: '', forms: [], reason: 'the disk is full', needsOperator: false },
      refusedEvent(503, 'UNAVAILABLE'),
    ],
  },
  'a signup that a defect of the store ends': {
    request: () => post(ada),
    parts: () => failing(new TypeError('a defect')),
    status: 503,
    lines: [defectLine, refusal(503, 'UNAVAILABLE')],
    events: [refusedEvent(503, 'UNAVAILABLE')],
  },
  'a signup that a failing check ends': {
    request: () => post(ada),
    parts: () => throwing(new TypeError('a defect')),
    status: 503,
    lines: [defectLine, refusal(503, 'UNAVAILABLE')],
    events: [refusedEvent(503, 'UNAVAILABLE')],
  },
};

it.each(Object.entries(rows))(
  '%s is logged and reported',
  async (_, { request: make, parts, status, lines, events }) => {
    const reported: RelayEvent[] = [];
    const relay = runRelay({ ...parts?.(), onEvent: (event) => void reported.push(event) });
    expect((await relay.fetch(make())).status).toBe(status);
    expect(linesOf(relay.logged)).toEqual(lines);
    expect(reported).toEqual(events);
  },
);

it('reports how long a signup took', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const slow: Check = () => {
    vi.advanceTimersByTime(250);
    return null;
  };
  const took: unknown[] = [];
  const relay = runRelay({
    checks: [slow],
    onEvent: (event) => void took.push('tookMs' in event ? event.tookMs : event),
  });
  vi.advanceTimersByTime(1000);
  await relay.fetch(post(ada));
  expect(took).toEqual([250]);
});

it.each([
  ['203.0.113.9', [] as readonly string[]],
  ['10.0.0.2', ['10.0.0.2']],
] as const)('warns once of a proxy at %s that the settings do not name', async (peer, proxies) => {
  const relay = runRelay();
  for (const forwarded of ['198.51.100.1', '198.51.100.2'])
    await relay.fetch(post(ada, { 'x-forwarded-for': forwarded }), peer);
  expect(linesOf(relay.logged).filter(({ level }) => level === 'warn')).toEqual(
    proxies.map((proxy) => ({
      level: 'warn',
      proxy,
      msg: 'a proxy that RELAY_TRUSTED_PROXIES does not name passes on visitors; the last address in X-Forwarded-For counts as theirs: name the proxy there',
    })),
  );
});

describe('an answer to what is no signup', () => {
  const toScripts = {
    'access-control-allow-origin': site,
    'access-control-expose-headers': 'Retry-After',
    'content-type': 'application/json',
  };
  const ofPreflight = {
    'access-control-allow-origin': site,
    'access-control-expose-headers': 'Retry-After',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'Content-Type, Idempotency-Key, traceparent, tracestate',
    'access-control-max-age': '86400',
  };
  const always = { 'cache-control': 'no-store', vary: 'Origin', 'x-content-type-options': 'nosniff' };
  const allow = 'POST, OPTIONS';
  const toOthers = { 'content-type': 'application/json' };

  it.each([
    ['GET', site, {}, 405, { ...toScripts, allow }],
    ['PUT', site, {}, 405, { ...toScripts, allow }],
    ['PATCH', other, {}, 405, { ...toOthers, allow }],
    ['OPTIONS', site, {}, 204, ofPreflight],
    ['OPTIONS', other, {}, 403, toOthers],
    // The pages of the relay post without a preflight.
    ['OPTIONS', 'http://relay.example', { 'sec-fetch-site': 'same-origin' }, 204, {}],
  ] as const)('%s from %s with %j is %i', async (method, origin, headers, status, expected) => {
    const answer = await runRelay().fetch(request(method, '/signup', { origin, ...headers }));
    expect([answer.status, Object.fromEntries(answer.headers)]).toEqual([status, { ...always, ...expected }]);
  });
});

describe('the length of a body', () => {
  const limit = 8192;
  /** A JSON signup of so many bytes. */
  const sized = (bytes: number): string => JSON.stringify(ada).padEnd(bytes, ' ');
  const stated = (length: number) => ({ 'content-length': String(length) });

  it.each([
    ['stated', stated(limit), limit, 202],
    ['stated too low', stated(10), limit + 1, 413],
  ] as const)('%s (%j), of %i bytes: %i', async (_, headers, bytes, status) => {
    expect((await runRelay().fetch(post(sized(bytes), headers))).status).toBe(status);
  });

  /** Has one byte more than the limit, and breaks off where more is read. */
  function breaking(headers: Readonly<Record<string, string>>): Request {
    let chunks = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(stream) {
          if ((chunks += 1) === 1) stream.enqueue(new TextEncoder().encode(sized(limit + 1)));
          else stream.error(new Error('broken off'));
        },
      },
      { highWaterMark: 0 },
    );
    return new Request('http://relay.example/signup', {
      method: 'POST',
      headers: { origin: site, 'content-type': 'application/json', ...headers },
      body,
      duplex: 'half',
    });
  }

  it.each([
    ['in chunks: no further than the limit', {}, 'PAYLOAD_TOO_LARGE'],
    [
      'in chunks beside a length: no further than the limit',
      { ...stated(10), 'transfer-encoding': 'chunked' },
      'PAYLOAD_TOO_LARGE',
    ],
    ['of stated length: at once', stated(10), 'INVALID_BODY'],
  ] as const)('is read %s', async (_, headers, code) => {
    const answer = await runRelay().fetch(breaking(headers));
    expect(await answer.json()).toMatchObject({ errors: [{ code }] });
  });

  it('may be none, which is no signup', async () => {
    const answer = await runRelay().fetch(request('POST', '/signup', { 'content-type': 'application/json' }));
    expect([answer.status, await answer.json()]).toMatchObject([400, { errors: [{ code: 'INVALID_BODY' }] }]);
  });
});

it('tells the operator which websites may not post, a few of them', async () => {
  const relay = runRelay();
  const told = async (): Promise<unknown> =>
    ((await (await relay.fetch(operatorRequest('/operator/api/status'))).json()) as { running: Line }).running[
      'refusedOrigins'
    ];
  expect(await told()).toBeNull();
  for (const name of ['www', 'www', 'a', 'b', 'c'])
    await relay.fetch(request('OPTIONS', '/signup', { origin: `https://${name}.example` }));
  expect(await told()).toBe(
    'Signups from pages of https://www.example, https://a.example, https://b.example and others were refused. If one of them is your site, name it in RELAY_ALLOWED_ORIGINS; with “www.” it is another one.',
  );
});
