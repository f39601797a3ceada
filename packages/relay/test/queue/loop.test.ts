/** The loop of a delivery: when it starts due work, and how it repeats a failed write. */
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InFlight, runLoop, StoreWriter, WakeSignal, type LoopOptions } from '../../src/queue/worker.ts';
import { StoreHealth } from '../../src/health.ts';
import { StoreUnavailableError } from '../../src/index.ts';
import { waitUntil } from '../../../../test/support/waits.ts';

const minuteMs = 60_000;

function health(events: string[] = []): StoreHealth {
  return new StoreHealth({
    store: { probe: () => Promise.resolve() },
    log: pino({ level: 'silent' }),
    onEvent: ({ type }) => void events.push(type),
    now: Date.now,
  });
}

describe('a loop', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function started(changes: Partial<LoopOptions> = {}) {
    const events: string[] = [];
    const stop = new AbortController();
    const wakeSignal = new WakeSignal();
    const startDue = vi.fn<LoopOptions['startDue']>(() => Promise.resolve(null));
    const options = {
      wakeSignal,
      stopping: stop.signal,
      health: health(events),
      isShared: false,
      openForMs: () => 0,
      startDue,
      ...changes,
    };
    const ended = runLoop(options);
    return {
      startDue,
      events,
      wakeSignal,
      async end() {
        stop.abort();
        wakeSignal.notify();
        await ended;
      },
    };
  }

  it.each([
    ['at the time of the next due signup', 500, false, 500],
    ['at once for a signup that is overdue', -500, false, 0],
    ['after a minute where nothing is known to be due', null, false, minuteMs],
    ['after a minute for a signup that is due later', 2 * minuteMs, false, minuteMs],
    ['after a second where other relays share the store', null, true, 1000],
    ['after a second in a shared store for a signup that is due later', 5000, true, 1000],
    ['earlier than a second in a shared store for a signup that is due earlier', 300, true, 300],
  ])('runs %s', async (_case, untilNextMs, isShared, expectedMs) => {
    const startDue = vi.fn<LoopOptions['startDue']>(() => Promise.resolve(untilNextMs));
    const loop = started({ isShared, startDue });
    await vi.advanceTimersByTimeAsync(Math.max(0, expectedMs - 1));
    if (expectedMs > 0) expect(startDue).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(startDue.mock.calls.length).toBeGreaterThanOrEqual(2);
    await loop.end();
  });

  it('runs at once when it is woken, also between two waits', async () => {
    const loop = started();
    loop.wakeSignal.notify();
    await vi.advanceTimersByTimeAsync(0);
    expect(loop.startDue).toHaveBeenCalledTimes(2);
    loop.wakeSignal.notify();
    await vi.advanceTimersByTimeAsync(0);
    expect(loop.startDue).toHaveBeenCalledTimes(3);
    await vi.advanceTimersByTimeAsync(minuteMs - 1);
    expect(loop.startDue).toHaveBeenCalledTimes(3);
    await loop.end();
  });

  it.each([
    [750, 750],
    [2 * minuteMs, minuteMs],
  ])('starts nothing while a circuit breaker is open for %i ms, and looks again after %i ms', async (pause, again) => {
    const openForMs = vi.fn<() => number>(() => 0).mockReturnValueOnce(pause);
    const loop = started({ openForMs });
    await vi.advanceTimersByTimeAsync(again - 1);
    expect(loop.startDue).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(loop.startDue).toHaveBeenCalledOnce();
    await loop.end();
  });

  it('tries again a second after the store failed, and reports failure and recovery', async () => {
    const startDue = vi
      .fn<LoopOptions['startDue']>(() => Promise.resolve(null))
      .mockRejectedValueOnce(new StoreUnavailableError('The disk is full.'));
    const loop = started({ startDue });
    await vi.advanceTimersByTimeAsync(999);
    expect(startDue).toHaveBeenCalledTimes(1);
    expect(loop.events).toEqual(['failing']);
    await vi.advanceTimersByTimeAsync(1);
    expect(startDue).toHaveBeenCalledTimes(2);
    expect(loop.events).toEqual(['failing', 'works']);
    await loop.end();
  });

  it('starts nothing more once it is stopped', async () => {
    const loop = started();
    await vi.advanceTimersByTimeAsync(0);
    await loop.end();
    await vi.advanceTimersByTimeAsync(2 * minuteMs);
    expect(loop.startDue).toHaveBeenCalledTimes(1);
  });

  it('leaves no timer behind when it is woken', async () => {
    const signal = new WakeSignal();
    const waited = signal.wait(minuteMs);
    signal.notify();
    await waited;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the tasks in flight', () => {
  it('are counted until they end, and each end is reported', async () => {
    const onEnd = vi.fn<() => void>();
    const tasks = new InFlight(onEnd);
    const { promise, resolve } = Promise.withResolvers<void>();
    tasks.add(promise);
    tasks.add(Promise.resolve());
    expect(tasks.size).toBe(2);
    await waitUntil('one has ended', () => tasks.size === 1);
    expect(onEnd).toHaveBeenCalledOnce();
    let hasEnded = false;
    const ended = tasks.end().then(() => (hasEnded = true));
    await Promise.resolve();
    expect(hasEnded).toBe(false);
    resolve();
    await ended;
    expect(tasks.size).toBe(0);
    expect(onEnd).toHaveBeenCalledTimes(2);
  });
});

describe('the writer of outcomes', () => {
  it('repeats a write until the store accepts it', async () => {
    const events: string[] = [];
    const writer = new StoreWriter({ health: health(events), stopping: new AbortController().signal });
    const write = vi
      .fn<() => Promise<string>>(() => Promise.resolve('written'))
      .mockRejectedValueOnce(new StoreUnavailableError('The disk is full.'));
    expect(await writer.write(write)).toBe('written');
    expect(write).toHaveBeenCalledTimes(2);
    expect(events).toEqual(['failing', 'works']);
  });

  it('gives up a failed write when the relay stops', async () => {
    const writer = new StoreWriter({ health: health(), stopping: AbortSignal.abort() });
    const write = vi.fn<() => Promise<void>>(() => Promise.reject(new StoreUnavailableError('The disk is full.')));
    expect(await writer.write(write)).toBeUndefined();
    expect(write).toHaveBeenCalledOnce();
  });

  it('repeats a write that a defect ended, and reports no failure of the store', async () => {
    const events: string[] = [];
    const writer = new StoreWriter({ health: health(events), stopping: new AbortController().signal });
    const write = vi
      .fn<() => Promise<string>>(() => Promise.resolve('written'))
      .mockRejectedValueOnce(new RangeError('a defect'));
    expect(await writer.write(write)).toBe('written');
    expect(events).toEqual([]);
  });
});
