/** Confirmation mails while the mail server fails, and while the relay stops. */
import { describe, expect, it } from 'vitest';
import { generate } from 'selfsigned';
import type { SMTPServerOptions } from 'smtp-server';
import { StoreUnavailableError } from '../../src/errors.ts';
import { mailLimits } from '../../src/confirmation/smtp.ts';
import { claimMs } from '../../src/store/signup-store.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { changedStore } from '../changed-store.ts';
import { linkIn, type MailServer, type ReceivedMail, Refusal, startMailServer } from '../mail-server.ts';
import { type Confirming, confirming, mailTo } from './confirming.ts';
import { metricsOf } from '../running-relay.ts';

describe('a mail server', () => {
  it('that is down delays the mail, which is sent after its recovery', async () => {
    const gone = await startMailServer();
    await gone.close();
    const relay = confirming(gone);
    for (const name of ['ada', 'bob', 'cyd']) await relay.signUp(`${name}@example.com`);
    await waitUntil('the mail circuit breaker has opened', () => relay.events.some(({ type }) => type === 'failing'));
    const mail = await startMailServer({}, gone.port);
    for (const name of ['ada', 'bob', 'cyd']) await mailTo(mail, `${name}@example.com`);
    await waitUntil(
      'all mails are sent',
      () => relay.events.filter(({ type }) => type === 'confirmationSent').length === 3,
    );
    expect(mail.received).toHaveLength(3);
    expect(relay.events.filter((event) => 'what' in event)).toMatchObject([
      {
        type: 'failing',
        what: 'mailServer',
        needsOperator: false,
        reason: expect.stringContaining('ECONNREFUSED') as string,
      },
      { type: 'works', what: 'mailServer' },
    ]);
  });

  it('that refuses a recipient makes a dead letter without an address in its reason, and delays no other mail', async () => {
    const mail = await startMailServer();
    mail.refuseRecipient = (address) =>
      address.startsWith('gone') ? new Refusal(550, `5.1.1 <${address}>: gone: User unknown`) : null;
    const relay = confirming(mail);
    await relay.signUp('gone@example.com');
    await relay.signUp('ada@example.com');
    await mailTo(mail, 'ada@example.com');
    const [dead] = await waitUntil('the dead letter', async () => {
      const found = await relay.store.list({ states: ['dead'] }, { limit: 9 });
      return found.length > 0 ? found : null;
    });
    expect(dead).toMatchObject({ reason: 'The mail server refuses this recipient: 550 5.1.1.', attempts: 0 });
    expect(relay.events).toContainEqual({
      type: 'deadLetter',
      signup: dead?.id,
      form: 'default',
      reason: dead?.reason,
      ofMail: true,
    });
    // No delivery was attempted.
    expect(await metricsOf(relay)).toContain(
      'newsletter_relay_delivery_attempts_total{form="default",result="dead"} 0',
    );
    expect(relay.logged.join('')).not.toContain('gone');
    // Once the mailbox is there again.
    mail.refuseRecipient = null;
    expect(await relay.store.redrive({}, Date.now())).toBe(1);
    await relay.signUp('bob@example.com');
    await relay.visit(linkIn(await mailTo(mail, 'gone@example.com')), 'POST');
    await waitUntil('delivery waits', async () => (await relay.store.counts()).unconfirmed === 2);
  });

  it('that defers a mail gets the same mail again, and others in the meantime', async () => {
    const mail = await startMailServer();
    let passed = 0;
    mail.refuseRecipient = (address) => (address.startsWith('grey') ? new Refusal(451, '4.7.1 Greylisted') : null);
    const relay = confirming(mail, { now: () => Date.now() + passed });
    await relay.signUp('grey@example.com');
    await relay.signUp('ada@example.com');
    await mailTo(mail, 'ada@example.com');
    const [deferred] = await waitUntil('the mail is deferred', async () => {
      const found = await relay.store.list({ email: 'grey@example.com' }, { limit: 1 });
      return found[0]?.reason ? found : null;
    });
    expect(deferred).toMatchObject({ state: 'unconfirmed', reason: 'The mail server defers this mail: 451 4.7.1.' });
    mail.refuseRecipient = null;
    passed = 31_000;
    await relay.signUp('bob@example.com');
    await mailTo(mail, 'grey@example.com');
    expect(relay.events.filter(({ type }) => type === 'failing')).toEqual([]);
  });

  it('that accepts a mail and then fails gets it again under the same Message-ID', async () => {
    const mail = await startMailServer();
    let passed = 0;
    mail.refuseContent = () => {
      mail.refuseContent = null;
      return new Refusal(451, 'Stored, but something broke');
    };
    const relay = confirming(mail, { now: () => Date.now() + passed });
    await relay.signUp('ada@example.com');
    const [deferred] = await waitUntil('it is deferred', async () => {
      const found = await relay.store.list({ reason: '451' }, { limit: 1 });
      return found.length > 0 ? found : null;
    });
    expect(deferred).toMatchObject({ state: 'unconfirmed', tried: false });
    passed = 31_000;
    await relay.signUp('bob@example.com');
    await mailTo(mail, 'bob@example.com');
    await waitUntil('all are mailed', () => mail.received.length === 3);
    const ids = mail.received.filter(({ recipient }) => recipient.startsWith('ada')).map(({ messageId }) => messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(await relay.store.person('ada@example.com')).toMatchObject({ mails: [{ mails: 1 }] });
  });

  it('that refuses to relay mails pauses all of them after a few, and none is lost', async () => {
    const mail = await startMailServer();
    mail.refuseRecipient = () => new Refusal(554, '5.7.1 Relay access denied');
    let passed = 0;
    const relay = confirming(mail, { now: () => Date.now() + passed });
    for (const name of ['ada', 'bob', 'cyd', 'dan']) await relay.signUp(`${name}@example.com`);
    const opened = await waitUntil(
      'the mail circuit breaker has opened',
      () => relay.events.find(({ type }) => type === 'failing') ?? null,
    );
    expect(opened).toMatchObject({ needsOperator: true, reason: expect.stringContaining('RELAY_SMTP_URL') as string });
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 4, dead: 0 });
    mail.refuseRecipient = null;
    passed = 31_000;
    // Wakes the relay, whose timer does not follow the clock of this test.
    await relay.signUp('eve@example.com');
    await waitUntil('all are mailed', () => mail.received.length === 5);
  });

  it('is used only with TLS and login where they are configured', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }]);
    const authorised: SMTPServerOptions = {
      cert,
      key,
      disabledCommands: [],
      authOptional: false,
      onAuth: ({ username, password }, _session, done) =>
        username === 'relay@shop.example' && password === 'p:/ä'
          ? done(null, { user: username })
          : done(new Refusal(535, `5.7.8 ${password} of ${username} is wrong`)),
    };
    const account = `relay%40shop.example:${encodeURIComponent('p:/ä')}`;
    const starttls = await startMailServer(authorised);
    const implicit = await startMailServer({ ...authorised, secure: true });
    const plain = await startMailServer();

    for (const [server, url] of [
      [starttls, `smtp://${account}@127.0.0.1:${starttls.port}?tls=unverified`],
      [implicit, `smtps://${account}@127.0.0.1:${implicit.port}?tls=unverified`],
    ] as const) {
      await confirming({ url }).signUp('ada@example.com');
      expect(await mailTo(server, 'ada@example.com')).toMatchObject({ secure: true, user: 'relay@shop.example' });
    }
    for (const [url, reason] of [
      [`smtp://relay:wrong-password@127.0.0.1:${starttls.port}?tls=unverified`, 'does not accept the account'],
      [`smtp://${account}@127.0.0.1:${starttls.port}?tls=verified`, 'The certificate of the mail server is not valid'],
      [`smtps://${account}@127.0.0.1:${implicit.port}`, 'The certificate of the mail server is not valid'],
      [`smtp://${account}@127.0.0.1:${plain.port}?tls=verified`, 'cannot be encrypted'],
    ] as const) {
      const relay = confirming({ url });
      await relay.signUp('bob@example.com');
      const opened = await waitUntil(reason, () => relay.events.find(({ type }) => type === 'failing') ?? null);
      expect(opened).toMatchObject({ needsOperator: true, reason: expect.stringContaining(reason) as string });
      expect(await relay.store.counts()).toMatchObject({ unconfirmed: 1 });
      const said = relay.logged.join('') + JSON.stringify(relay.events);
      for (const hidden of ['wrong-password', 'p:/ä', 'p%3A%2F', 'bob', 'relay@shop.example'])
        expect(said).not.toContain(hidden);
    }
    expect([...starttls.received, ...implicit.received]).toHaveLength(2);
    expect(plain.received).toEqual([]);
  });
});

