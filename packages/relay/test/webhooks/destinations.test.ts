/** The destinations of webhooks: concurrency, pauses, clocks, shared stores, and a stop. */
import { describe, expect, it } from 'vitest';
import { webhookClaimMs } from '../../src/store/webhook-queue.ts';
import type { WebhookAnswer } from '../../src/webhooks/post.ts';
import { waitFor, waitUntil } from '../../../../test/support/waits.ts';
import { sleepingLoops } from '../queue/sleeping-loops.ts';
import { type Answer, failing, hourMs, start, startSender, status, withCode } from './started-sender.ts';

describe('a destination', () => {
  /** Answers that the test gives one by one. */
  function pending() {
    const waiting: ((answer: WebhookAnswer) => void)[] = [];
    const answer: Answer = () => new Promise((resolve) => void waiting.push(resolve));
    return { waiting, answer };
  }

  it('gets four messages at a time', async () => {
    const test = startSender();
    await test.add(6);
    const { waiting, answer } = pending();
    test.answer = answer;
    const delivering = test.deliver();
    await waitUntil('four are in flight', () => waiting.length === 4);
    expect(test.posted).toHaveLength(4);
    waiting.shift()?.({ status: 204, headers: {} });
    await waitUntil('a fifth is in flight', () => waiting.length === 4);
    test.answer = status(204);
    for (const give of waiting) give({ status: 204, headers: {} });
    expect(await delivering).toBeNull();
    expect(test.posted).toHaveLength(6);
  });

  it('gets one message at a time while it fails', async () => {
    const test = startSender();
    await test.add(6);
    test.answer = failing(withCode('ECONNREFUSED'));
    test.now += (await test.deliver()) ?? 0;
    const { waiting, answer } = pending();
    test.answer = answer;
    test.posted.length = 0;
    const delivering = test.deliver();
    await waitUntil('one is in flight', () => waiting.length === 1);
    expect(test.posted).toHaveLength(1);
    test.answer = status(204);
    waiting.shift()?.({ status: 204, headers: {} });
    expect(await delivering).toBeNull();
    expect(test.posted).toHaveLength(6);
  });

  it('gets nothing more while more messages are in flight than it may get', async () => {
    const loops = sleepingLoops();
    const test = startSender();
    await test.add(8);
    const { waiting, answer } = pending();
    test.answer = answer;
    const delivering = test.deliver();
    await waitUntil('four are in flight', () => waiting.length === 4);
    waiting.shift()?.({ status: 302, headers: {} });
    await waitUntil('the failure is stored', async () => (await test.backlog())?.reason ?? null);
    await loops.afterWaking(() => test.sender.sendNow());
    expect(test.posted).toHaveLength(4);
    test.answer = status(204);
    for (const give of waiting) give({ status: 204, headers: {} });
    await delivering;
    expect(test.posted).toHaveLength(8);
  });

  it('gets what waits for a time far ahead, because the clock was set back', async () => {
    const test = startSender();
    await test.add();
    test.answer = status(500);
    await test.deliver();
    test.answer = status(204);
    test.now -= 3 * hourMs;
    expect(await test.deliver()).toBeNull();
    expect(test.posted).toHaveLength(2);
  });

  it('gets what waits at its time, where that is not far ahead', async () => {
    const test = startSender();
    await test.add();
    test.answer = status(503, { 'retry-after': '3600' });
    test.random = 0;
    await test.deliver();
    test.now -= hourMs;
    expect(await test.deliver()).toBe(2 * hourMs);
    expect(test.posted).toHaveLength(1);
  });

  it('gets an aborted message again, which the log does not call a failure', async () => {
    const test = startSender();
    await test.add();
    const begun = Promise.withResolvers<null>();
    test.answer = () => {
      begun.resolve(null);
      return new Promise(() => {});
    };
    test.sender.start();
    await waitFor('the message is posted', begun.promise);
    await test.sender.stop(0);
    expect(test.posted[0]?.signal.aborted).toBe(true);
    expect(test.lines()).toEqual([]);
    expect(test.events).toEqual([]);
    expect(await test.store.webhooks.nextDueAt('crm')).toBe(start + webhookClaimMs);
  });

  it('gets a message after the end of its pause, or at once by sendNow', async () => {
    const test = startSender();
    await test.add();
    test.answer = failing(withCode('ECONNREFUSED'));
    const wait = await test.deliver();
    await test.store.webhooks.resume('crm', test.now + (wait ?? 0));
    test.answer = status(204);
    // The pause still holds.
    expect(await test.deliver()).toBe(wait);
    await test.store.webhooks.pullForward('crm', test.now, 0);
    test.sender.sendNow();
    expect(await test.deliver()).toBeNull();
  });

  it('of a shared store gets what waits after another process resumed it, once each time', async () => {
    const test = startSender({ shared: true });
    await test.add(2);
    test.answer = failing(withCode('ECONNREFUSED'));
    const attempts = async (): Promise<number> => {
      test.posted.length = 0;
      await test.deliver();
      return test.posted.length;
    };
    expect(await attempts()).toBe(2);
    // The pause holds, also for what is due.
    await test.store.webhooks.pullForward('crm', test.now, 0);
    expect(await attempts()).toBe(0);
    await test.store.webhooks.resume('crm', test.now);
    expect(await attempts()).toBe(1);
    await test.store.webhooks.pullForward('crm', test.now, 0);
    expect(await attempts()).toBe(0);
    await test.store.webhooks.redrive('crm');
    test.answer = status(204);
    expect(await attempts()).toBe(2);
  });

  it('of a store that no other process uses keeps its pause', async () => {
    const test = startSender();
    await test.add();
    test.answer = failing(withCode('ECONNREFUSED'));
    await test.deliver();
    await test.store.webhooks.pullForward('crm', test.now, 0);
    test.posted.length = 0;
    await test.deliver();
    await test.store.webhooks.redrive('crm');
    await test.deliver();
    expect(test.posted).toEqual([]);
  });

  it('is set by the first delivery', async () => {
    const test = startSender();
    await test.deliver();
    expect(await test.backlog()).toMatchObject({ destination: 'crm', waiting: 0 });
  });

  it('that is gone loses its messages, and one that is held is named at the start', async () => {
    const test = startSender({ destinations: ['crm', 'sheet'] });
    await test.add(2);
    await test.store.webhooks.hold('sheet', 'The receiver answered 410.');
    await test.open(['sheet']).prepare();
    expect(test.logged).toMatchObject([
      { level: 'warn', deleted: 2, msg: 'deleted webhooks that waited for a destination which is gone' },
      {
        level: 'warn',
        destination: 'sheet',
        msg: 'webhooks are held; "newsletter-relay webhooks resume sheet" sends them',
      },
    ]);
    expect((await test.store.webhooks.overview()).map(({ destination }) => destination)).toEqual(['sheet']);
  });

  it('is set once, and again if the store failed', async () => {
    const test = startSender();
    const { setDestinations } = test.store.webhooks;
    let calls = 0;
    test.store.webhooks.setDestinations = (destinations) => {
      calls += 1;
      return calls === 1
        ? Promise.reject(new Error('the disk is full'))
        : setDestinations.call(test.store.webhooks, destinations);
    };
    await expect(test.sender.prepare()).rejects.toThrow('the disk is full');
    await test.sender.prepare();
    await test.sender.prepare();
    expect(calls).toBe(2);
    expect(test.logged).toEqual([]);
  });
});
