/** The queue of deliveries: lanes per publication and API key, their circuit breakers, concurrency and pauses. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DeliveryQueue, type DeliveryQueueOptions } from '../../src/delivery/queue.ts';
import { decideRetry } from '../../src/queue/retry.ts';
import type { Client } from '@newsletter-kit/core';
import type { RelayEvent } from '../../src/events.ts';
import type { Form, SignupStore } from '../../src/index.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { newSignup } from '../new-signup.ts';
import { type SleepingLoops, sleepingLoops } from '../queue/sleeping-loops.ts';
import { deliveryParts, listed, listPage, refusal, startAt, type DeliveryParts } from './parts.ts';

type Answer = (request: Request) => Promise<Response>;

const created: Answer = () => Promise.resolve(Response.json({ data: listed('x@example.com', 0) }));
const accepted: Answer = (request) =>
  request.method === 'GET'
    ? Promise.resolve(listPage([]))
    : Promise.resolve(Response.json({ message: 'Accepted.', import_id: 'import-1' }));
const hanging: Answer = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
const publication = (n: number): string => `pub_00000000-0000-4000-8000-00000000000${n}`;

/** Forms by name, each with a publication and a key: `{ shop: [1, 'key-1'] }`. */
type FormParts = Readonly<Record<string, readonly [publication: number, apiKey: string]>>;

interface Test extends DeliveryParts {
  readonly queue: DeliveryQueue;
  readonly clientOf: ReturnType<typeof vi.fn<(apiKey: string) => Client>>;
  /** The loops of its lanes. */
  readonly loops: SleepingLoops;
  /** Stores signups of a form. */
  accept(form: string, count?: number): Promise<void>;
  counts: SignupStore['counts'];
}

function dispatch(
  answer: Answer = created,
  forms: FormParts = { default: [1, 'key-1'] },
  change: Partial<SignupStore> = {},
  { bulkAbove, ...more }: DeliveryQueueOptions & { readonly bulkAbove?: number | null } = {},
): Test {
  const parts = deliveryParts(answer, change);
  const { store, lane } = parts;
  const [pattern] = Object.values(lane.forms);
  if (!pattern) throw new Error('The environment makes a form.');
  const clientOf = vi.fn<(apiKey: string) => Client>(() => lane.client);
  const config = {
    ...lane.config,
    ...(bulkAbove !== undefined && { delivery: { ...lane.config.delivery, bulkAbove } }),
    forms: Object.fromEntries(
      Object.entries(forms).map(([name, [n, apiKey]]): [string, Form] => [
        name,
        { ...pattern, name, apiKey, publicationId: publication(n) },
      ]),
    ),
  };
  const queue = new DeliveryQueue({ ...lane, config }, clientOf, {
    ...(bulkAbove === undefined && { bulk: null }),
    ...more,
  });
  const loops = sleepingLoops();
  onTestFinished(() => queue.stop(0));
  let accepted = 0;
  return {
    ...parts,
    queue,
    loops,
    clientOf,
    async accept(form, count = 1) {
      for (let n = 0; n < count; n += 1) {
        accepted += 1;
        await store.accept(newSignup(`p${accepted}@example.com`, { form, receivedAt: parts.clock.now }));
      }
    },
    counts: () => store.counts(),
  };
}

const delivered = ({ counts }: Test, count: number) =>
  waitUntil(`${count} are delivered`, async () => (await counts()).delivered === count);

