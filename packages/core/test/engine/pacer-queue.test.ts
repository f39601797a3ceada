/** The queue of the pacer: background calls after others, and aborted calls. */
import { describe, expect, it } from 'vitest';
import { createPacer, type Signal } from '../../src/engine/index.ts';
import { tooMany, told, stillClock, pacing } from './still-clock.ts';

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

  it.each([false, true])(
    'leaves the queue at its deadline or when its signal aborts, and the others follow; in the background: %s',
    async (background) => {
      const { clock, ask, end, granted } = pacing({ concurrency: 1 });
      const abort = new AbortController();
      void ask('a');
      await clock.advance(0);
      const late = ask('late', { background, deadline: clock.now() + 5_000 });
      const aborted = ask('aborted', { background, signal: abort.signal });
      void ask('b', { background });
      await clock.advance(5_000);
      abort.abort();
      expect(await late).toMatchObject({ failure: 'timeout', notSent: true });
      expect(await aborted).toMatchObject({ failure: 'aborted' });
      end('a');
      await clock.advance(0);
      expect(granted).toEqual(['a', 'b']);
    },
  );

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
