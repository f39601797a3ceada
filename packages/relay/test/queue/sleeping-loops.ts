/** Watches the loops of the queues: each looks for work, and sleeps until more is due or something wakes it. */
import { onTestFinished, vi } from 'vitest';
import { waitUntil } from '../../../../test/support/waits.ts';
import { WakeSignal } from '../../src/queue/worker.ts';

/** The loops of a test. */
export interface SleepingLoops {
  /** Waits until this many loops have found nothing more to start. */
  all(count?: number): Promise<void>;
  /** Wakes the loops, and waits until this many have looked for work again. */
  afterWaking(wake: () => void, count?: number): Promise<void>;
}

/** Call it before the loops start. */
export function sleepingLoops(): SleepingLoops {
  const asleep = new Set<WakeSignal>();
  const { wait } = WakeSignal.prototype;
  const watched = vi.spyOn(WakeSignal.prototype, 'wait').mockImplementation(async function (this: WakeSignal, ms) {
    if (!this.isPending) asleep.add(this);
    await wait.call(this, ms);
    asleep.delete(this);
  });
  onTestFinished(() => watched.mockRestore());
  const all = (count = 1) => waitUntil(`${count} loops sleep`, () => asleep.size === count);
  return {
    all,
    async afterWaking(wake, count) {
      asleep.clear();
      wake();
      await all(count);
    },
  };
}
