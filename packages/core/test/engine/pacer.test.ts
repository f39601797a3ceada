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
  type Signal,
  type Turn,
  type Waiter,
} from '../../src/engine/index.ts';

const ok = { status: 200, headers: {} };
const tooMany = (headers: Record<string, string> = {}) => ({ status: 429, headers });

const told = (remaining: number, seconds = 60) => ({
  status: 200,
  headers: {
    'ratelimit-limit': '4',
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(Date.UTC(2026, 0, 1) / 1000 + seconds),
  },
});

/** A clock that moves only when told to; sleepers wake in order. */
function stillClock() {
  let now = Date.UTC(2026, 0, 1);
  const sleepers = new Set<{ at: number; wake: () => void }>();
  let slept = 0;
  const rest = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
  };
  return {
    now: () => now,
    monotonic: () => now,
    sleepers,
    /** How often somebody began to sleep. */
    slept: () => slept,
    /** Time passes and no sleeper wakes yet: timers of a busy process ring late. */
    oversleep(ms: number) {
      now += ms;
    },
    sleep: (ms: number, signal?: Parameters<Host['sleep']>[1]) =>
      new Promise<void>((resolve, reject) => {
        const sleeper = { at: now + ms, wake: resolve };
        sleepers.add(sleeper);
        slept += 1;
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(new TransportError('aborted'));
        });
      }),
    async advance(ms: number) {
      const end = now + ms;
      for (;;) {
        await rest();
        const next = [...sleepers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        sleepers.delete(next);
        now = next.at;
        next.wake();
      }
      now = end;
      await rest();
    },
  };
}

/** Asks for turns and keeps what becomes of each. */
function asking(pacer: Pacer) {
  const granted: string[] = [];
  const turns = new Map<string, Turn>();
  return {
    granted,
    ask: (name: string, waiter: Parameters<Pacer['turn']>[0] = {}) =>
      pacer.turn(waiter).then(
        (turn) => {
          granted.push(name);
          turns.set(name, turn);
          return 'granted';
        },
        (error: unknown) => error,
      ),
    end: (name: string, answer: Parameters<Turn['done']>[0] = ok) => turns.get(name)?.done(answer),
    withdraw: (name: string) => turns.get(name)?.done(),
  };
}

function pacing(options: { concurrency?: number } = {}) {
  const clock = stillClock();
  return { clock, ...asking(createPacer(clock, options)) };
}

