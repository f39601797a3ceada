/** The conformance suite of the queue of webhook messages, run by every store. */
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type DeliveryOutcome,
  type SignupStore,
  type WebhookMessage,
  type WebhookSubscription,
  type WebhookType,
  webhookClaimMs,
  webhookTypes,
} from '../../src/index.ts';
import { found, newSignup } from '../new-signup.ts';
import type { Place } from './conformance.ts';
import { clicked } from '../clicked.ts';

const start = Date.UTC(2026, 10, 20, 12);
const forms = ['default'];
const consent = { kind: 'given', sentence: null, version: null, page: null, visitor: null } as const;
const crm: WebhookSubscription = { name: 'crm', types: webhookTypes };
const delivered: DeliveryOutcome = { state: 'delivered', at: start + 5 };
const dead: DeliveryOutcome = { state: 'dead', at: start + 6, reason: 'the API refused it' };

/** @param place - makes room for a store of a test's own */
export function describeWebhookQueue(place: () => Promise<Place>): void {
  const fresh = async (...destinations: readonly WebhookSubscription[]): Promise<SignupStore> => {
    const store = await (await place()).open();
    onTestFinished(() => store.close());
    await store.webhooks.setDestinations(destinations);
    return store;
  };
  const accept = (store: SignupStore, email: string, needsConfirmation = false): Promise<string> =>
    store.accept(newSignup(email, { receivedAt: start, needsConfirmation }));
  /** Claims everything that is due, and settles one signup. */
  const settle = async (store: SignupStore, id: string, outcome: DeliveryOutcome): Promise<void> => {
    const claimed = await store.claim({ forms, limit: 100, now: start });
    await store.release(claimed.flatMap((each) => (each.id === id ? [] : [each.id])));
    await store.settle([id], outcome);
  };
  const deliver = async (store: SignupStore, email: string): Promise<string> => {
    const id = await accept(store, email);
    await settle(store, id, delivered);
    return id;
  };
  const claim = (store: SignupStore, now = start, destination = 'crm', limit = 100) =>
    store.webhooks.claim(destination, limit, now);
  const summary = (messages: readonly WebhookMessage[]): readonly (readonly [WebhookType, string])[] =>
    messages.map(({ type, signup }) => [type, signup]);

  describe('webhook messages', () => {
    it('report a delivered signup with its content', async () => {
      const store = await fresh(crm);
      const id = await deliver(store, 'ada@example.com');
      const [message, ...others] = await claim(store);
      expect(others).toEqual([]);
      expect(message).toMatchObject({
        type: 'signup.delivered',
        signup: id,
        form: 'default',
        at: start + 5,
        reason: null,
        attempts: 0,
        submission: { email: 'ada@example.com' },
        receivedAt: start,
      });
      expect(message?.id).toMatch(/^[0-9a-f-]{32,36}$/);
    });

    it('report a refused signup with the reason, and its delivery after a redrive', async () => {
      const store = await fresh(crm);
      const id = await accept(store, 'ada@example.com');
      await settle(store, id, dead);
      const [refused] = await claim(store);
      expect(refused).toMatchObject({
        type: 'signup.refused',
        signup: id,
        at: start + 6,
        reason: 'the API refused it',
      });
      await store.webhooks.settle(refused?.seq ?? 0, { state: 'delivered' });
      expect(await store.redrive({ ids: [id] }, start)).toBe(1);
      await settle(store, id, delivered);
      expect(summary(await claim(store))).toEqual([['signup.delivered', id]]);
    });

    it('report a confirmation by its person once', async () => {
      const store = await fresh(crm);
      const id = await accept(store, 'ada@example.com', true);
      expect(await clicked(store, id, start + 3)).toBe(true);
      expect(await clicked(store, id, start + 4)).toBe(false);
      expect(await claim(store)).toMatchObject([{ type: 'signup.confirmed', signup: id, at: start + 3 }]);
    });

    it('report a signup that the scan of a batch has found', async () => {
      const store = await fresh(crm);
      const publicationId = 'pub_00000000-0000-4000-8000-000000000001';
      const id = await accept(store, 'ada@example.com');
      const batch = { id: '00000000-0000-4000-8000-000000000009', publicationId };
      await store.claim({ forms, limit: 10, now: start, batch });
      const scan = { until: 1, newest: null, cursor: null, startedAt: null };
      await store.leaseScan(publicationId, start, start + 1000);
      await store.confirm(publicationId, [found('ADA@example.com')], start + 7, scan);
      expect(await claim(store)).toMatchObject([{ type: 'signup.delivered', signup: id, at: start + 7 }]);
    });

    it('report what the API said when it was asked once more', async () => {
      const store = await fresh({ name: 'crm', types: ['signup.delivered', 'signup.status'] });
      const id = await accept(store, 'ada@example.com');
      await settle(store, id, {
        state: 'delivered',
        at: start + 5,
        status: 'validating',
        askAgainAt: start + 600,
      });
      const [first] = await claim(store);
      expect(first).toMatchObject({ type: 'signup.delivered', signup: id, status: 'validating' });
      await store.webhooks.settle(first?.seq ?? 0, { state: 'delivered' });
      await store.settleStatuses([{ id, status: null, askAgainAt: start + 900 }]);
      expect(await claim(store)).toEqual([]);
      await store.settleStatuses([{ id, status: 'invalid', askAgainAt: null }]);
      expect(await claim(store)).toMatchObject([{ type: 'signup.status', signup: id, status: 'invalid' }]);
    });

    it('report an erasure by the id alone, and no longer contain the content', async () => {
      const store = await fresh(crm);
      const id = await deliver(store, 'ada@example.com');
      await deliver(store, 'bob@example.com');
      await store.erase('Ada@Example.com');
      const messages = (await claim(store)).filter(({ signup }) => signup === id);
      // The erasure waits for the message before it.
      expect(messages).toMatchObject([{ type: 'signup.delivered', submission: null, receivedAt: null }]);
      await store.webhooks.settle(messages[0]?.seq ?? 0, { state: 'delivered' });
      expect(await claim(store)).toMatchObject([{ type: 'signup.erased', signup: id, submission: null }]);
      expect(JSON.stringify(await claim(store, start + 1e9))).not.toContain('ada@');
    });

    it('report the erasure of a person whose signup has expired already', async () => {
      const store = await fresh({ name: 'crm', types: ['signup.erased'] });
      const id = await store.accept(newSignup('ada@example.com', { receivedAt: start, consent }));
      await settle(store, id, delivered);
      const keep = { delivered: null, review: null, dead: null, unconfirmed: null, consent: null };
      await store.expire({ ...keep, delivered: start + 100 });
      await store.erase('ada@example.com');
      expect(summary(await claim(store))).toEqual([['signup.erased', id]]);
    });

    it('report no state that is not asked for, and nothing without a destination', async () => {
      const store = await fresh();
      await deliver(store, 'before@example.com');
      await store.webhooks.setDestinations([{ name: 'crm', types: ['signup.refused'] }]);
      await deliver(store, 'ada@example.com');
      const bob = await accept(store, 'bob@example.com');
      await settle(store, bob, {
        state: 'waiting',
        at: start,
        nextAttemptAt: start,
        reason: 'the API answered 503',
        tried: true,
      });
      await settle(store, bob, dead);
      await store.erase('ada@example.com');
      expect(summary(await claim(store))).toEqual([['signup.refused', bob]]);
    });

    it('exist once for each destination, with an id of their own', async () => {
      const store = await fresh(crm, { name: 'sheet', types: ['signup.delivered'] });
      const id = await deliver(store, 'ada@example.com');
      const [one] = await claim(store);
      const [two] = await claim(store, start, 'sheet');
      expect([one?.signup, two?.signup]).toEqual([id, id]);
      expect(one?.id).not.toBe(two?.id);
      await store.webhooks.settle(one?.seq ?? 0, { state: 'delivered' });
      expect(await store.webhooks.overview()).toMatchObject([
        { destination: 'crm', waiting: 0 },
        { destination: 'sheet', waiting: 1 },
      ]);
    });

    it('survive a restart, and are claimed again after an interrupted attempt', async () => {
      const { open } = await place();
      const before = await open();
      await before.webhooks.setDestinations([crm]);
      const id = await deliver(before, 'ada@example.com');
      const [first] = await claim(before);
      await before.close();
      const after = await open();
      onTestFinished(() => after.close());
      expect(await claim(after, start + webhookClaimMs - 1)).toEqual([]);
      expect(await claim(after, start + webhookClaimMs)).toMatchObject([{ id: first?.id, signup: id, attempts: 1 }]);
    });
  });

  describe('the order of webhook messages', () => {
    it('is kept for a signup: a later one waits for the earlier', async () => {
      const store = await fresh(crm);
      const ada = await accept(store, 'ada@example.com', true);
      await clicked(store, ada, start);
      await settle(store, ada, delivered);
      const bob = await deliver(store, 'bob@example.com');
      const [confirmed, other, ...rest] = await claim(store);
      expect(rest).toEqual([]);
      expect(summary([confirmed, other].filter((each) => each !== undefined))).toEqual([
        ['signup.confirmed', ada],
        ['signup.delivered', bob],
      ]);
      await store.webhooks.settle(confirmed?.seq ?? 0, {
        state: 'waiting',
        nextAttemptAt: start + 50,
        reason: 'no answer',
      });
      await store.webhooks.settle(other?.seq ?? 0, { state: 'delivered' });
      expect(await claim(store, start + 49)).toEqual([]);
      expect(await store.webhooks.nextDueAt('crm')).toBe(start + 50);
      expect(await claim(store, start + 50)).toMatchObject([{ id: confirmed?.id, attempts: 1 }]);
      await store.webhooks.settle(confirmed?.seq ?? 0, { state: 'delivered' });
      expect(summary(await claim(store, start + 50))).toEqual([['signup.delivered', ada]]);
    });

    it('of several signups is that of the events, up to the limit', async () => {
      const store = await fresh(crm);
      const ids = [];
      for (const name of ['a', 'b', 'c']) ids.push(await deliver(store, `${name}@example.com`));
      const two = await claim(store, start, 'crm', 2);
      expect(two.map(({ signup }) => signup)).toEqual(ids.slice(0, 2));
      expect((await claim(store)).map(({ signup }) => signup)).toEqual(ids.slice(2));
    });

    it('does not wait for a dead letter', async () => {
      const store = await fresh(crm);
      const ada = await accept(store, 'ada@example.com', true);
      await clicked(store, ada, start);
      const [confirmed] = await claim(store);
      await store.webhooks.settle(confirmed?.seq ?? 0, { state: 'dead', reason: 'the receiver answered 400' });
      await settle(store, ada, delivered);
      expect(summary(await claim(store))).toEqual([['signup.delivered', ada]]);
    });
  });

  describe('the destinations of webhooks', () => {
    it('start with what happens after they were set, and their messages are deleted with them', async () => {
      const store = await fresh(crm);
      await deliver(store, 'ada@example.com');
      expect(await store.webhooks.setDestinations([crm, { name: 'new', types: webhookTypes }])).toEqual({
        deleted: 0,
        held: [],
      });
      expect(await claim(store, start, 'new')).toEqual([]);
      expect(await store.webhooks.setDestinations([{ name: 'new', types: webhookTypes }])).toMatchObject({
        deleted: 1,
      });
      expect(await store.webhooks.overview()).toMatchObject([{ destination: 'new', waiting: 0 }]);
      expect(await store.webhooks.setDestinations([crm])).toMatchObject({ deleted: 0 });
      expect(await claim(store)).toEqual([]);
    });

    it('receive nothing while they are held, and everything afterwards', async () => {
      const store = await fresh(crm);
      await store.webhooks.hold('crm', 'the receiver answered 410');
      const id = await deliver(store, 'ada@example.com');
      expect(await claim(store)).toEqual([]);
      expect(await store.webhooks.nextDueAt('crm')).toBeNull();
      // Setting the destinations again, as every start does, resumes nothing.
      expect(await store.webhooks.setDestinations([{ ...crm, types: ['signup.delivered'] }])).toMatchObject({
        held: ['crm'],
      });
      expect(await store.webhooks.overview()).toEqual([
        {
          destination: 'crm',
          waiting: 1,
          oldestSince: start + 5,
          dead: 0,
          held: 'the receiver answered 410',
          reason: null,
        },
      ]);
      expect(await store.webhooks.resume('crm', start)).toBe(true);
      expect(await store.webhooks.overview()).toMatchObject([{ held: null }]);
      expect(summary(await claim(store))).toEqual([['signup.delivered', id]]);
    });

    it('are due when they are resumed, except those in flight', async () => {
      const store = await fresh(crm, { name: 'other', types: webhookTypes });
      await deliver(store, 'ada@example.com');
      await deliver(store, 'bob@example.com');
      const [waiting, inFlight] = await claim(store);
      const later = { state: 'waiting', nextAttemptAt: start + 9e6, reason: 'no answer' } as const;
      await store.webhooks.settle(waiting?.seq ?? 0, later);
      const [other] = await claim(store, start, 'other', 1);
      await store.webhooks.settle(other?.seq ?? 0, later);
      expect(await store.webhooks.resume('crm', start)).toBe(true);
      expect(await claim(store)).toMatchObject([{ id: waiting?.id }]);
      expect(await claim(store, start + webhookClaimMs)).toMatchObject([{ id: waiting?.id }, { id: inFlight?.id }]);
      expect((await claim(store, start + 8e6, 'other')).map(({ seq }) => seq)).not.toContain(other?.seq);
      expect(await store.webhooks.resume('unknown', start)).toBe(false);
    });

    it('count how often they are resumed or redriven', async () => {
      const store = await fresh(crm, { name: 'other', types: webhookTypes });
      expect(await store.webhooks.resumes('crm')).toBe(0);
      await store.webhooks.resume('crm', start);
      await store.webhooks.redrive('crm');
      await store.webhooks.setDestinations([{ ...crm, types: ['signup.delivered'] }]);
      expect(await store.webhooks.resumes('crm')).toBe(2);
      expect(await store.webhooks.resumes('other')).toBe(0);
      expect(await store.webhooks.resumes('unknown')).toBe(0);
    });

    it('keep dead letters until they are redriven or expire', async () => {
      const store = await fresh(crm);
      const id = await deliver(store, 'ada@example.com');
      const [message] = await claim(store);
      const give = () => store.webhooks.settle(message?.seq ?? 0, { state: 'dead', reason: 'no answer\0' });
      await give();
      expect(await claim(store, start + 1e9)).toEqual([]);
      expect(await store.webhooks.overview()).toMatchObject([{ waiting: 0, oldestSince: null, dead: 1 }]);
      expect((await store.webhooks.overview())[0]?.reason).toMatch(/^no answer/);
      expect(await store.webhooks.redrive('other')).toBe(0);
      expect(await store.webhooks.redrive('crm')).toBe(1);
      expect(await claim(store)).toMatchObject([{ id: message?.id, signup: id, attempts: 0 }]);
      await give();
      const keep = { delivered: null, review: null, dead: null, unconfirmed: null, consent: null };
      expect(await store.expire({ ...keep, dead: start + 5 })).toBe(0);
      expect(await store.expire({ ...keep, dead: start + 6 })).toBe(1);
      expect(await store.webhooks.overview()).toMatchObject([{ dead: 0 }]);
    });

    it('are due at once after the clock was set back', async () => {
      const store = await fresh(crm);
      await deliver(store, 'ada@example.com');
      const [message] = await claim(store);
      await store.webhooks.settle(message?.seq ?? 0, {
        state: 'waiting',
        nextAttemptAt: start + 9e6,
        reason: 'no answer',
      });
      await store.webhooks.pullForward('crm', start, 9e6);
      expect(await store.webhooks.nextDueAt('crm')).toBe(start + 9e6);
      await store.webhooks.pullForward('crm', start, 8e6);
      expect(await store.webhooks.nextDueAt('crm')).toBe(start);
    });
  });
}
