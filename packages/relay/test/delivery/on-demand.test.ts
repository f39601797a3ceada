/** Delivery on demand: what is due is delivered, and the time of the next call is returned. */
import { describe, expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waits.ts';
import { startMailServer } from '../mail-server.ts';
import { newSignup } from '../new-signup.ts';
import { sleepingLoops } from '../queue/sleeping-loops.ts';
import { post, type RelayParts, runRelay, type RunningRelay } from '../running-relay.ts';
import { asFetch, sandboxApi } from '../sandbox-api.ts';
import { startReceiver, webhookSettings } from '../webhooks/receiver.ts';

const inAMinute = () => ({ untilMs: Date.now() + 60_000 });
const people = (count: number) => Array.from({ length: count }, (_, i) => newSignup(`p${i}@example.com`));

/** A relay whose signups are active at once: nothing is asked again. */
const running = ({ settings = {}, ...parts }: RelayParts = {}): RunningRelay =>
  runRelay({ ...parts, settings: { RELAY_DOUBLE_OPT_OVERRIDE: 'off', ...settings } });

describe('delivery on demand', () => {
  it('delivers everything that is due, and returns that nothing waits', async () => {
    const api = sandboxApi({ seed: 'empty', profile: 'unlimited' });
    const relay = running({ api: api.fetch });
    for (const signup of people(20)) await relay.store.accept(signup);
    expect(await relay.deliver(inAMinute())).toMatchObject({ nextDueAt: null });
    expect((await relay.store.counts()).delivered).toBe(20);
    expect(await relay.deliver(inAMinute())).toMatchObject({ nextDueAt: null });
    expect(api.received).toHaveLength(20);
  });

  it('delivers in bulk, and returns when the batch is to be confirmed', async () => {
    const api = sandboxApi({ seed: 'empty', profile: 'unlimited' });
    const clock = { now: Date.now() };
    const relay = running({
      api: api.fetch,
      delivery: { bulk: { above: 100, lookAfterMs: 30_000 } },
      now: () => clock.now,
    });
    for (const signup of people(150)) await relay.store.accept(signup);
    const { nextDueAt } = await relay.deliver({ untilMs: clock.now + 60_000 });
    expect((await relay.store.counts()).sent).toBe(150);
    expect(nextDueAt).toBeGreaterThan(clock.now + 20_000);
    // The API creates them some time after its answer: a first look may come too early.
    for (let due = nextDueAt; due !== null;) {
      clock.now = due;
      ({ nextDueAt: due } = await relay.deliver({ untilMs: clock.now + 60_000 }));
    }
    expect((await relay.store.counts()).delivered).toBe(150);
  });

  it('asks the API once more ten minutes later about those that it still checks', async () => {
    const api = sandboxApi({ seed: 'empty', profile: 'unlimited' });
    const clock = { now: Date.now() };
    const relay = running({
      api: api.fetch,
      settings: { RELAY_DOUBLE_OPT_OVERRIDE: 'not_set' },
      now: () => clock.now,
    });
    for (const signup of people(12)) await relay.store.accept(signup);
    const statuses = async () => (await relay.store.overview(clock.now)).statuses;
    const { nextDueAt } = await relay.deliver({ untilMs: clock.now + 60_000 });
    expect(nextDueAt).toBe(clock.now + 600_000);
    expect(await statuses()).toEqual([{ status: 'validating', count: 12 }]);
    api.sandbox.clock.advance(600_000);
    clock.now += 600_000;
    expect(await relay.deliver({ untilMs: clock.now + 60_000 })).toMatchObject({ calls: 1 });
    expect(await statuses()).toEqual([{ status: 'active', count: 12 }]);
  });
});

describe('delivery on demand with a maximum of calls', () => {
  /** Counts the calls of a handler, and how many there are in each delivery at most. */
  function counted(handle: (request: Request) => Promise<Response>) {
    const counts = { calls: 0 };
    return { counts, fetch: asFetch((request) => ((counts.calls += 1), handle(request))) };
  }

  /** Delivers until nothing waits. @returns the calls of each delivery */
  async function deliverAll(relay: RunningRelay, maxCalls: number, counts: { calls: number }, clock?: { now: number }) {
    const each: number[] = [];
    for (let due: number | null = 0; due !== null;) {
      if (clock) clock.now = Math.max(clock.now, due);
      counts.calls = 0;
      const untilMs = (clock?.now ?? Date.now()) + 60_000;
      const result = await relay.deliver({ untilMs, maxCalls });
      expect(counts.calls).toBeLessThanOrEqual(result.calls);
      each.push(counts.calls);
      due = result.nextDueAt;
    }
    return each;
  }

  it('delivers each signup alone', async () => {
    const api = sandboxApi({ seed: 'empty', profile: 'unlimited' });
    const { counts, fetch } = counted(api.fetch);
    const relay = running({ api: fetch });
    for (const signup of people(20)) await relay.store.accept(signup);
    expect(await deliverAll(relay, 9, counts)).toEqual([8, 8, 4]);
    expect(api.received).toHaveLength(20);
  });

  it('makes both calls of a signup that was tried before, and ends when nothing more is due', async () => {
    const api = sandboxApi({ seed: 'empty', profile: 'unlimited' });
    const { counts, fetch } = counted(api.fetch);
    const relay = running({ api: fetch });
    for (const signup of people(7)) {
      const id = await relay.store.accept(signup);
      const at = Date.now();
      await relay.store.claim({ forms: ['default'], limit: 1, now: at });
      await relay.store.settle([id], { state: 'waiting', at, nextAttemptAt: at, reason: 'x', tried: true });
    }
    expect(await deliverAll(relay, 2, counts)).toEqual([2, 2, 2, 2, 2, 2, 2, 0]);
    expect((await relay.store.counts()).delivered).toBe(7);
  });

  it('sends in bulk, and reads the list in several deliveries', async () => {
    const api = sandboxApi({ seed: 'empty', profile: 'unlimited' });
    const { counts, fetch } = counted(api.fetch);
    const clock = { now: Date.now() };
    const relay = running({
      api: fetch,
      delivery: { bulk: { above: 100, lookAfterMs: 30_000 } },
      now: () => clock.now,
    });
    for (const signup of people(500)) await relay.store.accept(signup);
    const each = await deliverAll(relay, 4, counts, clock);
    expect(Math.max(...each)).toBeLessThanOrEqual(4);
    expect((await relay.store.counts()).delivered).toBe(500);
    expect(await api.subscriptions()).toHaveLength(500);
    expect(relay.logged.filter((line) => /unreachable|takes no signups/.test(line))).toEqual([]);
  });

  it('shares them with webhooks and mails', async () => {
    const receiver = await startReceiver();
    const mail = await startMailServer();
    const api = sandboxApi({ seed: 'empty', profile: 'unlimited' });
    const relay = running({
      api: api.fetch,
      settings: {
        ...webhookSettings(receiver),
        RELAY_CONFIRMATION: 'true',
        RELAY_MAIL_FROM: 'news@example.com',
        RELAY_SMTP_URL: mail.url,
        RELAY_PUBLIC_URL: 'https://relay.example',
        RELAY_SECRET: 'a-secret-of-enough-characters',
      },
    });
    for (const [n, signup] of people(12).entries())
      await relay.store.accept({ ...signup, needsConfirmation: n % 2 === 0 });
    const made = () => api.received.length + receiver.received.length + mail.received.length;
    for (let due: number | null = 0; due !== null;) {
      const before = made();
      ({ nextDueAt: due } = await relay.deliver({ ...inAMinute(), maxCalls: 3 }));
      expect(made() - before).toBeLessThanOrEqual(3);
    }
    expect([api.received, mail.received, receiver.received].map(({ length }) => length)).toEqual([6, 6, 6]);
  });
});

describe('delivery on demand beside slow receivers', () => {
  it('delivers a signup that arrives while a webhook is in flight, and its webhook too', async () => {
    const receiver = await startReceiver();
    const answer = Promise.withResolvers<null>();
    receiver.instead = async () => {
      await answer.promise;
      return new Response(null, { status: 204 });
    };
    const relay = running({
      api: sandboxApi({ seed: 'demo', profile: 'unlimited' }).fetch,
      settings: webhookSettings(receiver),
    });
    expect(await relay.deliver(inAMinute())).toMatchObject({ nextDueAt: null });
    await relay.store.accept(newSignup('ada@example.com'));
    const loops = sleepingLoops();
    const ended = relay.deliver(inAMinute());
    await waitUntil('the first webhook is in flight', () => receiver.received.length === 1);
    // Nothing but the webhook is left to do.
    await loops.all(2);
    expect((await relay.fetch(post({ email: 'bob@example.com' }))).status).toBe(202);
    await waitUntil('the second webhook is in flight', () => receiver.received.length === 2);
    answer.resolve(null);
    expect(await ended).toMatchObject({ nextDueAt: null });
    expect((await relay.store.counts()).delivered).toBe(2);
    expect(await relay.store.webhooks.overview()).toMatchObject([{ waiting: 0 }]);
  });
});
