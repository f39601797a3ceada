/** Confirmation mails while the mail server fails, and while the relay stops. */
import { describe, expect, it } from 'vitest';
import { generate } from 'selfsigned';
import type { SMTPServerOptions } from 'smtp-server';
import { claimMs } from '../../src/store/signup-store.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { linkIn, type ReceivedMail, Refusal, startMailServer } from '../mail-server.ts';
import { confirming, mailTo } from './confirming.ts';

describe('a mail server', () => {
  it('that is down delays the mail, which is sent after its recovery', async () => {
    const gone = await startMailServer();
    await gone.close();
    const relay = confirming(gone);
    for (const name of ['ada', 'bob', 'cyd']) await relay.signUp(`${name}@example.com`);
    await waitUntil('the mail circuit breaker has opened', () =>
      relay.events.some(({ type }) => type === 'mailCircuitOpened'),
    );
    const mail = await startMailServer({}, gone.port);
    for (const name of ['ada', 'bob', 'cyd']) await mailTo(mail, `${name}@example.com`);
    await waitUntil(
      'all mails are sent',
      () => relay.events.filter(({ type }) => type === 'confirmationSent').length === 3,
    );
    expect(mail.received).toHaveLength(3);
    const mailEvents = relay.events.map(({ type }) => type).filter((type) => type.startsWith('mailCircuit'));
    expect(mailEvents).toEqual(['mailCircuitOpened', 'mailCircuitClosed']);
    const [opened] = relay.events.filter(({ type }) => type === 'mailCircuitOpened');
    expect(opened).toMatchObject({ needsOperator: false, reason: expect.stringContaining('ECONNREFUSED') as string });
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
    const metrics = await relay.fetch(new Request('http://relay.example/metrics'));
    expect(await metrics.text()).toContain('newsletter_relay_delivery_attempts_total{form="default",result="dead"} 0');
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
    expect(relay.events.filter(({ type }) => type.startsWith('mail'))).toEqual([]);
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
    await waitUntil(
      'it is deferred',
      async () => (await relay.store.list({ reason: '451' }, { limit: 1 })).length === 1,
    );
    passed = 31_000;
    await relay.signUp('bob@example.com');
    await mailTo(mail, 'bob@example.com');
    await waitUntil('all are mailed', () => mail.received.length === 3);
    const ids = mail.received.filter(({ recipient }) => recipient.startsWith('ada')).map(({ messageId }) => messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it('that was down gets the next mail after the clock was set back', async () => {
    const gone = await startMailServer();
    await gone.close();
    let passed = 0;
    const relay = confirming(gone, { now: () => Date.now() + passed });
    await relay.signUp('ada@example.com');
    await waitUntil('the mail circuit breaker has opened', () =>
      relay.events.some(({ type }) => type === 'mailCircuitOpened'),
    );
    passed = -86_400_000;
    const mail = await startMailServer({}, gone.port);
    await relay.signUp('bob@example.com');
    await mailTo(mail, 'bob@example.com');
  });

  it('that refuses to relay mails pauses all of them after a few, and none is lost', async () => {
    const mail = await startMailServer();
    mail.refuseRecipient = () => new Refusal(554, '5.7.1 Relay access denied');
    let passed = 0;
    const relay = confirming(mail, { now: () => Date.now() + passed });
    for (const name of ['ada', 'bob', 'cyd', 'dan']) await relay.signUp(`${name}@example.com`);
    const opened = await waitUntil(
      'the mail circuit breaker has opened',
      () => relay.events.find(({ type }) => type === 'mailCircuitOpened') ?? null,
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
      const opened = await waitUntil(
        reason,
        () => relay.events.find(({ type }) => type === 'mailCircuitOpened') ?? null,
      );
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

  it('aborts a mail that the server does not answer, and sends it again after the next start', async () => {
    const mail = await startMailServer();
    const held = Promise.withResolvers<void>();
    mail.holdContent = () => held.promise;
    const relay = confirming(mail);
    await relay.signUp('ada@example.com');
    await mailTo(mail, 'ada@example.com');
    await relay.stop(0);
    held.resolve();
    mail.holdContent = null;
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 1 });
    const next = confirming(mail, { store: relay.store, now: () => Date.now() + claimMs });
    await waitUntil('the second mail', () => mail.received.length === 2);
    await waitUntil('it is written down', () => next.events.length === 1);
    expect(new Set(mail.received.map(({ messageId }) => messageId)).size).toBe(1);
    expect(mail.received.map(linkIn)[0]).toBe(linkIn(mail.received[1] as ReceivedMail));
  });
});
