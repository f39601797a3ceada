/** The pacer: what a 429 and the headers of the quota mean for queued and later calls. */
import { describe, expect, it } from 'vitest';
import { createPacer, type Host, type Signal, type Turn } from '../../src/engine/index.ts';
import { ok, tooMany, told, stillClock, asking, pacing } from './still-clock.ts';

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
