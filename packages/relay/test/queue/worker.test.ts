/** The worker of a queue: its loop, the tasks beside it, its writes, work on demand, and its stop. */
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LoopGroup, QueueWorker, type QueueWork, WakeSignal } from '../../src/queue/worker.ts';
import { StoreUnavailableError } from '../../src/index.ts';
import { StoreHealth } from '../../src/health.ts';

const minuteMs = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function worker(
  startDue: QueueWork['startDue'] = () => Promise.resolve(null),
  { shared = false, openForMs = () => 0 }: { readonly shared?: boolean; readonly openForMs?: () => number } = {},
) {
  const due = vi.fn(startDue);
  const events: string[] = [];
  const health = new StoreHealth({
    store: { probe: () => Promise.resolve() },
    log: pino({ level: 'silent' }),
    onEvent: ({ type }) => void events.push(type),
    now: Date.now,
  });
  const queue = new QueueWorker({ health, now: Date.now, store: { shared } }, { openForMs, startDue: due });
  return { queue, due, events };
}

/** A task that ends when `end` is called. */
function task() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, end: resolve };
}

describe('a started worker', () => {
  it('has one loop, which runs again when it is woken and when a task ends', async () => {
    const { queue, due } = worker();
    const { promise, end } = task();
    queue.start();
    queue.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(due).toHaveBeenCalledTimes(1);
    queue.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(due).toHaveBeenCalledTimes(2);
    queue.inFlight.add(promise);
    end();
    await vi.advanceTimersByTimeAsync(0);
    expect(due).toHaveBeenCalledTimes(3);
    await queue.stop(0);
  });

  it.each([
    ['at the time of the next due signup', 500, false, 500],
    ['at once for a signup that is overdue', -500, false, 0],
    ['after a minute where nothing is known to be due', null, false, minuteMs],
    ['after a minute for a signup that is due later', 2 * minuteMs, false, minuteMs],
    ['after a second where other relays share the store', null, true, 1000],
    ['after a second in a shared store for a signup that is due later', 5000, true, 1000],
    ['earlier than a second in a shared store for a signup that is due earlier', 300, true, 300],
  ])('runs %s', async (_case, untilNextMs, shared, expectedMs) => {
    const { queue, due } = worker(() => Promise.resolve(untilNextMs), { shared });
    queue.start();
    await vi.advanceTimersByTimeAsync(Math.max(0, expectedMs - 1));
    if (expectedMs > 0) expect(due).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(due.mock.calls.length).toBeGreaterThanOrEqual(2);
    await queue.stop(0);
  });

  it('runs at once when it is woken, also between two waits', async () => {
    const { queue, due } = worker();
    queue.start();
    queue.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(due).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(minuteMs - 1);
    expect(due).toHaveBeenCalledTimes(2);
    await queue.stop(0);
  });

  it.each([
    [750, 750],
    [2 * minuteMs, minuteMs],
  ])('starts nothing while a circuit breaker is open for %i ms, and looks again after %i ms', async (pause, again) => {
    const openForMs = vi.fn<() => number>(() => 0).mockReturnValueOnce(pause);
    const { queue, due } = worker(undefined, { openForMs });
    queue.start();
    await vi.advanceTimersByTimeAsync(again - 1);
    expect(due).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(due).toHaveBeenCalledOnce();
    await queue.stop(0);
  });

  it('tries again a second after the store failed, and reports failure and recovery', async () => {
    const { queue, due, events } = worker();
    due.mockRejectedValueOnce(new StoreUnavailableError('The disk is full.'));
    queue.start();
    await vi.advanceTimersByTimeAsync(999);
    expect(due).toHaveBeenCalledTimes(1);
    expect(events).toEqual(['failing']);
    await vi.advanceTimersByTimeAsync(1);
    expect(due).toHaveBeenCalledTimes(2);
    expect(events).toEqual(['failing', 'works']);
    await queue.stop(0);
  });
});