describe('the lanes of the queue', () => {
  it('deliver each form to its publication, with one client per API key', async () => {
    const test = dispatch(created, { shop: [1, 'key-1'], blog: [2, 'key-1'], club: [3, 'key-2'], news: [1, 'key-1'] });
    for (const form of ['shop', 'blog', 'club', 'news']) await test.accept(form);
    test.queue.start();
    await delivered(test, 4);
    expect(test.requests.map(({ url }) => new URL(url).pathname.split('/')[3]).toSorted()).toEqual(
      [1, 1, 2, 3].map(publication),
    );
    expect(test.clientOf.mock.calls).toEqual([['key-1'], ['key-2']]);
  });

  it.each<[event: RelayEvent, times: number]>([
    [{ type: 'accepted', form: 'default', suspectedBecause: null, needsConfirmation: false, tookMs: 1 }, 1],
    [{ type: 'accepted', form: 'default', suspectedBecause: null, needsConfirmation: true, tookMs: 1 }, 0],
    [{ type: 'confirmed', form: 'default', waitedMs: 1 }, 1],
  ])('are woken by %j: %i times', async (event, times) => {
    const test = dispatch();
    const wake = vi.spyOn(test.queue, 'wake');
    test.lane.events.emit(event);
    expect(wake).toHaveBeenCalledTimes(times);
  });

  it.each([
    [10, accepted, 'bulk_subscriptions'],
    [null, created, 'subscriptions'],
  ])('with bulk delivery above %s post to %3$s', async (bulkAbove, answer, path) => {
    const test = dispatch(answer, undefined, {}, { bulkAbove });
    await test.accept('default', 10);
    test.queue.start();
    await waitUntil('all are sent', async () => (await test.counts()).waiting === 0);
    const posts = test.requests.filter(({ method }) => method === 'POST');
    expect(new Set(posts.map(({ url }) => new URL(url).pathname.split('/').at(-1)))).toEqual(new Set([path]));
  });

  it('deliver a due retry without being woken', async () => {
    let answer: Answer = () => Promise.resolve(refusal(503));
    const test = dispatch((request) => answer(request), undefined, {}, { backoff: { firstMs: 40 } });
    const ticking = setInterval(() => (test.clock.now += 10), 10);
    onTestFinished(() => clearInterval(ticking));
    await test.accept('default');
    test.queue.start();
    await waitUntil('the first attempt failed', () => test.events.length === 1);
    answer = (request) =>
      request.method === 'GET'
        ? Promise.resolve(Response.json({ data: [], limit: 1, has_more: false, next_cursor: null }))
        : created(request);
    await delivered(test, 1);
  });

  it.each([
    [undefined, 5],
    [2, 2],
  ])('with the concurrency %s have at most %i deliveries in flight', async (concurrency, expected) => {
    let inFlight = 0;
    const counted: number[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const test = dispatch(
      async (request) => {
        counted.push((inFlight += 1));
        await promise;
        inFlight -= 1;
        return created(request);
      },
      undefined,
      {},
      { concurrency },
    );
    await test.accept('default', 12);
    test.queue.start();
    await waitUntil('as many as allowed are in flight', () => inFlight === expected);
    const nextDueAt = vi.spyOn(test.store, 'nextDueAt');
    await test.loops.afterWaking(() => test.queue.wake());
    expect(inFlight).toBe(expected);
    // It sleeps until a delivery ends: nothing more can start before.
    expect(nextDueAt).not.toHaveBeenCalled();
    resolve();
    await delivered(test, 12);
    expect(Math.max(...counted)).toBe(expected);
  });

  it('send nothing while delivery is paused', async () => {
    const test = dispatch();
    await test.store.setPaused(true);
    await test.accept('default');
    test.queue.start();
    await test.loops.all();
    expect(test.requests).toEqual([]);
    await test.store.setPaused(false);
    test.queue.wake();
    await delivered(test, 1);
  });

  it.each([
    [5 * 60_000, 0],
    [5 * 60_000 + 1, 1],
  ])('shorten waits after the clock was set back by %i ms: %i times', async (backMs, times) => {
    const test = dispatch();
    const pullForward = vi.spyOn(test.store, 'pullForward');
    test.queue.start();
    await test.loops.all();
    test.clock.now -= backMs;
    await test.loops.afterWaking(() => test.queue.wake());
    expect(pullForward.mock.calls).toEqual(times === 0 ? [] : [[startAt - backMs, 2 * 3_600_000]]);
  });

  it('count the backlog again after the clock was set back', async () => {
    const test = dispatch(accepted, undefined, {}, { bulk: { above: 10 } });
    test.queue.start();
    await test.loops.all();
    await test.accept('default', 10);
    test.clock.now -= 3_600_000;
    test.queue.wake();
    await waitUntil('the backlog is sent', async () => (await test.counts()).sent === 10);
    expect(test.requests.map(({ url }) => new URL(url).pathname.split('/').at(-1))).toContain('bulk_subscriptions');
  });

  it('start no single delivery while a batch is being sent', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const test = dispatch((request) => promise.then(() => accepted(request)), undefined, {}, { bulk: { above: 10 } });
    await test.accept('default', 10);
    const nextDueAt = vi.spyOn(test.store, 'nextDueAt');
    test.queue.start();
    await waitUntil('the batch is being sent', () => test.requests.length === 1);
    await test.loops.afterWaking(() => test.queue.wake());
    expect(nextDueAt).not.toHaveBeenCalled();
    resolve();
    await waitUntil('the batch is sent', async () => (await test.counts()).sent === 10);
  });

  const longestMs = 2 * 3_600_000;

  it.each([
    [longestMs, 0],
    [longestMs + 1, 1],
  ])('make due what waits for %i ms, if that is longer than any pause: %i times', async (waitMs, times) => {
    const test = dispatch();
    const { store } = test;
    await test.accept('default');
    const [claimed] = await store.claim({ forms: ['default'], limit: 1, now: startAt });
    const nextAttemptAt = startAt + waitMs;
    const outcome = { state: 'waiting', at: startAt, nextAttemptAt, reason: 'x', tried: false } as const;
    await store.settle([claimed?.id ?? ''], outcome);
    const pullForward = vi.spyOn(store, 'pullForward');
    test.queue.start();
    await test.loops.all();
    if (times > 0) await delivered(test, 1);
    await test.loops.afterWaking(() => test.queue.wake());
    expect(pullForward.mock.calls).toEqual(times === 0 ? [] : [[startAt, longestMs]]);
    expect(test.requests).toHaveLength(times);
  });
});

