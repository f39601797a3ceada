/** Calls of an engine with a pacer: 429, quota and waiting as users meet them. */
import { describe, expect, it } from 'vitest';
import {
  AbortedError,
  createEngine,
  createPacer,
  RateLimitError,
  ServerError,
  TimeoutError,
  TransportError,
  type Host,
  type HostAnswer,
  type Pacer,
  type Waiter,
} from '../../src/engine/index.ts';
import { stillClock } from './still-clock.ts';

describe('an engine', () => {
  const busy: HostAnswer = { status: 429, headers: { 'retry-after': '30' }, body: '{"errors":[]}' };
  const answered: HostAnswer = { status: 200, headers: {}, body: '{"data":{}}' };

  function calling(answers: readonly HostAnswer[]) {
    const clock = stillClock();
    const left = [...answers];
    const sentAt: number[] = [];
    const start = clock.now();
    const host: Host = {
      ...clock,
      random: () => 0.5,
      async send() {
        sentAt.push(clock.now() - start);
        return left.shift() ?? answered;
      },
    };
    const engine = (options: Partial<Parameters<typeof createEngine>[0]> = {}) =>
      createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1', ...options });
    return { clock, host, sentAt, engine };
  }
  const get = (engine: ReturnType<typeof createEngine>, options = {}) =>
    engine.call('automations.get', { automationId: 'aut_1' }, options).then(
      () => 'done',
      (error: unknown) => error,
    );

  it('shares a pacer with others of the same key', async () => {
    const { clock, host, sentAt, engine } = calling([busy]);
    const pacer = createPacer(host);
    void get(engine({ pacer }));
    await clock.advance(0);
    void get(engine({ pacer }));
    await clock.advance(29_999);
    expect(sentAt).toEqual([0]);
    await clock.advance(1);
    expect(sentAt).toEqual([0, 30_000, 30_000]);
  });

  it('without a pacer sends at once', async () => {
    const { clock, sentAt, engine } = calling([busy]);
    const unpaced = engine({ pacer: false });
    void get(unpaced);
    await clock.advance(0);
    void get(unpaced);
    await clock.advance(0);
    expect(sentAt).toEqual([0, 0]);
  });

  it('sends nothing for a call that was aborted before, without a pacer either', async () => {
    const { sentAt, engine } = calling([]);
    for (const one of [engine(), engine({ pacer: false })])
      expect(await get(one, { signal: AbortSignal.abort() })).toBeInstanceOf(AbortedError);
    expect(sentAt).toEqual([]);
  });

  it('ends a call at its total timeout: at once where the wait would be longer, and says that nothing was sent', async () => {
    const { clock, sentAt, engine } = calling([busy]);
    const one = engine();
    const first = get(one, { totalTimeoutMs: 10_000 });
    await clock.advance(0);
    expect(await first).toBeInstanceOf(RateLimitError);
    const second = await get(one, { totalTimeoutMs: 10_000 });
    expect(second).toBeInstanceOf(TimeoutError);
    expect(second).toMatchObject({ notSent: true, message: expect.stringContaining('was not sent') as string });
    expect(sentAt).toEqual([0]);
  });

  it("rejects a call where the service asks for a longer pause than the call's maxRetryAfterMs", async () => {
    const { clock, sentAt, engine } = calling([{ ...busy, headers: { 'retry-after': '3600' } }]);
    const one = engine();
    void get(one);
    await clock.advance(0);
    expect(await get(one)).toMatchObject({
      name: 'RateLimitError',
      retryAfterMs: 3_600_000,
      message: expect.stringContaining('was not sent') as string,
    });
    expect(sentAt).toEqual([0]);
  });

  it('refreshes a token while the API is paused: only the API is rate limited', async () => {
    const { clock, sentAt, engine } = calling([busy]);
    const one = engine({ appUrl: 'http://app.test' });
    void get(one);
    await clock.advance(0);
    void one.call('oauth.refresh', { grant_type: 'refresh_token', refresh_token: 'r', client_id: 'c' }).catch(() => {});
    await clock.advance(0);
    expect(sentAt).toEqual([0, 0]);
  });

  it('gives no attempt more time than the call has left', async () => {
    const { clock, host, engine } = calling([{ ...busy, headers: { 'retry-after': '4' } }]);
    const given: number[] = [];
    const one = engine({ host: { ...host, send: (request) => (given.push(request.timeoutMs), host.send(request)) } });
    void get(one, { totalTimeoutMs: 10_000 });
    await clock.advance(10_000);
    expect(given).toEqual([10_000, 6_000]);
  });

  it('queues each list in a stream of its own, so that a long list does not delay the others', async () => {
    const { clock, host, engine } = calling([]);
    const paths: string[] = [];
    const one = engine({
      pacer: createPacer(host, { concurrency: 1 }),
      host: {
        ...host,
        send: (request) => (paths.push(new URL(request.url).pathname.split('/').at(-1) ?? ''), host.send(request)),
      },
    });
    for (let n = 0; n < 3; n += 1) void get(one);
    void one.list('customFields.list', {}).then(undefined, () => {});
    await clock.advance(10);
    expect(paths.indexOf('custom_fields')).toBe(2);
  });

  it('passes the options of each call to the pacer', async () => {
    const { clock, engine } = calling([]);
    const waiters: Waiter[] = [];
    const pacer: Pacer = { turn: async (waiter) => (waiters.push(waiter), { done() {} }) };
    const stream = {};
    void get(engine({ pacer }), { stream, background: true, retry: { maxRetryAfterMs: 7_000 } });
    await clock.advance(0);
    void engine({ pacer }).request('GET', '/publications', { background: true });
    await clock.advance(0);
    expect(waiters).toMatchObject([{ stream, background: true, maxPauseMs: 7_000 }, { background: true }]);
  });

  it('sends every page of a list in the background where the list is', async () => {
    const { clock, engine, host } = calling([]);
    const waiters: Waiter[] = [];
    const pacer: Pacer = { turn: async (waiter) => (waiters.push(waiter), { done() {} }) };
    const page = (more: boolean): HostAnswer => ({
      ...answered,
      body: JSON.stringify({ data: [], has_more: more, next_cursor: more ? 'c' : null }),
    });
    const paged: Host = { ...host, send: async ({ url }) => page(!url.includes('cursor')) };
    for await (const _ of engine({ pacer, host: paged }).list('subscriptions.list', {}, { background: true }).pages());
    await clock.advance(0);
    expect(waiters.map(({ background }) => background)).toEqual([true, true]);
  });

  it('sends as many calls at a time as `concurrency`, from the first one on', async () => {
    const { clock, host, sentAt, engine } = calling([]);
    const slow: Host = {
      ...host,
      async send(request) {
        const answer = await host.send(request);
        await clock.sleep(150);
        return answer;
      },
    };
    const one = engine({ host: slow, concurrency: 32 });
    for (let i = 0; i < 100; i++) void get(one);
    await clock.advance(1_000);
    expect(sentAt).toEqual(Array.from({ length: 100 }, (_, i) => Math.floor(i / 32) * 150));
    expect(() => engine({ concurrency: 32, pacer: createPacer(host) })).toThrow('not beside a pacer');
  });

  it('tells the pacer each outcome, but not an aborted attempt and a wrong setting: the service did not fail', async () => {
    const refusing = { status: 403, headers: {}, body: '' };
    for (const [outcome, expected] of [
      [answered, answered],
      [refusing, refusing],
      [new TransportError('network'), null],
      [new TransportError('timeout'), null],
      [new TransportError('aborted'), undefined],
      [new TransportError('network', { code: 'CERT_HAS_EXPIRED' }), undefined],
    ] as const) {
      const { clock, host, engine } = calling([]);
      const done: unknown[] = [];
      const pacer: Pacer = { turn: async () => ({ done: (answer) => void done.push(answer) }) };
      const send = async () => {
        if (outcome instanceof TransportError) throw outcome;
        return outcome;
      };
      void get(engine({ pacer, host: { ...host, send }, retry: false }));
      await clock.advance(0);
      expect(done[0]).toBe(expected);
    }
  });

  describe('whose call has failed once', () => {
    /** The call has its turn again only when somebody gives theirs back, which nobody does. */
    async function waiting(options: object) {
      const { clock, host, engine } = calling([{ ...busy, status: 503, headers: {} }]);
      const pacer = createPacer(host, { concurrency: 1 });
      const outcome = get(engine({ pacer }), options);
      await clock.advance(100);
      await pacer.turn({});
      return { clock, outcome };
    }

    it('reports an abort while the call waits for its turn', async () => {
      const abort = new AbortController();
      const { clock, outcome } = await waiting({ signal: abort.signal });
      await clock.advance(1_000);
      abort.abort();
      expect(await outcome).toBeInstanceOf(AbortedError);
    });

    it('reports the first failure where the call waits for its turn until the deadline', async () => {
      const { clock, outcome } = await waiting({ totalTimeoutMs: 5_000 });
      await clock.advance(5_000);
      expect(await outcome).toBeInstanceOf(ServerError);
    });

    it('reports an abort while the call waits for its retry', async () => {
      const abort = new AbortController();
      const { outcome } = await waiting({ signal: abort.signal });
      abort.abort();
      expect(await outcome).toBeInstanceOf(AbortedError);
    });
  });
});
