/** Bulk delivery: when a backlog is sent in bulk, what is in a batch, and when batches are confirmed. */
import { describe, expect, it, vi } from 'vitest';
import { newSignup } from '../new-signup.ts';
import { publicationId, unreachable } from '../running-relay.ts';
import { listPage, refusal, startAt, type DeliveryParts } from './parts.ts';
import { type Answer, accepted, type Test, bulk, people, fill } from './bulk-parts.ts';
import { waitUntil } from '../../../../test/support/waits.ts';

describe('a backlog', () => {
  it('is sent in bulk until fewer than ten signups are left', async () => {
    const test = bulk();
    await fill(test, 20);
    expect(await test.delivery.hasBacklog()).toBe(true);
    const take = (limit: number) =>
      test.store.claim({
        forms: ['default'],
        limit,
        now: test.clock.now,
        batch: { id: batchId, publicationId },
      });
    await take(10);
    expect(await test.delivery.hasBacklog()).toBe(true);
    await take(1);
    expect(await test.delivery.hasBacklog()).toBe(false);
    await fill(test, 19);
    test.clock.now += 5000;
    expect(await test.delivery.hasBacklog()).toBe(true);
  });

  it('is not sent in bulk while the API fails', async () => {
    const test = bulk({ create: unreachable });
    await fill(test, 30);
    expect(await test.delivery.hasBacklog()).toBe(true);
    for (let n = 0; n < 3; n += 1) await test.send();
    expect(test.lane.circuits.isFailing).toBe(true);
    expect(await test.delivery.hasBacklog()).toBe(false);
  });
});

const batchId = '018f0000-0000-7000-8000-000000000001';

describe('a batch', () => {
  it('has every signup of the backlog, claimed in several transactions, and is recorded as sent', async () => {
    const claims: number[] = [];
    const test = bulk();
    const { store } = test;
    const claim = store.claim.bind(store);
    vi.spyOn(store, 'claim').mockImplementation((each) => {
      claims.push(each.limit);
      return claim(each);
    });
    await fill(test, 450);
    expect(test.delivery.isSending).toBe(false);
    await test.delivery.startBatch();
    expect(test.delivery.isSending).toBe(true);
    // A second one does not start while the first is being sent.
    await test.delivery.startBatch();
    await test.inFlight.end();
    expect(test.delivery.isSending).toBe(false);
    expect(test.onEnd).toHaveBeenCalledOnce();
    const [sent = [], ...more] = await test.batches();
    expect(more).toEqual([]);
    const { method, url } = test.requests.at(-1) ?? {};
    expect([method, new URL(url ?? '').pathname]).toEqual([
      'POST',
      `/v2/publications/${publicationId}/bulk_subscriptions`,
    ]);
    expect(sent.toSorted()).toEqual(people(450).toSorted());
    expect(claims).toEqual([200, 200, 200]);
    expect(await store.openBatches(publicationId)).toEqual([
      { id: expect.any(String) as string, claimedAt: startAt, sentAt: startAt, open: 450 },
    ]);
    expect(test.logged.join()).toContain('"signups":450,"msg":"sent in bulk"');
  });

  it('has at most a thousand signups', async () => {
    const test = bulk();
    await fill(test, 1010);
    const claim = vi.spyOn(test.store, 'claim');
    await test.send();
    expect(claim.mock.calls.map(([{ limit }]) => limit)).toEqual([200, 200, 200, 200, 200]);
    expect((await test.batches()).map(({ length }) => length)).toEqual([1000]);
    expect(await test.store.counts()).toMatchObject({ sent: 1000, waiting: 10 });
  });

  it('has at most a million bytes; what does not fit stays in the backlog', async () => {
    const test = bulk();
    // With its comma, a request of 1250 bytes: 800 of them fit.
    const frame = JSON.stringify({ email: 'p1000@example.com', utm_content: '' }).length + 1;
    const utm_content = 'x'.repeat(1250 - frame);
    const emails = Array.from({ length: 1010 }, (_, n) => `p${1000 + n}@example.com`);
    await Promise.all(
      emails.map((email) => test.store.accept(newSignup(email, { submission: { email, utm_content } }))),
    );
    const claim = vi.spyOn(test.store, 'claim');
    await test.send();
    expect((await test.batches()).map(({ length }) => length)).toEqual([800]);
    expect(claim).toHaveBeenCalledTimes(5);
    expect(test.logged.join()).toContain('"signups":800,"msg":"sent in bulk"');
    expect(await test.store.backlog(['default'], 2000)).toBe(210);
  });

  it('is not sent without signups', async () => {
    const test = bulk();
    await test.send();
    expect(await test.batches()).toEqual([]);
    expect(await test.store.openBatches(publicationId)).toEqual([]);
    await fill(test, 20);
    expect(await test.delivery.hasBacklog()).toBe(true);
  });

  it('is in flight until its answer, and not confirmed before', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const test = bulk({ create: (request) => promise.then(() => accepted(request)) });
    await fill(test, 20);
    expect(test.inFlight.size).toBe(0);
    await test.delivery.startBatch();
    await waitUntil('the batch is in flight', async () => (await test.batches()).length === 1);
    expect(test.inFlight.size).toBe(1);
    const reads = test.requests.length;
    test.clock.now += 3_600_000;
    test.delivery.startConfirmation();
    await waitUntil('no confirmation is due', () => test.delivery.nextConfirmationAt === null);
    await waitUntil('the confirmation has ended', () => expect(test.onEnd).toHaveBeenCalledOnce());
    expect(test.requests).toHaveLength(reads);
    resolve();
    await test.inFlight.end();
    expect(test.inFlight.size).toBe(0);
    expect(await test.store.openBatches(publicationId)).toMatchObject([{ open: 20 }]);
  });

  it('closes the circuit breakers', async () => {
    let answer: Answer = () => Promise.resolve(refusal(401));
    const test = bulk({ create: (request) => answer(request) });
    await fill(test, 20);
    await test.send();
    expect(test.lane.circuits.isFailing).toBe(true);
    answer = accepted;
    await test.send();
    expect(test.lane.circuits.isFailing).toBe(false);
  });

  it('claims nothing once the relay stops', async () => {
    const test = bulk();
    await fill(test, 20);
    test.stop.abort();
    await test.send();
    expect(await test.store.counts()).toMatchObject({ waiting: 20, sent: 0 });
    expect(await test.batches()).toEqual([]);
  });

  it('goes before others only with a signup whose visitor may still wait', async () => {
    const backgrounds: (boolean | undefined)[] = [];
    const test = bulk();
    const { subscriptions } = test.lane.client;
    const create = subscriptions.bulkCreate.bind(subscriptions);
    vi.spyOn(subscriptions, 'bulkCreate').mockImplementation((params, options) => {
      backgrounds.push(options?.background);
      return create(params, options);
    });
    await fill(test, 20);
    await test.send();
    await fill(test, 20, 'x', 'other');
    await test.store.accept(newSignup('new@example.com', { receivedAt: startAt }));
    await test.send();
    expect(backgrounds).toEqual([true, false]);
  });
});

