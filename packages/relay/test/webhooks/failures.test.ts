/** Webhooks that are accepted or fail: their remedies, their waits, dead letters, and the log. */
import { describe, expect, it } from 'vitest';
import { PrivateAddressError } from '../../src/webhooks/post.ts';
import { giveUpAfterMs } from '../../src/webhooks/queue.ts';
import { publicationId } from '../running-relay.ts';
import { type Answer, failing, hourMs, named, start, startSender, status, withCode } from './started-sender.ts';

describe('an accepted webhook', () => {
  it('names the publication of its form, and none where the form is gone', async () => {
    const test = startSender();
    await test.add();
    await test.add(1, 'gone');
    await test.deliver();
    const publications = test.posted.map(({ body }) => (JSON.parse(body) as { data: Record<string, unknown> }).data);
    expect(publications.map(({ form, publication_id: id }) => [form, id])).toEqual([
      ['default', publicationId],
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
    const pauses = () => test.events.filter(({ type }) => type === 'failing');
    for (let failures = 1; failures <= pausesAfter; failures += 1) {
      expect(pauses()).toEqual([]);
      await test.add();
      expect(await test.deliver()).toBeGreaterThanOrEqual(3750);
    }
    expect(pauses()).toMatchObject([{ what: 'webhooks', scope: 'crm', reason, needsOperator: operator }]);
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
    const reported = test.events.flatMap((event) => (event.type === 'failing' ? [event.reason] : []));
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
      'failing',
      'webhookAttempted',
      'webhookAttempted',
      'works',
      'webhookAttempted',
    ]);
    expect(test.events[1]).toEqual({ type: 'webhookAttempted', destination: 'crm', result: 'waiting' });
    expect(test.events.at(-2)).toEqual({ type: 'works', what: 'webhooks', scope: 'crm' });
  });

  it('holds its destination after the answer 410', async () => {
    const test = startSender();
    await test.add(2);
    test.answer = status(410);
    expect(await test.deliver()).toBeNull();
    const reason = 'The receiver answered 410: it wants no more webhooks.';
    expect(await test.backlog()).toMatchObject({ waiting: 2, held: reason, reason });
    expect(test.events[0]).toMatchObject({ what: 'webhooks', scope: 'crm', reason, needsOperator: true });
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
