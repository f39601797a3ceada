/** Sending webhooks with a clock that the test sets: failures and their remedies, waits, concurrency, and the log. */
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { LoopGroup } from '../../src/delivery/loop.ts';
import { createLog } from '../../src/index.ts';
import type { RelayEvent } from '../../src/ops/events.ts';
import { StoreHealth } from '../../src/ops/health.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { webhookClaimMs, webhookTypes } from '../../src/store/webhook-queue.ts';
import { PrivateAddressError, type WebhookAnswer, type WebhookRequest } from '../../src/webhooks/post.ts';
import { giveUpAfterMs, WebhookSender } from '../../src/webhooks/sender.ts';
import { eventually } from '../eventually.ts';
import { newSignup } from '../new-signup.ts';
import { secret } from './receiver.ts';

const start = Date.UTC(2026, 10, 20, 12);
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

type Answer = () => WebhookAnswer | Promise<WebhookAnswer>;

const status = (code: number, headers: Readonly<Record<string, string>> = {}): Answer => {
  return () => ({ status: code, headers });
};
const failing = (error: unknown): Answer => {
  return () => {
    throw error;
  };
};
const withCode = (code: string): Error => Object.assign(new Error('to https://crm.example/secret-path'), { code });
const named = (name: string): Error => Object.assign(new Error('it ended'), { name });

/**
 * A sender to one destination, whose answers come from `answer`.
 *
 * @param options - `shared`: whether other processes use the store, too
 */