describe('the confirmation of batches', () => {
  it('is due after each batch, and then when the batch can be listed', async () => {
    const test = bulk({ options: { above: 20, lookAfterMs: 10_000 } });
    expect(test.delivery.nextConfirmationAt).toBe(0);
    await test.confirm();
    expect(test.delivery.nextConfirmationAt).toBeNull();
    await fill(test, 20);
    await test.send();
    expect(test.delivery.nextConfirmationAt).toBe(startAt);
    test.delivery.startConfirmation();
    expect([test.delivery.nextConfirmationAt, test.inFlight.size]).toEqual([null, 1]);
    await test.inFlight.end();
    expect([test.delivery.nextConfirmationAt, test.inFlight.size]).toEqual([startAt + 10_000, 0]);
    test.clock.now += 9999;
    const openBatches = vi.spyOn(test.store, 'openBatches');
    await test.confirm();
    expect(openBatches).not.toHaveBeenCalled();
    test.clock.now += 1;
    test.delivery.startConfirmation();
    test.delivery.startConfirmation();
    await test.inFlight.end();
    expect(test.requests.filter(({ method }) => method === 'GET')).toHaveLength(2);
  });

  it('reads the list half a minute after the batch, unless set otherwise', async () => {
    const test = bulk();
    await fill(test, 20);
    await test.send();
    await test.confirm();
    expect(test.delivery.nextConfirmationAt).toBe(startAt + 30_000);
  });

  /** A batch that was sent, and a list that is answered with an error from then on. */
  async function withUnreadableList(
    answer: (request: Request, parts: DeliveryParts) => Promise<Response>,
  ): Promise<Test> {
    let list: Answer = () => Promise.resolve(listPage([]));
    const test = bulk({ list: (request) => list(request) });
    await fill(test, 20);
    await test.send();
    list = (request) => answer(request, test);
    test.clock.now += 30_000;
    await test.confirm();
    return test;
  }

  it.each([
    ['an unusable key', () => Promise.resolve(refusal(401)), 3000],
    ['a Retry-After', () => Promise.resolve(refusal(403, { 'retry-after': '20' })), 20_050],
    ['a refused request', () => Promise.resolve(refusal(400)), 60_000],
  ] as const)('waits after %s', async (_case, answer, waitMs) => {
    const test = await withUnreadableList(answer);
    expect(test.delivery.nextConfirmationAt).toBe(startAt + 30_000 + waitMs);
    expect(JSON.parse(test.logged.at(-1) ?? '')).toMatchObject({
      reason: expect.stringMatching(/./) as string,
      msg: 'the list of subscriptions cannot be read to confirm what was sent in bulk',
    });
    expect(test.lane.circuits.isFailing).toBe(waitMs !== 60_000);
  });

  it('is silent where the relay stops meanwhile', async () => {
    const test = await withUnreadableList((_request, { giveUp }) => {
      giveUp.abort();
      return Promise.reject(new Error('aborted'));
    });
    expect(test.logged.join()).not.toContain('the list of subscriptions cannot be read');
    expect(test.lane.circuits.isFailing).toBe(false);
  });

  it('makes the backlog counted again, for batches that were interrupted', async () => {
    const test = bulk();
    await fill(test, 19);
    expect(await test.delivery.hasBacklog()).toBe(false);
    await test.store.accept(newSignup('one-more@example.com'));
    await test.confirm();
    expect(await test.delivery.hasBacklog()).toBe(true);
  });
});