describe('a 429', () => {
  it('pauses all calls until the time it asks for, then sends one request before the others', async () => {
    const { clock, ask, end, granted } = pacing();
    void ask('a');
    await clock.advance(0);
    end('a', tooMany({ 'retry-after': '10' }));
    for (const name of ['b', 'c', 'd']) void ask(name);
    await clock.advance(9_999);
    expect(granted).toEqual(['a']);
    await clock.advance(1);
    expect(granted).toEqual(['a', 'b']);
    end('b');
    await clock.advance(0);
    expect(granted).toEqual(['a', 'b', 'c', 'd']);
  });

  it("is understood with a date as Retry-After, also where the service's clock is wrong", async () => {
    for (const [headers, waitMs] of [
      [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' }, 7_000],
      [
        { date: 'Thu, 01 Jan 2026 01:00:00 GMT', 'ratelimit-reset': String(Date.UTC(2026, 0, 1, 1) / 1000 + 20) },
        20_000,
      ],
    ] as const) {
      const { clock, ask, end, granted } = pacing();
      void ask('a');
      await clock.advance(0);
      end('a', tooMany(headers));
      void ask('b');
      await clock.advance(waitMs - 1);
      expect(granted).toEqual(['a']);
      await clock.advance(1);
      expect(granted).toEqual(['a', 'b']);
    }
  });

  it("with a Retry-After longer than a caller's maxPause rejects that call and keeps the others", async () => {
    const { clock, ask, end, granted } = pacing();
    void ask('a');
    await clock.advance(0);
    end('a', tooMany({ 'retry-after': '600' }));
    expect(await ask('impatient', { maxPauseMs: 120_000 })).toMatchObject({
      name: 'PausedError',
      pauseMs: 600_000,
      message: 'Paused for 600000 ms.',
    });
    void ask('patient');
    await clock.advance(600_000);
    expect(granted).toEqual(['a', 'patient']);
  });

  it('keeps queued calls whose maxPause is as long as Retry-After', async () => {
    const { clock, ask, end, granted } = pacing({ concurrency: 1 });
    void ask('a');
    await clock.advance(0);
    void ask('patient', { maxPauseMs: 10_000, deadline: clock.now() + 10_001 });
    end('a', tooMany({ 'retry-after': '10' }));
    await clock.advance(10_000);
    expect(granted).toEqual(['a', 'patient']);
  });

  it('rejects queued calls whose maxPause is shorter than Retry-After', async () => {
    const { clock, ask, end } = pacing({ concurrency: 1 });
    void ask('a');
    await clock.advance(0);
    const impatient = ask('impatient', { maxPauseMs: 120_000 });
    const hurried = ask('hurried', { deadline: clock.now() + 60_000 });
    end('a', tooMany({ 'retry-after': '600' }));
    expect(await impatient).toMatchObject({ name: 'PausedError' });
    expect(await hurried).toMatchObject({ failure: 'timeout', notSent: true });
  });
});

describe('the quota of the headers', () => {
  it('is kept without a single 429, and the next window starts with one request', async () => {
    const { clock, ask, end, granted } = pacing();
    void ask('a');
    await clock.advance(0);
    end('a', told(1));
    for (const name of ['b', 'c', 'd']) void ask(name);
    await clock.advance(54_000);
    expect(granted).toEqual(['a', 'b']);
    end('b', told(0));
    await clock.advance(5_999);
    expect(granted).toEqual(['a', 'b']);
    await clock.advance(1);
    expect(granted).toEqual(['a', 'b', 'c']);
    end('c', told(3, 120));
    await clock.advance(0);
    expect(granted).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is followed where another process uses the same key', async () => {
    const { clock, ask, end, granted } = pacing();
    for (const name of ['a', 'b']) void ask(name);
    await clock.advance(0);
    end('a', told(3));
    end('b', told(0));
    void ask('c');
    await clock.advance(59_999);
    expect(granted).toEqual(['a', 'b']);
    await clock.advance(1);
    expect(granted).toEqual(['a', 'b', 'c']);
  });
});

describe('turns', () => {
  it('alternate between streams, however many calls of one stream wait', async () => {
    const { clock, ask, end, granted } = pacing({ concurrency: 1 });
    const [list, bulk] = [{}, {}];
    void ask('first');
    await clock.advance(0);
    for (let i = 1; i <= 6; i++) void ask(`bulk${i}`, { stream: bulk });
    void ask('list1', { stream: list });
    void ask('plain');
    end('first');
    for (let i = 0; i < 8; i++) {
      await clock.advance(0);
      const now = granted.at(-1) ?? '';
      if (now === 'list1') void ask('list2', { stream: list });
      end(now);
    }
    expect(granted).toEqual(['first', 'bulk1', 'list1', 'plain', 'bulk2', 'list2', 'bulk3', 'bulk4', 'bulk5']);
  });

  it('are five at a time from the first call on, unless `concurrency` says otherwise', async () => {
    for (const [options, expected] of [
      [{}, 5],
      [{ concurrency: 32 }, 32],
    ] as const) {
      const { clock, ask, granted } = pacing(options);
      for (let i = 0; i < 100; i++) void ask(String(i));
      await clock.advance(0);
      expect(granted).toHaveLength(expected);
    }
    expect(() => pacing({ concurrency: 0 })).toThrow('concurrency must be a whole number from 1');
  });

  it.each([
    ['a 500', { status: 500, headers: {} }, 0],
    ['a lost connection', null, 0],
    ['a 429', tooMany({ 'retry-after': '1' }), 1_000],
  ])(
    'are half as many after %s, and won back one a round, never above the given number',
    async (_, trouble, pauseMs) => {
      const { clock, ask, end, granted } = pacing({ concurrency: 8 });
      for (let i = 0; i < 300; i++) void ask(String(i));
      await clock.advance(0);
      let ended = 0;
      /** Ends all requests in flight. @returns how many are in flight afterwards */
      const round = async (answer: Parameters<Turn['done']>[0] = ok): Promise<number> => {
        const inFlight = granted.slice(ended);
        ended = granted.length;
        for (const name of inFlight) end(name, answer);
        await clock.advance(1);
        return granted.length - ended;
      };
      expect(await round()).toBe(8);
      await round(trouble);
      await clock.advance(pauseMs);
      if (pauseMs > 0) await round(); // after a 429 one request is sent alone
      const widths: number[] = [];
      for (let i = 0; i < 7; i++) widths.push(await round());
      expect(widths.slice(0, 2)).toEqual([5, 6]);
      expect(widths.slice(-2)).toEqual([8, 8]);
    },
  );

  it('are halved once where several fail at the moment they are sent', async () => {
    const { clock, ask, end, granted } = pacing({ concurrency: 8 });
    for (let i = 0; i < 16; i++) void ask(String(i));
    await clock.advance(0);
    for (let i = 0; i < 8; i++) end(String(i), null);
    await clock.advance(0);
    expect(granted).toHaveLength(8 + 4);
  });
});

describe('background calls', () => {
  it('wait until no other call waits, and keep their order and their turns between streams', async () => {
    const { clock, ask, end, granted } = pacing({ concurrency: 1 });
    const [list, bulk] = [{}, {}];
    void ask('first');
    await clock.advance(0);
    for (const name of ['bulk1', 'bulk2', 'bulk3']) void ask(name, { background: true, stream: bulk });
    for (const name of ['list1', 'list2']) void ask(name, { background: true, stream: list });
    for (const name of ['a', 'b']) void ask(name);
    for (let n = 0; n < 8; n += 1) {
      const now = granted.at(-1) ?? '';
      if (now === 'bulk1') void ask('c', { stream: bulk });
      end(now);
      await clock.advance(0);
    }
    expect(granted).toEqual(['first', 'a', 'b', 'bulk1', 'c', 'list1', 'bulk2', 'list2', 'bulk3']);
  });

  it('leave one of `concurrency` free, unless it is 1', async () => {
    for (const [concurrency, inBackground, withOthers] of [
      [5, 4, 5],
      [1, 1, 1],
    ] as const) {
      const { clock, ask, granted } = pacing({ concurrency });
      for (let n = 0; n < 9; n += 1) void ask(`background${n}`, { background: true });
      await clock.advance(0);
      expect(granted).toHaveLength(inBackground);
      for (let n = 0; n < 9; n += 1) void ask(`other${n}`);
      await clock.advance(0);
      expect(granted).toHaveLength(withOthers);
    }
  });

  it('end at their deadline and when their signal aborts, as other calls do', async () => {
    const { clock, ask, end, granted } = pacing();
    const abort = new AbortController();
    void ask('a');
    await clock.advance(0);
    end('a', told(0));
    const late = ask('late', { background: true, deadline: clock.now() + 5_000 });
    const aborted = ask('aborted', { background: true, signal: abort.signal });
    await clock.advance(5_000);
    abort.abort();
    expect(await late).toMatchObject({ failure: 'timeout', notSent: true });
    expect(await aborted).toMatchObject({ failure: 'aborted' });
    void ask('b', { background: true });
    await clock.advance(55_000);
    expect(granted).toEqual(['a', 'b']);
  });

  /** Endless background calls and another call at each interval, against a window of 180 calls a minute. */
  async function drain({ minutes, everyMs }: { minutes: number; everyMs?: (minute: number) => number }) {
    const clock = stillClock();
    const pacer = createPacer(clock);
    const start = clock.now();
    const minute = (): number => Math.floor((clock.now() - start) / 60_000);
    let [ends, used, refused] = [0, 0, 0];
    const seen = Array.from({ length: minutes + 1 }, () => ({ background: [] as number[], waited: [0] }));
    const answer = () => {
      if (clock.now() >= ends) [ends, used] = [clock.now() + 60_000, 0];
      used += 1;
      if (used > 180) refused += 1;
      const left = { 'ratelimit-remaining': String(Math.max(0, 180 - used)), 'ratelimit-reset': String(ends / 1000) };
      return { status: used > 180 ? 429 : 200, headers: left };
    };
    const call = async (background: boolean): Promise<void> => {
      const asked = clock.now();
      const turn = await pacer.turn({ background });
      if (background) seen[minute()]?.background.push(clock.now());
      else seen[Math.floor((asked - start) / 60_000)]?.waited.push(clock.now() - asked);
      await clock.sleep(100);
      const answered = answer();
      await clock.sleep(100);
      turn.done(answered);
    };
    for (let n = 0; n < 10; n += 1) {
      void (async () => {
        for (;;) await call(true);
      })();
    }
    if (everyMs) {
      void (async () => {
        for (;;) {
          await clock.sleep(everyMs(minute()));
          void call(false);
        }
      })();
    }
    await clock.advance(minutes * 60_000 - 1);
    return seen.slice(0, minutes).map(({ background, waited }) => {
      const gaps = background.slice(1).map((at, n) => at - (background[n] ?? 0));
      return {
        background: background.length,
        other: waited.length - 1,
        longestWait: Math.max(...waited),
        longestGap: Math.max(...gaps),
        refused,
      };
    });
  }

  it('spread evenly over the window of a stated quota, and use at least nine tenths of it', async () => {
    for (const { background, longestGap, refused } of await drain({ minutes: 2 })) {
      expect(background).toBeGreaterThanOrEqual(0.9 * 180);
      expect(longestGap).toBeLessThan(1_000);
      expect(refused).toBe(0);
    }
  });

  it('delay no other call by more than a second, also in the last seconds of a window', async () => {
    for (const { background, other, longestWait, refused } of await drain({ minutes: 2, everyMs: () => 7_300 })) {
      expect(background + other).toBeGreaterThanOrEqual(0.9 * 180);
      expect(other).toBeGreaterThanOrEqual(8);
      expect(longestWait).toBeLessThan(1_000);
      expect(refused).toBe(0);
    }
  });

  it('leave other calls their share and use the rest of the rate limit', async () => {
    for (const { background, other, longestWait } of await drain({ minutes: 3, everyMs: () => 500 })) {
      expect(longestWait).toBeLessThan(1_000);
      expect(background + other).toBeGreaterThanOrEqual(0.9 * 180);
    }
  });

  it('wait while other calls use the whole rate limit, and continue after that', async () => {
    const rush = (minute: number): number => (minute < 2 ? 250 : 70_000);
    const [, busy, , after] = await drain({ minutes: 4, everyMs: rush });
    expect(busy?.background).toBeLessThan(10);
    expect(after?.background).toBeGreaterThanOrEqual(0.9 * 180);
  });
});

describe('a later call', () => {
  it('does not overtake a waiting call, although the timer has not fired yet', async () => {
    const { clock, ask, end, granted } = pacing();
    void ask('a');
    await clock.advance(0);
    end('a', tooMany({ 'retry-after': '10' }));
    void ask('b');
    await clock.advance(0);
    clock.oversleep(10_500);
    void ask('c');
    await clock.advance(0);
    expect(granted).toEqual(['a', 'b']);
  });

  it('with a later deadline is rejected in time after another was', async () => {
    const { clock, ask, end } = pacing();
    void ask('a');
    await clock.advance(0);
    end('a', told(0));
    const rejected: string[] = [];
    for (const seconds of [5, 8]) {
      const deadline = clock.now() + seconds * 1000;
      void ask('b', { deadline }).then(() => rejected.push(`after ${seconds} s`));
    }
    await clock.advance(5_001);
    expect(rejected).toEqual(['after 5 s']);
    await clock.advance(3_000);
    expect(rejected).toEqual(['after 5 s', 'after 8 s']);
  });

  it('with an earlier deadline is rejected in time', async () => {
    const { clock, ask, end } = pacing();
    void ask('a');
    await clock.advance(0);
    end('a', told(0));
    void ask('patient');
    const hurried = ask('hurried', { deadline: clock.now() + 5_000 });
    let answer: unknown;
    void hurried.then((told) => (answer = told));
    await clock.advance(5_001);
    expect(answer).toMatchObject({ failure: 'timeout', notSent: true });
  });
});

describe('an aborted call', () => {
  it('leaves the concurrency unchanged where it was aborted after its turn was granted', async () => {
    const { clock, ask, granted, withdraw } = pacing();
    for (const name of ['a', 'b', 'c', 'd']) void ask(name);
    await clock.advance(0);
    for (const name of ['a', 'b', 'c', 'd']) withdraw(name);
    for (const name of ['e', 'f', 'g', 'h']) void ask(name);
    await clock.advance(0);
    expect(granted).toHaveLength(8);
  });

  it('is checked once: no timer fires repeatedly for a deadline that has passed', async () => {
    const { clock, ask, end, granted } = pacing();
    void ask('a');
    await clock.advance(0);
    end('a', told(0));
    void ask('late', { deadline: clock.now() + 5_000 });
    void ask('b');
    await clock.advance(60_000);
    expect(granted).toEqual(['a', 'b']);
    expect(clock.slept()).toBe(2); // until the deadline, and until the window ends
  });

  it('leaves no listener behind, nor does a finished call', async () => {
    const { clock, ask, end } = pacing({ concurrency: 1 });
    const listeners = new Set<() => void>();
    const signal: Signal = {
      aborted: false,
      addEventListener: (type, listener) => void (type === 'abort' && listeners.add(listener)),
      removeEventListener: (type, listener) => void (type === 'abort' && listeners.delete(listener)),
    };
    void ask('a', { signal });
    await clock.advance(0);
    void ask('b', { signal });
    void ask('late', { signal, deadline: clock.now() + 5_000 });
    expect(listeners.size).toBe(2);
    end('a');
    await clock.advance(5_000);
    expect(listeners.size).toBe(0);
  });

  it('leaves the queue at its deadline or when its signal aborts, and the others follow', async () => {
    const { clock, ask, end, granted } = pacing({ concurrency: 1 });
    const abort = new AbortController();
    void ask('a');
    await clock.advance(0);
    const late = ask('late', { deadline: clock.now() + 5_000 });
    const aborted = ask('aborted', { signal: abort.signal });
    void ask('b');
    await clock.advance(5_000);
    abort.abort();
    expect(await late).toMatchObject({ failure: 'timeout', notSent: true });
    expect(await aborted).toMatchObject({ failure: 'aborted' });
    end('a');
    await clock.advance(0);
    expect(granted).toEqual(['a', 'b']);
  });

  it('leaves no timer behind after the last call of the queue', async () => {
    const { clock, ask, end } = pacing();
    const abort = new AbortController();
    void ask('a');
    await clock.advance(0);
    end('a', tooMany({ 'retry-after': '60' }));
    const waiting = ask('b', { signal: abort.signal });
    await clock.advance(0);
    expect(clock.sleepers.size).toBe(1);
    abort.abort();
    await waiting;
    await clock.advance(0);
    expect(clock.sleepers.size).toBe(0);
  });
});

it('rejects all queued calls with the error of a host whose sleep() fails', async () => {
  const { sleep: _, ...clock } = stillClock();
  const broken = new Error('no timers here');
  const { ask, end } = asking(createPacer({ ...clock, sleep: () => Promise.reject(broken) }));
  void ask('a');
  await clock.advance(0);
  end('a', tooMany({ 'retry-after': '10' }));
  for (const error of await Promise.all([ask('b'), ask('c')]))
    expect(error).toMatchObject({ cause: broken, message: "The host's sleep() failed." });
});

it('ends the sleep of a timer that is not needed any more by its signal', async () => {
  const { sleep: _, ...clock } = stillClock();
  const signals: Signal[] = [];
  const sleep: Host['sleep'] = (_ms, signal) => {
    if (signal) signals.push(signal);
    return new Promise(() => {});
  };
  const { ask, end } = asking(createPacer({ ...clock, sleep }));
  const abort = new AbortController();
  void ask('a');
  await clock.advance(0);
  end('a', tooMany({ 'retry-after': '10' }));
  const waiting = ask('b', { signal: abort.signal });
  const [signal] = signals;
  const called: string[] = [];
  const [kept, removed] = [() => called.push('kept'), () => called.push('removed')];
  signal?.addEventListener('abort', kept);
  signal?.addEventListener('abort', removed);
  signal?.removeEventListener('abort', removed);
  expect(signal?.aborted).toBe(false);
  abort.abort();
  await waiting;
  expect(signal?.aborted).toBe(true);
  expect(called).toEqual(['kept']);
});

describe('an engine', () => {
  const busy: HostAnswer = { status: 429, headers: { 'retry-after': '30' }, body: '' };
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