describe('a write', () => {
  it.each([
    ['the store fails', new StoreUnavailableError('The disk is full.'), ['failing', 'works']],
    ['a defect ended it', new RangeError('a defect'), []],
  ])('is repeated where %s', async (_case, error, told) => {
    const { queue, events } = worker();
    const write = vi.fn<() => Promise<string>>(() => Promise.resolve('written')).mockRejectedValueOnce(error);
    const written = queue.write(write);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await written).toBe('written');
    expect(write).toHaveBeenCalledTimes(2);
    expect(events).toEqual(told);
  });
});

describe('work on demand', () => {
  const never = new AbortController().signal;

  it('ends with the time of the next task', async () => {
    const { queue } = worker(() => Promise.resolve(700));
    expect(await queue.deliver(never, new LoopGroup())).toBe(Date.now() + 700);
  });

  it('ends after the tasks in flight, and looks again for what is due then', async () => {
    const { queue, due } = worker();
    const { promise, end } = task();
    queue.inFlight.add(promise);
    const ended = vi.fn<() => void>();
    const delivered = queue.deliver(never, new LoopGroup()).finally(ended);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ended).not.toHaveBeenCalled();
    end();
    expect(await delivered).toBeNull();
    expect(due).toHaveBeenCalledTimes(2);
  });

  it('looks again at once where more is due', async () => {
    const { queue, due } = worker();
    due.mockResolvedValueOnce(0);
    const delivered = queue.deliver(never, new LoopGroup());
    await vi.advanceTimersByTimeAsync(0);
    expect(due).toHaveBeenCalledTimes(2);
    expect(await delivered).toBeNull();
  });

  it('ends with its time, after the tasks in flight, and is due again at once', async () => {
    const { queue, due } = worker(() => Promise.resolve(5000));
    const { promise, end } = task();
    queue.inFlight.add(promise);
    const ending = new AbortController();
    const ended = vi.fn<() => void>();
    const delivered = queue.deliver(ending.signal, new LoopGroup()).finally(ended);
    await vi.advanceTimersByTimeAsync(1000);
    ending.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).not.toHaveBeenCalled();
    end();
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toHaveBeenCalled();
    expect(await delivered).toBe(Date.now());
    expect(due).toHaveBeenCalledTimes(1);
  });

  it('ends with its time at once while another loop of its group has work', async () => {
    const { queue } = worker();
    const group = new LoopGroup();
    group.work(new WakeSignal());
    const ending = new AbortController();
    const ended = vi.fn<() => void>();
    void queue.deliver(ending.signal, group).finally(ended);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ended).not.toHaveBeenCalled();
    ending.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toHaveBeenCalled();
  });

  it('goes on while another loop of its group has work, and looks again for what is due then', async () => {
    const { queue, due } = worker();
    const group = new LoopGroup();
    const other = new WakeSignal();
    group.work(other);
    const ended = vi.fn<() => void>();
    const delivered = queue.deliver(never, group).finally(ended);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ended).not.toHaveBeenCalled();
    expect(group.rest(other)).toBe(true);
    expect(await delivered).toBeNull();
    expect(due).toHaveBeenCalledTimes(2);
  });
});

describe('the stop of a worker', () => {
  it('wakes its loop, and waits for the tasks in flight', async () => {
    const { queue, due } = worker();
    const { promise, end } = task();
    queue.start();
    await vi.advanceTimersByTimeAsync(0);
    queue.inFlight.add(promise);
    const stopped = queue.stop(5000);
    await vi.advanceTimersByTimeAsync(4999);
    expect(queue.givenUp.aborted).toBe(false);
    end();
    await stopped;
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([due.mock.calls.length, queue.givenUp.aborted]).toEqual([1, false]);
  });

  it('gives tasks up that last longer than the grace period', async () => {
    const { queue } = worker();
    const { promise, end } = task();
    queue.givenUp.addEventListener('abort', () => end());
    queue.inFlight.add(promise);
    const stopped = queue.stop(5000);
    await vi.advanceTimersByTimeAsync(5000);
    await stopped;
    expect(queue.givenUp.aborted).toBe(true);
  });

  it('ends the repetition of failed writes', async () => {
    const { queue } = worker();
    const write = vi.fn(() => Promise.reject(new StoreUnavailableError('The disk is full.')));
    await queue.stop(0);
    expect(await queue.write(write)).toBeUndefined();
    expect(write).toHaveBeenCalledOnce();
  });
});