describe('stopping', () => {
  it('waits for a mail in flight', async () => {
    const mail = await startMailServer();
    const held = Promise.withResolvers<void>();
    mail.holdContent = () => held.promise;
    const relay = confirming(mail);
    await relay.signUp('ada@example.com');
    await mailTo(mail, 'ada@example.com');
    const stopped = relay.stop(60_000);
    held.resolve();
    await stopped;
    expect(relay.events.map(({ type }) => type)).toEqual(['accepted', 'confirmationSent']);
    expect(await relay.store.nextDueAt(['default'], 'unconfirmed')).toBeNull();
  });
});

const day = 86_400_000;
const backoff = { firstMs: 5, maxMs: 20 };
const isForAda = (recipient: string): boolean => recipient === 'ada@example.com';
const mailsToAda = ({ received }: MailServer): ReceivedMail[] =>
  received.filter(({ recipient }) => isForAda(recipient));
const failed = (what: string, { logged }: Confirming, text: string): Promise<string> =>
  waitUntil(what, () => logged.find((line) => line.includes(text)) ?? null);
const missed = (relay: Confirming): Promise<string> => failed('no reply', relay, 'may have been sent');

describe('a mail whose content has ended counts as sent, and is tried once more after a day:', () => {
  it.each<[string, number, (mail: MailServer, relay: Confirming) => unknown]>([
    ['the reply does not come in time', 500, (_, relay) => missed(relay)],
    ['the connection breaks', mailLimits.replyMs, (mail, relay) => (mail.drop(), missed(relay))],
    ['the relay is stopped', mailLimits.replyMs, () => {}],
  ])('%s', async (_, replyMs, lose) => {
    const mail = await startMailServer();
    mail.holdContent = (recipient) => (isForAda(recipient) ? new Promise(() => {}) : Promise.resolve());
    let passed = 0;
    const parts = { now: () => Date.now() + passed, confirmation: { backoff, limits: { ...mailLimits, replyMs } } };
    let relay = confirming(mail, parts);
    const { store } = relay;
    await relay.signUp('ada@example.com');
    const deferred = (recipient: string) => (isForAda(recipient) ? new Refusal(451, '4.7.1 Greylisted') : null);
    for (const [days, mails, fate] of [
      [0, 1, 'lost'],
      [claimMs / day, 1, 'not due'],
      [0.99, 1, 'not due'],
      [1, 1, 'deferred'],
      [1.1, 2, 'lost'],
      [6, 2, 'not due'],
    ] as const) {
      passed = days * day;
      mail.refuseRecipient = fate === 'deferred' ? deferred : null;
      // Wakes the relay, whose timer does not follow the clock of this test.
      await relay.signUp(`bob${days}@example.com`);
      await mailTo(mail, `bob${days}@example.com`);
      await waitUntil(`${mails} mails after ${days} days`, () => mailsToAda(mail).length === mails);
      if (fate === 'lost') await lose(mail, relay);
      if (fate === 'deferred')
        await waitUntil(fate, async () => (await store.list({ reason: '451' }, { limit: 1 })).length === 1);
      await relay.stop(0);
      relay = confirming(mail, { ...parts, store });
    }
    expect(new Set(mailsToAda(mail).map(linkIn)).size).toBe(1);
    expect(new Set(mailsToAda(mail).map(({ messageId }) => messageId)).size).toBe(1);
    expect(await store.person('ada@example.com')).toMatchObject({
      signups: [{ state: 'unconfirmed', nextAttemptAt: null, reason: 'the mail server has not confirmed the mail' }],
      mails: [{ mails: 2 }],
    });
  });
});

