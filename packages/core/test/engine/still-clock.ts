/** A host whose clock moves only as far as calls sleep, and calls through a pacer on it. */
import { createPacer, TransportError, type Host, type Pacer, type Turn } from '../../src/engine/index.ts';

export const ok = { status: 200, headers: {} };

export const tooMany = (headers: Record<string, string> = {}) => ({ status: 429, headers });

export const told = (remaining: number, seconds = 60) => ({
  status: 200,
  headers: {
    'ratelimit-limit': '4',
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(Date.UTC(2026, 0, 1) / 1000 + seconds),
  },
});

/** A clock that moves only when told to; sleepers wake in order. */
export function stillClock() {
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
export function asking(pacer: Pacer) {
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

export function pacing(options: { concurrency?: number } = {}) {
  const clock = stillClock();
  return { clock, ...asking(createPacer(clock, options)) };
}
