/** The time of this process, taken from a virtual clock: `Date.now`, timers, and `node:timers/promises`. */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import type { VirtualClock } from './virtual.ts';

/**
 * Takes the time and the timers of this process from the clock until it is undone. Code under test runs unchanged;
 * wrap its real work (files, sockets) in {@link VirtualClock.during}.
 *
 * @returns undoes it
 */
export function takeTimeFrom(clock: VirtualClock): () => void {
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

/** What a timer of Node gives back, as far as it is used; it is also the function that takes it back. */
function handle(stop: () => void) {
  const timer = Object.assign(() => stop(), {
    unref: () => timer,
    ref: () => timer,
    hasRef: () => false,
    [Symbol.dispose]: () => stop(),
  });
  return timer;
}

/** @param others - takes back timers that began before the time was taken from the clock */
function cancel(timer: unknown, others: (timer: never) => void): void {
  if (typeof timer === 'function') timer();
  else others(timer as never);
}