describe('a mail whose content has not ended was not sent, and is tried again soon:', () => {
  it('the server takes too long', async () => {
    const mail = await startMailServer();
    mail.refuseRecipient = () => new Promise(() => {});
    const relay = confirming(mail, { confirmation: { backoff, limits: { ...mailLimits, dotMs: 500 } } });
    await relay.signUp('ada@example.com');
    const line = await failed('the time limit', relay, '"step":"message"');
    mail.refuseRecipient = null;
    await mailTo(mail, 'ada@example.com');
    const said = { step: 'message', reason: 'The mail server does not take the mail: Timeout' };
    expect(JSON.parse(line)).toMatchObject({ ...said, tookMs: expect.any(Number) as number });
    await waitUntil('it is sent', () => relay.events.some(({ type }) => type === 'confirmationSent'));
    expect(mail.received).toHaveLength(1);
  });

  it('the connection breaks', async () => {
    const mail = await startMailServer();
    mail.refuseRecipient = () => {
      mail.refuseRecipient = null;
      mail.drop();
      return null;
    };
    const relay = confirming(mail);
    await relay.signUp('ada@example.com');
    await waitUntil('it is sent', () => relay.events.some(({ type }) => type === 'confirmationSent'));
    expect(mail.received).toHaveLength(1);
  });

  it('the store cannot note that it may be sent', async () => {
    const mail = await startMailServer();
    let passed = 0;
    const relay = confirming(mail, { now: () => Date.now() + passed });
    await relay.stop(0);
    let isFull = true;
    const store = changedStore(relay.store, {
      settle: (ids, outcome) =>
        isFull && outcome.state === 'unconfirmed' && outcome.tried
          ? Promise.reject(new StoreUnavailableError('The disk is full.'))
          : relay.store.settle(ids, outcome),
    });
    const next = confirming(mail, { store, now: () => Date.now() + passed });
    await next.signUp('ada@example.com');
    await failed('the note', next, 'The mail was not sent: The disk is full.');
    expect(mail.received).toEqual([]);
    isFull = false;
    passed = 31_000;
    await next.signUp('bob@example.com');
    await mailTo(mail, 'ada@example.com');
    expect(next.events.filter(({ type }) => type === 'failing')).toEqual([]);
  });
});

