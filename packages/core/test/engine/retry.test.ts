import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operations, type Operation } from '../../src/contract/index.ts';
import {
  ConfigurationError,
  defaultRetryPolicy,
  nextDelay,
  RateLimitError,
  TransportError,
} from '../../src/engine/index.ts';
import { policyOver } from '../../src/engine/retry.ts';
import { json, scriptedHost } from './scripted-host.ts';
import { engineOn } from './calling.ts';

const clock = { now: () => Date.UTC(2026, 0, 1), random: () => 1 };
const answered = (status: number, headers: Record<string, string> = {}) => ({ answer: { status, headers } });

describe('which failures are retried', () => {
  const table = [
    // failure                                                    safe   upsert once
    ['400', answered(400), false, false, false],
    ['401', answered(401), false, false, false],
    ['403', answered(403), false, false, false],
    ['404', answered(404), false, false, false],
    ['408', answered(408), true, true, false],
    ['409', answered(409), false, false, false],
    ['429', answered(429), true, true, true],
    ['500', answered(500), true, true, false],
    ['502', answered(502), true, true, false],
    ['503', answered(503), true, true, true],
    ['connection refused', { error: new TransportError('network', { notSent: true }) }, true, true, true],
    ['connection lost', { error: new TransportError('network') }, true, true, false],
    ['timeout', { error: new TransportError('timeout') }, true, true, false],
    ['aborted', { error: new TransportError('aborted') }, false, false, false],
  ] as const;

  it.each(table)('after %s', (_, failed, safe, upsert, once) => {
    const repeats = (retry: 'safe' | 'upsert' | 'once') =>
      nextDelay({ retry }, failed, 0, defaultRetryPolicy, clock) !== null;
    expect({ safe: repeats('safe'), upsert: repeats('upsert'), once: repeats('once') }).toEqual({ safe, upsert, once });
  });
});

describe('the delay of a retry', () => {
  it.each([
    ['120', 120_000],
    ['121', null],
  ])('with Retry-After: %s and a limit of two minutes: %s', (seconds, delay) => {
    const failed = answered(429, { 'retry-after': seconds });
    expect(nextDelay({ retry: 'safe' }, failed, 0, defaultRetryPolicy, clock)).toBe(delay);
  });

  it('backs off with full jitter, doubling to a ceiling', () => {
    const ceilings = [0, 1, 2, 3, 20].map((attempt) =>
      nextDelay({ retry: 'safe' }, answered(500), attempt, { ...defaultRetryPolicy, retries: 99 }, clock),
    );
    expect(ceilings).toEqual([500, 1_000, 2_000, 4_000, 30_000]);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(30), (random, attempt) => {
        const delay = nextDelay(
          { retry: 'safe' },
          answered(500),
          attempt,
          { ...defaultRetryPolicy, retries: 99 },
          { ...clock, random: () => random },
        );
        return delay !== null && delay >= 0 && delay <= 30_000;
      }),
    );
  });
});