function startSender({
  destinations = ['crm'],
  shared = false,
}: { readonly destinations?: readonly string[]; readonly shared?: boolean } = {}) {
  const store = openSqliteStore(join(scratchFolder(), 'relay.db'));
  onTestFinished(() => store.close());
  const events: RelayEvent[] = [];
  const posted: WebhookRequest[] = [];
  const logged: Record<string, unknown>[] = [];
  const test = { now: start, answer: status(204), random: 0.5 };
  const log = createLog({
    level: 'debug',
    destination: { write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const now = () => test.now;
  const onEvent = (event: RelayEvent) => void events.push(event);
  const open = (names = destinations) =>
    new WebhookSender({
      destinations: names.map((name) => ({
        name,
        types: webhookTypes,
        url: `https://${name}.example/secret-path`,
        secrets: [secret],
        allowsPrivateNetwork: false,
      })),
      forms: { default: { publicationId: 'pub_1' } },
      store: { shared, webhooks: store.webhooks },
      post: (request) =>
        new Promise((resolve, reject) => {
          posted.push(request);
          request.signal.addEventListener('abort', () => reject(named('AbortError')));
          Promise.resolve().then(test.answer).then(resolve, reject);
        }),
      health: new StoreHealth({ store, log, onEvent, now }),
      log,
      onEvent,
      random: () => test.random,
      now,
    });
  const sender = open();
  onTestFinished(() => sender.stop(0));
  let people = 0;
  return Object.assign(test, {
    store,
    sender,
    open,
    events,
    posted,
    logged,
    /** Sends what is due. @returns milliseconds until the next message is due; null if none waits */
    async deliver(): Promise<number | null> {
      await sender.deliver(new AbortController().signal, new LoopGroup());
      const at = await store.webhooks.nextDueAt('crm');
      return at === null ? null : at - test.now;
    },
    /** Adds the message of a delivered signup, `form` its form. */
    async add(count = 1, form = 'default'): Promise<void> {
      await sender.prepare();
      for (; count > 0; count -= 1) {
        const id = await store.accept(newSignup(`p${(people += 1)}@example.com`, { form, receivedAt: start }));
        await store.claim({ forms: [form], limit: 1, now: test.now });
        await store.settle([id], { state: 'delivered', at: test.now });
      }
    },
    backlog: async () => (await store.webhooks.overview())[0],
    /** The messages of the log since the last call, each with its level. */
    lines: () => logged.splice(0).map(({ level, msg }) => `${String(level)}: ${String(msg)}`),
  });
}

describe('an accepted webhook', () => {
  it.each([200, 204, 299])('is deleted after the answer %i', async (code) => {
    const test = startSender();
    await test.add();
    test.answer = status(code);
    expect(await test.deliver()).toBeNull();
    expect(await test.backlog()).toMatchObject({ waiting: 0, dead: 0, reason: null });
    expect(test.events).toEqual([{ type: 'webhookAttempted', destination: 'crm', result: 'delivered' }]);
    expect(test.logged).toMatchObject([
      { level: 'info', msg: 'sent a webhook', destination: 'crm', event: 'signup.delivered', attempt: 1 },
    ]);
  });

  it('names the publication of its form, and none where the form is gone', async () => {
    const test = startSender();
    await test.add();
    await test.add(1, 'gone');
    await test.deliver();
    const publications = test.posted.map(({ body }) => (JSON.parse(body) as { data: Record<string, unknown> }).data);
    expect(publications.map(({ form, publication_id: id }) => [form, id])).toEqual([
      ['default', 'pub_1'],
      ['gone', null],
    ]);
    expect(test.posted[0]).toMatchObject({ url: 'https://crm.example/secret-path', allowsPrivateNetwork: false });
    expect(test.posted[0]?.headers).toMatchObject({ 'webhook-timestamp': String(start / 1000) });
  });
});

const secretAndClock = 'see that it has the secret of RELAY_WEBHOOK_SECRET, and that its clock is right.';
const unreachable = (cause: string): string =>
  `The receiver cannot be reached (${cause}): see that the URL is right and that the receiver runs.`;
const late = 'The receiver did not answer within 15 seconds.';

describe('a failed webhook', () => {
  // Failures that concern the receiver pause the destination at once, others after the third in a row.
  it.each<[string, Answer, string, { readonly operator: boolean; readonly pausesAfter: 1 | 3 }]>([
    ['1xx', status(101), 'The receiver answered 101.', { operator: false, pausesAfter: 3 }],
    ['400', status(400), 'The receiver answered 400.', { operator: false, pausesAfter: 3 }],
    ['500', status(500), 'The receiver answered 500.', { operator: false, pausesAfter: 3 }],
    [
      '503 with a wait',
      status(503, { 'retry-after': '60' }),
      'The receiver answered 503.',
      { operator: false, pausesAfter: 1 },
    ],
    [
      '503 with a wait of 0',
      status(503, { 'retry-after': '0' }),
      'The receiver answered 503.',
      { operator: false, pausesAfter: 3 },
    ],
    ['401', status(401), `The receiver answered 401: ${secretAndClock}`, { operator: true, pausesAfter: 3 }],
    ['403', status(403), `The receiver answered 403: ${secretAndClock}`, { operator: true, pausesAfter: 3 }],
    [
      '404',
      status(404),
      'The receiver answered 404: see that the URL is right and that the receiver is active.',
      { operator: true, pausesAfter: 3 },
    ],
    [
      '300',
      status(300),
      'The receiver answered 300, a redirect, which is not followed: set the URL that it leads to.',
      { operator: true, pausesAfter: 1 },
    ],
    [
      '399',
      status(399),
      'The receiver answered 399, a redirect, which is not followed: set the URL that it leads to.',
      { operator: true, pausesAfter: 1 },
    ],
    [
      'a private address',
      failing(new PrivateAddressError('Leads into a private network.')),
      'Leads into a private network.',
      { operator: true, pausesAfter: 1 },
    ],
    ['a timeout', failing(named('TimeoutError')), late, { operator: false, pausesAfter: 3 }],
    ['an abort', failing(named('AbortError')), late, { operator: false, pausesAfter: 3 }],
    [
      'a refused connection',
      failing(withCode('ECONNREFUSED')),
      unreachable('ECONNREFUSED'),
      { operator: false, pausesAfter: 1 },
    ],
    ['a short code', failing(withCode('E_1')), unreachable('E_1'), { operator: false, pausesAfter: 1 }],
    [
      'a code of two characters',
      failing(withCode('E1')),
      unreachable('no connection'),
      { operator: false, pausesAfter: 1 },
    ],
    [
      'a code that is a text',
      failing(withCode('ECONN https://crm.example')),
      unreachable('no connection'),
      { operator: false, pausesAfter: 1 },
    ],
    [
      'a code behind a text',
      failing(withCode('to: ECONN')),
      unreachable('no connection'),
      { operator: false, pausesAfter: 1 },
    ],
    [
      'an error without a code',
      failing(new Error('to https://crm.example')),
      unreachable('no connection'),
      { operator: false, pausesAfter: 1 },
    ],
    ['no error at all', failing('text'), unreachable('no connection'), { operator: false, pausesAfter: 1 }],
  ])('%s is explained, and waits', async (_name, answer, reason, { operator, pausesAfter }) => {
    const test = startSender();
    test.answer = answer;
    const pauses = () => test.events.filter(({ type }) => type === 'webhooksFailing');
    for (let failures = 1; failures <= pausesAfter; failures += 1) {
      expect(pauses()).toEqual([]);
      await test.add();
      expect(await test.deliver()).toBeGreaterThanOrEqual(3750);
    }
    expect(pauses()).toEqual([{ type: 'webhooksFailing', destination: 'crm', reason, needsOperator: operator }]);
    expect(await test.backlog()).toMatchObject({ waiting: pausesAfter, dead: 0, held: null, reason });
    const line = test.logged.find(({ msg }) => msg === 'webhooks are not accepted; they wait');
    expect(line).toMatchObject({ level: operator ? 'error' : 'warn', destination: 'crm', reason });
    expect(JSON.stringify([test.events, test.logged, await test.backlog()])).not.toContain('crm.example');
  });

  it('waits for five seconds, then twice as long each time, up to an hour', async () => {
    const test = startSender();
    test.random = 1;
    await test.add();
    test.answer = status(500);
    const waits: (number | null)[] = [];
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      const wait = await test.deliver();
      waits.push(wait);
      test.now += wait ?? 0;
    }
    expect(waits.map((wait) => (wait ?? 0) / 1000)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
    expect(test.posted).toHaveLength(12);
    expect(new Set(test.posted.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(test.posted.at(-1)?.headers['webhook-timestamp']).not.toBe(test.posted[0]?.headers['webhook-timestamp']);
  });

  it.each([
    ['seconds', '90', 90_000],
    ['a date', new Date(start + 90_000).toUTCString(), 90_000],
    ['more than an hour', '86400', hourMs],
  ])('waits for Retry-After in %s', async (_name, value, expected) => {
    const test = startSender();
    test.random = 0;
    await test.add();
    test.answer = status(429, { 'retry-after': value });
    expect(await test.deliver()).toBe(expected);
  });

  it('is given up after three days, and not before ten attempts', async () => {
    const test = startSender();
    await test.add();
    test.answer = status(500);
    test.now = start + giveUpAfterMs;
    for (let attempt = 1; attempt < 10; attempt += 1) test.now += (await test.deliver()) ?? 0;
    expect(await test.backlog()).toMatchObject({ waiting: 1, dead: 0 });
    test.events.length = 0;
    test.lines();
    expect(await test.deliver()).toBeNull();
    expect(await test.backlog()).toMatchObject({ waiting: 0, dead: 1, reason: 'The receiver answered 500.' });
    expect(test.events).toEqual([{ type: 'webhookAttempted', destination: 'crm', result: 'dead' }]);
    expect(test.logged[0]).toMatchObject({ reason: 'The receiver answered 500.', attempt: 10 });
    expect(test.lines()).toEqual(['error: a webhook was given up; kept as a dead letter']);
  });

  it('is kept for three days, whatever the number of attempts', async () => {
    const test = startSender();
    await test.add();
    test.answer = status(500);
    for (let attempt = 1; attempt <= 20; attempt += 1) test.now += (await test.deliver()) ?? 0;
    test.now = start + giveUpAfterMs - 1;
    await test.deliver();
    expect(await test.backlog()).toMatchObject({ waiting: 1, dead: 0 });
    await test.store.webhooks.pullForward('crm', start, 0);
    test.now = start + giveUpAfterMs;
    test.sender.sendNow();
    await test.deliver();
    expect(await test.backlog()).toMatchObject({ waiting: 0, dead: 1 });
  });

  it('opens the pause again for another cause, and reports that once', async () => {
    const test = startSender();
    await test.add();
    const codes = [500, 500, 500, 502, 502];
    const answers = [...codes.map((code) => status(code)), failing(named('TimeoutError'))];
    answers.push(failing(new PrivateAddressError('private')), failing(named('TimeoutError')));
    for (const answer of answers) {
      test.answer = answer;
      test.now += (await test.deliver()) ?? 0;
    }
    const reported = test.events.flatMap((event) => (event.type === 'webhooksFailing' ? [event.reason] : []));
    expect(reported).toEqual(['The receiver answered 500.', 'The receiver answered 502.', late, 'private', late]);
  });

  it('is logged with its attempt, the pause and its end once each', async () => {
    const test = startSender();
    await test.add();
    test.answer = failing(withCode('ECONNREFUSED'));
    for (let attempt = 1; attempt <= 2; attempt += 1) test.now += (await test.deliver()) ?? 0;
    test.answer = status(204);
    await test.deliver();
    const waits = 'debug: a webhook was not accepted; it will be sent again';
    expect(test.logged.map(({ attempt }) => attempt)).toEqual([undefined, 1, 2, undefined, 3]);
    expect(test.logged[1]).toMatchObject({
      destination: 'crm',
      event: 'signup.delivered',
      reason: unreachable('ECONNREFUSED'),
      nextAttemptAt: start + 3750,
    });
    expect(test.logged[3]).toMatchObject({ destination: 'crm' });
    expect(test.lines()).toEqual([
      'warn: webhooks are not accepted; they wait',
      waits,
      waits,
      'info: webhooks are accepted again',
      'info: sent a webhook',
    ]);
    expect(test.events.map(({ type }) => type)).toEqual([
      'webhooksFailing',
      'webhookAttempted',
      'webhookAttempted',
      'webhooksAccepted',
      'webhookAttempted',
    ]);
    expect(test.events[1]).toEqual({ type: 'webhookAttempted', destination: 'crm', result: 'waiting' });
    expect(test.events.at(-2)).toEqual({ type: 'webhooksAccepted', destination: 'crm' });
  });

  it('holds its destination after the answer 410', async () => {
    const test = startSender();
    await test.add(2);
    test.answer = status(410);
    expect(await test.deliver()).toBeNull();
    const reason = 'The receiver answered 410: it wants no more webhooks.';
    expect(await test.backlog()).toMatchObject({ waiting: 2, held: reason, reason });
    expect(test.events[0]).toEqual({ type: 'webhooksFailing', destination: 'crm', reason, needsOperator: true });
    expect(test.logged.find(({ msg }) => String(msg).includes('sends them again'))).toMatchObject({ reason });
    expect(test.lines()).toContain('error: webhooks are held; "newsletter-relay webhooks resume crm" sends them again');
    test.now += hourMs;
    test.posted.length = 0;
    expect(await test.deliver()).toBeNull();
    expect(test.posted).toEqual([]);
    test.answer = status(204);
    await test.store.webhooks.resume('crm', test.now);
    expect(await test.deliver()).toBeNull();
    expect(test.posted).toHaveLength(2);
  });
});

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
    await eventually('four are in flight', () => waiting.length === 4);
    expect(test.posted).toHaveLength(4);
    waiting.shift()?.({ status: 204, headers: {} });
    await eventually('a fifth is in flight', () => waiting.length === 4);
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
    await eventually('one is in flight', () => waiting.length === 1);
    expect(test.posted).toHaveLength(1);
    test.answer = status(204);
    waiting.shift()?.({ status: 204, headers: {} });
    expect(await delivering).toBeNull();
    expect(test.posted).toHaveLength(6);
  });

  it('gets nothing more while more messages are in flight than it may get', async () => {
    const test = startSender();
    await test.add(8);
    const { waiting, answer } = pending();
    test.answer = answer;
    const delivering = test.deliver();
    await eventually('four are in flight', () => waiting.length === 4);
    waiting.shift()?.({ status: 302, headers: {} });
    await eventually('the failure is stored', async () => (await test.backlog())?.reason);
    test.sender.sendNow();
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
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
    await begun.promise;
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