describe('a mail server that is slow to reply', () => {
  it('gets each mail once, and others meanwhile until too many are without a reply', async () => {
    const mail = await startMailServer();
    const held = Promise.withResolvers<void>();
    let unanswered = 0;
    let most = 0;
    mail.holdContent = async () => {
      most = Math.max(most, (unanswered += 1));
      await held.promise;
      unanswered -= 1;
    };
    const relay = confirming(mail, { confirmation: { backoff, limits: { ...mailLimits, unanswered: 5 } } });
    const people = Array.from({ length: 8 }, (_, n) => `person${n}@example.com`);
    await Promise.all(people.map((person) => relay.signUp(person)));
    await waitUntil('five without a reply', () => unanswered === 5);
    expect(await relay.store.nextDueAt(['default'], 'unconfirmed')).toBe(0);
    held.resolve();
    await waitUntil(
      'all are sent',
      () => relay.events.filter(({ type }) => type === 'confirmationSent').length === people.length,
    );
    expect(mail.received).toHaveLength(people.length);
    expect(most).toBe(5);
  });

  it('may take longer for the reply than for the content', async () => {
    const mail = await startMailServer();
    const held = Promise.withResolvers<void>();
    mail.holdContent = (recipient) => (isForAda(recipient) ? held.promise : Promise.resolve());
    const relay = confirming(mail, { confirmation: { backoff, limits: { ...mailLimits, dotMs: 500 } } });
    await relay.signUp('ada@example.com');
    await mailTo(mail, 'ada@example.com');
    mail.refuseRecipient = () => new Promise(() => {});
    await relay.signUp('bob@example.com');
    // Started later, and at the end of the same limit.
    await failed('the limit of the second mail', relay, 'takes no confirmation mails');
    held.resolve();
    await waitUntil('the first is sent', () => relay.events.some(({ type }) => type === 'confirmationSent'));
    expect(mail.received).toHaveLength(1);
  });
});