describe('the circuit breakers of a dispatcher', () => {
  const forms: FormParts = { shop: [1, 'key-1'], blog: [2, 'key-1'], club: [1, 'key-2'], news: [3, 'key-3'] };
  const opened = ({ events }: Test) => events.filter(({ type }) => type === 'failing');

  it.each([
    [401, 'API key of the form "shop"', ['shop', 'blog'], true],
    [404, `publication ${publication(1)}`, ['shop', 'club'], true],
    [429, 'API key of the form "shop"', ['shop', 'blog'], false],
  ])('after status %i pause the forms of %s', async (status, scope, affected, needsOperator) => {
    let refuses = true;
    const test = dispatch((request) => {
      if (!refuses) return created(request);
      refuses = false;
      return Promise.resolve(refusal(status));
    }, forms);
    await test.accept('shop');
    test.queue.start();
    await waitUntil('the circuit breaker is open', () => opened(test).length === 1);
    expect(opened(test)).toEqual([
      {
        type: 'failing',
        what: 'api',
        scope,
        forms: affected,
        status,
        reason: expect.any(String) as string,
        needsOperator,
      },
    ]);
    const line = test.logged.find((text) => text.includes('the API takes no signups; they are kept and wait'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      level: needsOperator ? 50 : 40,
      scope,
      cause: `status ${status}`,
    });

    for (const form of Object.keys(forms)) await test.accept(form);
    test.queue.wake();
    const others = Object.keys(forms).filter((form) => !affected.includes(form));
    await delivered(test, others.length);
    expect((await test.store.list({ states: ['delivered'] }, { limit: 10 })).map(({ form }) => form)).toEqual(
      expect.arrayContaining(others),
    );

    test.clock.now += 60_000;
    test.queue.wake();
    await delivered(test, 5);
    expect(test.events).toContainEqual({ type: 'works', what: 'api', scope });
    const closed = test.logged.find((text) => text.includes('the API takes signups again'));
    expect(JSON.parse(closed ?? '{}')).toMatchObject({ level: 30, scope });
  });

  it('open by a failure that was found outside of a delivery', async () => {
    const test = dispatch(created, forms);
    const failure = decideRetry(new Error('defect'));
    if (failure.kind !== 'retry') throw new Error('An unknown error is retried.');
    test.queue.refused('news', { ...failure, scope: 'key' });
    test.queue.refused('unknown', { ...failure, scope: 'key' });
    expect(opened(test)).toMatchObject([{ scope: 'API key of the form "news"', forms: ['news'] }]);
    await test.accept('news');
    await test.accept('shop');
    test.queue.start();
    await delivered(test, 1);
    expect(test.requests).toHaveLength(1);
  });

  it('let the lane sleep while they are open', async () => {
    const test = dispatch(() => Promise.resolve(refusal(401)));
    await test.accept('default');
    const paused = vi.spyOn(test.store, 'paused');
    test.queue.start();
    await waitUntil('the circuit breaker is open', () => opened(test).length === 1);
    await test.accept('default');
    const before = paused.mock.calls.length;
    await test.loops.afterWaking(() => test.queue.wake());
    expect(paused.mock.calls.length).toBe(before);
  });

  it('stop a delivery that is about to start', async () => {
    const failure = decideRetry(new Error('defect'));
    if (failure.kind !== 'retry') throw new Error('An unknown error is retried.');
    const test: Test = dispatch(created, undefined, {
      paused() {
        test.queue.refused('default', { ...failure, scope: 'key' });
        return Promise.resolve(false);
      },
    });
    await test.accept('default');
    test.queue.start();
    await test.loops.all();
    expect(test.requests).toEqual([]);
  });

  it('start nothing while more deliveries are in flight than are allowed now', async () => {
    let refusals = 1;
    const test = dispatch((request) => (refusals-- > 0 ? Promise.resolve(refusal(401)) : hanging(request)));
    await test.accept('default', 3);
    test.queue.start();
    await waitUntil('the circuit breaker is open', () => opened(test).length === 1);
    await test.accept('default', 3);
    test.clock.now += 60_000;
    await test.loops.afterWaking(() => test.queue.wake());
    expect(test.requests).toHaveLength(3);
  });

  it('allow one delivery at a time until one succeeds', async () => {
    let failures = 1;
    let inFlight = 0;
    const counted: number[] = [];
    const test: Test = dispatch(async (request) => {
      counted.push((inFlight += 1));
      await test.loops.afterWaking(() => test.queue.wake());
      inFlight -= 1;
      if (failures === 0) return created(request);
      failures -= 1;
      return refusal(401);
    });
    await test.accept('default');
    test.queue.start();
    await waitUntil('the circuit breaker is open', () => opened(test).length === 1);
    await test.accept('default', 3);
    test.clock.now += 60_000;
    test.queue.wake();
    await delivered(test, 4);
    expect(counted.slice(0, 2)).toEqual([1, 1]);
  });
});
