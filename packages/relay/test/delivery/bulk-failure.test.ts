/** Bulk delivery: what follows a batch that the API refuses, or that fails. */
import { describe, expect, it } from 'vitest';
import { type SignupStore, StoreUnavailableError } from '../../src/index.ts';
import { publicationId, unreachable } from '../running-relay.ts';
import { refusal, startAt } from './parts.ts';
import { type Answer, accepted, bulk, fill } from './bulk-parts.ts';

it('takes fewer signups after a claim that the store could not answer, and says so', async () => {
  const limits: number[] = [];
  const test = bulk({
    change: {
      claim(this: SignupStore, claim) {
        limits.push(claim.limit);
        return claim.limit > 60 ? Promise.reject(new StoreUnavailableError('too slow')) : this.claim(claim);
      },
    },
  });
  await fill(test, 70);
  for (let n = 0; n < 3; n += 1) await test.send();
  expect(limits).toEqual([200, 100, 50, 50]);
  expect((await test.batches()).map((batch) => batch.length)).toEqual([70]);
  expect(test.logged.join('')).toContain('the store did not hand out a backlog; fewer are taken');
});

describe('a batch that the API refuses', () => {
  it('is dissolved: its signups wait to be sent alone, and bulk creation is avoided for longer each time', async () => {
    const test = bulk({ create: () => Promise.resolve(refusal(400)) });
    await fill(test, 30);
    for (const pauseMs of [5000, 10_000, 20_000, 40_000, 80_000]) {
      expect(await test.delivery.hasBacklog()).toBe(true);
      await test.send();
      expect(await test.delivery.hasBacklog()).toBe(false);
      await fill(test, 30, `after ${pauseMs}`);
      test.clock.now += pauseMs - 1;
      expect(await test.delivery.hasBacklog()).toBe(false);
      test.clock.now += 1;
    }
    expect(await test.store.openBatches(publicationId)).toEqual([]);
    const claimed = await test.store.claim({ forms: ['default'], limit: 1000, now: test.clock.now });
    expect(claimed.length).toBeGreaterThan(0);
    expect(claimed.every(({ tried }) => !tried)).toBe(true);
    expect(JSON.parse(test.logged[0] ?? '')).toMatchObject({
      reason: expect.stringContaining('No (X)') as string,
      signups: 30,
      msg: 'refused in bulk; each goes alone',
    });
    expect(test.lane.circuits.isFailing).toBe(false);
    for (let n = 0; n < 10; n += 1) await test.send();
    test.clock.now += 30 * 60_000;
    await fill(test, 30, 'last');
    expect(await test.delivery.hasBacklog()).toBe(true);
  });

  it('is followed by the whole pause, also after a confirmation, and by the configured number', async () => {
    const test = bulk({ create: () => Promise.resolve(refusal(400)) });
    await fill(test, 30);
    await test.send();
    await fill(test, 19, 'x', 'after');
    test.clock.now += 5000;
    expect(await test.delivery.hasBacklog()).toBe(false);
    await fill(test, 1, 'x', 'more');
    await test.confirm();
    expect(await test.delivery.hasBacklog()).toBe(false);
    test.clock.now += 5000;
    expect(await test.delivery.hasBacklog()).toBe(true);
  });

  it('is followed by shorter pauses again after one that is accepted', async () => {
    let answer: Answer = () => Promise.resolve(refusal(400));
    const test = bulk({ create: (request) => answer(request) });
    for (let n = 0; n < 3; n += 1) {
      await fill(test, 30, 'x', `refused${n}-`);
      await test.send();
    }
    answer = accepted;
    await fill(test, 30, 'x', 'accepted');
    await test.send();
    answer = () => Promise.resolve(refusal(400));
    await fill(test, 30, 'x', 'refused-again');
    await test.send();
    await fill(test, 30, 'x', 'more');
    test.clock.now += 4999;
    expect(await test.delivery.hasBacklog()).toBe(false);
    test.clock.now += 1;
    expect(await test.delivery.hasBacklog()).toBe(true);
  });

  it('is not created where the key may not read the list', async () => {
    const test = bulk({ list: () => Promise.resolve(refusal(403)) });
    await fill(test, 30);
    await test.send();
    expect(await test.batches()).toEqual([]);
    expect(await test.store.counts()).toMatchObject({ waiting: 30 });
    expect(await test.delivery.hasBacklog()).toBe(false);
    expect(test.lane.circuits.openForMs).toBe(0);
    expect(test.logged.join()).not.toContain('refused in bulk');
  });
});

describe('a batch that fails', () => {
  it('without reaching the API is released: no signup counts as tried', async () => {
    const test = bulk({ create: unreachable });
    await fill(test, 20);
    await test.send();
    expect(await test.store.backlog(['default'], 100)).toBe(20);
    expect(await test.store.openBatches(publicationId)).toEqual([]);
    expect(test.events.filter(({ type }) => type === 'retryScheduled')).toHaveLength(20);
    expect(test.events[0]).toEqual({ type: 'retryScheduled', form: 'default', cause: 'NetworkError' });
    expect(await test.delivery.hasBacklog()).toBe(true);
  });

  it('without an answer stays open, for the confirmation to find', async () => {
    const test = bulk({ create: () => Promise.resolve(refusal(502)) });
    await fill(test, 20);
    await test.send();
    expect(await test.store.openBatches(publicationId)).toMatchObject([{ sentAt: startAt, open: 20 }]);
    expect(test.logged.join()).not.toContain('refused in bulk');
  });

  it.each([401, 403])(
    'with %i opens the circuit breaker of the key, and its signups stay in the backlog',
    async (status) => {
      const test = bulk({ create: () => Promise.resolve(refusal(status)) });
      await fill(test, 20);
      await test.send();
      expect(test.lane.circuits.isFailing).toBe(true);
      expect(await test.store.backlog(['default'], 100)).toBe(20);
    },
  );

  it('before it is claimed, because the list cannot be read, leaves no batch behind', async () => {
    const test = bulk({ list: () => Promise.resolve(refusal(401)) });
    await fill(test, 20);
    await test.send();
    expect(test.lane.circuits.isFailing).toBe(true);
    expect(test.events).toEqual([]);
    expect(await test.store.openBatches(publicationId)).toEqual([]);
    expect(await test.store.counts()).toMatchObject({ waiting: 20 });
  });

  it('in the store is reported as a failure of the store', async () => {
    const test = bulk({ change: { claim: () => Promise.reject(new StoreUnavailableError('The disk is full.')) } });
    await test.send();
    expect(test.events).toMatchObject([{ type: 'failing', what: 'store', reason: 'The disk is full.' }]);
    expect(test.lane.circuits.isFailing).toBe(false);
    test.lane.health.succeeded('claim');
    expect(test.events.at(-1)).toMatchObject({ type: 'works', what: 'store' });
  });
});
