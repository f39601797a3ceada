/** Replaces the time of this process by a virtual clock: `Date.now`, timers, and `node:timers/promises`. */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import type { VirtualClock } from './virtual.ts';

/**
 * Replaces time and timers of this process by those of the clock. Code under test runs unchanged; wrap its real work
 * (files, sockets) in {@link VirtualClock.during}.
 *
 * @returns restores the real time
 */
export function replaceTime(clock: VirtualClock): () => void {
  const real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
  };
  const realNow = Date.now;
  const realSleep = timers.setTimeout;
  Object.assign(globalThis, {
    setTimeout: (happen: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      handle(clock.after(ms, () => happen(...args))),
    clearTimeout: (timer: unknown) => cancel(timer, real.clearTimeout),
    setInterval: (happen: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      let stop = (): void => {};
      const again = (): void => {
        stop = clock.after(Math.max(1, ms), () => {
          again();
          happen(...args);
        });
      };
      again();
      return handle(() => stop());
    },
    clearInterval: (timer: unknown) => cancel(timer, real.clearInterval),
  });
  Date.now = () => Math.floor(clock.now());
  timers.setTimeout = (async (ms = 0, value?: unknown, { signal }: { signal?: AbortSignal } = {}) => {
    await clock.sleep(ms, signal);
    return value;
  }) as typeof timers.setTimeout;
  syncBuiltinESMExports();
  return () => {
    Object.assign(globalThis, real);
    Date.now = realNow;
    timers.setTimeout = realSleep;
    syncBuiltinESMExports();
  };
}

/** A timer with the used methods of Node's timers; calling it cancels the timer. */
function handle(stop: () => void) {
  const timer = Object.assign(() => stop(), {
    unref: () => timer,
    ref: () => timer,
    hasRef: () => false,
    [Symbol.dispose]: () => stop(),
  });
  return timer;
}

/** @param others - cancels timers that were started before the time was replaced */
function cancel(timer: unknown, others: (timer: never) => void): void {
  if (typeof timer === 'function') timer();
  else others(timer as never);
}