describe('a call that fails', () => {
  it('waits as the service asks and sends the same request again', async () => {
    const busy = { status: 429, headers: { 'retry-after': '2' } };
    const { host, engine } = engineOn([busy, { status: 503 }, json({ data: [] })]);
    const page = await engine.list('subscriptions.list', {});
    expect(page.items).toEqual([]);
    expect(host.slept).toEqual([2_000, 500]);
    expect(host.sent[1]).toEqual(host.sent[0]);
  });

  it.each([
    ['was lost', new TransportError('network'), false],
    ['timed out', new TransportError('timeout'), false],
    ['was a failure', { status: 500 }, false],
    ['was sent to nobody', new TransportError('network', { notSent: true }), true],
    ['asks to slow down', { status: 429 }, true],
  ])('asks a second time to reactivate only where nothing can have happened: the answer %s', async (_, first, asks) => {
    const { host, engine } = engineOn([
      first,
      { status: 429 },
      json({ data: {} }),
      first,
      json({ message: 'Accepted.' }),
    ]);
    const request = {
      email: 'ada@example.com',
      reactivate_existing: true,
      custom_fields: [{ name: 'Note', value: '"reactivate_existing":true' }],
    };
    await engine.call('subscriptions.create', request);
    await engine.call('subscriptions.bulkCreate', { subscriptions: [request] });
    const sent = host.sent.map(({ body = '' }): unknown => JSON.parse(body));
    const again = { ...request, reactivate_existing: asks };
    expect(sent).toEqual([request, again, again, { subscriptions: [request] }, { subscriptions: [again] }]);
  });

  it('gives up after its retries with the last error', async () => {
    const busy = { status: 429, headers: { 'retry-after': '1' } };
    const { host, engine } = engineOn([busy, busy, busy], { retry: { retries: 2 } });
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toBeInstanceOf(RateLimitError);
    expect(host.sent).toHaveLength(3);
  });

  it('throws at once where Retry-After exceeds the policy, and says how long', async () => {
    const { host, engine } = engineOn([{ status: 429, headers: { 'retry-after': '3600' } }]);
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toMatchObject({
      retryAfterMs: 3_600_000,
    });
    expect(host.slept).toEqual([]);
  });

  it('is not retried where the delay would last until its total timeout', async () => {
    const { host, engine } = engineOn([{ status: 503, headers: { 'retry-after': '2' } }], { totalTimeoutMs: 2_000 });
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toMatchObject({ status: 503 });
    expect(host.slept).toEqual([]);
  });

  it('states the shorter of its two timeouts', async () => {
    for (const [timeoutMs, totalTimeoutMs] of [
      [500, 900],
      [900, 500],
    ]) {
      const { engine } = engineOn([new TransportError('timeout')], { timeoutMs, totalTimeoutMs, retry: false });
      await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toThrow(
        'no answer within 500 ms',
      );
    }
  });

  it('throws the error of a host whose sleep() fails', async () => {
    const broken = new Error('no timers here');
    const host = { ...scriptedHost([{ status: 503 }]), sleep: () => Promise.reject(broken) };
    const { engine } = engineOn([], { host, pacer: false });
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toBe(broken);
  });

  it('is not retried where the host name was never resolved, and is where it was resolved before', async () => {
    const unknown = new TransportError('network', { code: 'ENOTFOUND' });
    const get = ({ engine }: ReturnType<typeof engineOn>) => engine.call('automations.get', { automationId: 'aut_1' });
    const never = engineOn([unknown]);
    await expect(get(never)).rejects.toThrow('Check the base URL');
    expect(never.host.sent).toHaveLength(1);
    const before = engineOn([json({ data: {} }), unknown, json({ data: {} })]);
    await get(before);
    await get(before);
    expect(before.host.sent).toHaveLength(3);
  });

  it.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_REDIRECTED'])(
    'by a wrong setting (%s) is told at once, also by a host of one’s own',
    async (code) => {
      const cause = new TransportError('network', { code });
      const { host, engine } = engineOn([cause]);
      const error: unknown = await engine
        .call('journeys.enroll', { automationId: 'aut_1', email: 'ada@example.com' })
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error).toMatchObject({ code, cause });
      expect(host.sent).toHaveLength(1);
    },
  );

  it.each(operations.filter(({ base }) => base === 'api').map(({ id, retry, path }) => [id, retry, path] as const))(
    '%s (%s) is sent again after a lost answer, if a second arrival would do harm only after a look whether the first has happened',
    async (id, retry, path) => {
      const answers = [json({ data: id.includes('.list') ? [] : {} })];
      if (retry === 'once') answers.unshift(json({ data: [] })); // the look
      const { host, engine } = engineOn([new TransportError('network'), ...answers]);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, `${name}_1`]);
      const args = { ...Object.fromEntries(inPath), publicationId: 'pub_1' };
      const body: Readonly<Record<string, unknown>> = {
        email: 'a@example.com',
        kind: 'string',
        display: 'x',
        subscriptions: [],
        subscription_ids: [],
        new_status: 'active',
      };
      const operation: Operation | undefined = operations.find((each) => each.id === id);
      const names = [...(operation?.body?.required ?? []), ...(operation?.body?.anyOf ?? [])];
      const fields = Object.fromEntries(names.map((name) => [name, body[name]]));
      await engine.call(id, { ...args, ...fields } as never);
      const { method = '' } = operation ?? {};
      expect(host.sent.map((request) => request.method)).toEqual(
        retry === 'once' ? [method, 'GET', method] : [method, method],
      );
    },
  );
});

it('a policy is overridden field by field, and false leaves a single attempt', () => {
  expect(policyOver(defaultRetryPolicy, undefined)).toEqual(defaultRetryPolicy);
  expect(policyOver(defaultRetryPolicy, { minDelayMs: 7 })).toEqual({ ...defaultRetryPolicy, minDelayMs: 7 });
  expect(policyOver(defaultRetryPolicy, false)).toEqual({ ...defaultRetryPolicy, retries: 0 });
});
