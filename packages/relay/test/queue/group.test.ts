/** Several queues as one: what each is told, and delivery on demand until a deadline. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../src/index.ts';
import { CallBudget } from '../../src/call-budget.ts';
import { QueueGroup, type OnDemandResult, type Queue } from '../../src/queue/group.ts';

const minuteMs = 60_000;

const queue = (changes: Partial<Queue> = {}) => ({ ...spied(), ...changes });

function spied() {
  return {
    prepare: vi.fn<NonNullable<Queue['prepare']>>(() => Promise.resolve()),
    start: vi.fn<Queue['start']>(),
    wake: vi.fn<Queue['wake']>(),
    deliver: vi.fn<Queue['deliver']>(() => Promise.resolve(null)),
    stop: vi.fn<Queue['stop']>(() => Promise.resolve()),
  };
}

/** Delivers on demand until a time. */
const deliverUntil = (members: readonly Queue[], untilMs: number): Promise<OnDemandResult> =>
  new QueueGroup(members).deliverUntil({ untilMs }, { calls: new CallBudget(), now: Date.now });

/** Works until it is ended. */
const endless: Queue['deliver'] = (ending) =>
  new Promise((resolve) => ending.addEventListener('abort', () => resolve(Date.now())));

describe('a group of queues', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('tells each of them', async () => {
    const members = [spied(), spied()];
    const group = new QueueGroup(members);
    group.start();
    group.wake();
    await group.stop(70);
    for (const { start, wake, stop } of members) {
      expect([start.mock.calls, wake.mock.calls]).toEqual([[[]], [[]]]);
      expect(stop.mock.calls).toEqual([[70]]);
    }
  });

  it('is due when the first of them is', async () => {
    const members = [queue({ deliver: () => Promise.resolve(9) }), queue(), queue({ deliver: async () => 7 })];
    expect(await deliverUntil(members, Date.now() + minuteMs)).toEqual({ nextDueAt: 7, calls: 0 });
    expect(await deliverUntil([queue()], Date.now() + minuteMs)).toEqual({ nextDueAt: null, calls: 0 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('prepares each before it delivers, although the store fails meanwhile', async () => {
    const order: string[] = [];
    const failing = queue({
      prepare: vi.fn(() => (order.push('first'), Promise.reject(new StoreUnavailableError('down')))),
      deliver: vi.fn(() => (order.push('deliver'), Promise.resolve(null))),
    });
    const { prepare: _, ...unprepared } = queue();
    const last = queue({ prepare: async () => void order.push('last') });
    await deliverUntil([failing, unprepared, last], Date.now() + minuteMs);
    expect(order).toEqual(['first', 'last', 'deliver']);
  });

  it('does not hide another failure of a preparation', async () => {
    const failing = queue({ prepare: () => Promise.reject(new Error('a defect')) });
    await expect(deliverUntil([failing], Date.now() + minuteMs)).rejects.toThrow('a defect');
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['half a minute before a deadline far away', 5 * minuteMs, 4.5 * minuteMs],
    ['half-way to a deadline that is near', 40_000, 20_000],
  ])('starts nothing more %s', async (_, untilMs, lastStartMs) => {
    const from = Date.now();
    const deliver = vi.fn(endless);
    const ended = deliverUntil([queue({ deliver })], from + untilMs);
    await vi.advanceTimersByTimeAsync(lastStartMs - 1);
    const [ending] = deliver.mock.calls[0] ?? [];
    expect(ending?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(ending?.aborted).toBe(true);
    expect(await ended).toMatchObject({ nextDueAt: from + lastStartMs });
  });

  it('returns at the deadline while something hangs', async () => {
    const from = Date.now();
    const hanging = queue({ deliver: () => new Promise(() => {}) });
    const returned = vi.fn<(result: OnDemandResult) => void>();
    void deliverUntil([hanging], from + minuteMs).then(returned);
    await vi.advanceTimersByTimeAsync(minuteMs - 1);
    expect(returned).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(returned.mock.calls).toEqual([[{ nextDueAt: from + minuteMs, calls: 0 }]]);
  });

  it('delivers for several calls one after the other', async () => {
    const deliver = vi.fn(endless);
    const group = new QueueGroup([queue({ deliver })]);
    const untilMs = Date.now() + minuteMs;
    const shared = { calls: new CallBudget(), now: Date.now };
    const deliveries = [1, 2].map(() => group.deliverUntil({ untilMs }, shared));
    await vi.advanceTimersByTimeAsync(minuteMs / 2 - 1);
    expect(deliver).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(minuteMs);
    await Promise.all(deliveries);
    expect(deliver).toHaveBeenCalledTimes(2);
  });
});
