/** Double opt-in by the relay itself, through a real SMTP server: nothing reaches the API before the click. */
import { describe, expect, it } from 'vitest';
import { generate } from 'selfsigned';
import type { SMTPServerOptions } from 'smtp-server';
import { signLink } from '../../src/confirmation/mail.ts';
import { purposeKey } from '../../src/secrets.ts';
import { signupId } from '../../src/store/signup-identity.ts';
import type { RelayEvent } from '../../src/ops/events.ts';
import { claimMs } from '../../src/store/signup-store.ts';
import { eventually } from '../eventually.ts';
import { linkIn, type MailServer, type ReceivedMail, Refusal, startMailServer } from '../mail-server.ts';
import { post, type RelayParts, type RunningRelay, runRelay } from '../running-relay.ts';
import { sandboxApi } from '../sandbox-api.ts';

const secret = 'a-secret-of-the-relay-0123456789';
const publicUrl = 'https://signup.example';

const settingsFor = ({ url }: Pick<MailServer, 'url'>): Record<string, string> => ({
  RELAY_CONFIRMATION: 'true',
  RELAY_SMTP_URL: url,
  RELAY_MAIL_FROM: 'Bücher & Co <news@shop.example>',
  RELAY_PUBLIC_URL: publicUrl,
  RELAY_SECRET: secret,
});

interface Confirming extends RunningRelay {
  readonly events: RelayEvent[];
  signUp(email: string, more?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Opens or posts to a link, as a browser does. */
  visit(link: string, method?: string): Promise<Response>;
}

function confirming(mail: Pick<MailServer, 'url'>, { settings = {}, ...parts }: RelayParts = {}): Confirming {
  const events: RelayEvent[] = [];
  const relay = runRelay({
    settings: { ...settingsFor(mail), ...settings },
    confirmation: { backoff: { firstMs: 5, maxMs: 20 } },
    onEvent: (event) => void events.push(event),
    ...parts,
  });
  relay.start();
  return {
    ...relay,
    events,
    async signUp(email, more = {}) {
      expect((await relay.fetch(post({ email, ...more }), '198.51.100.7')).status).toBe(202);
    },
    visit: (link, method = 'GET') => relay.fetch(new Request(link, { method, redirect: 'manual' }), '198.51.100.7'),
  };
}

const mailTo = (mail: MailServer, recipient: string): Promise<ReceivedMail> =>
  eventually(`a mail to ${recipient}`, () => mail.received.find((each) => each.recipient === recipient));

describe('a signup that needs confirmation', () => {
  it('is delivered after the person has clicked the button on the page of the link, and not before', async () => {
    const mail = await startMailServer();
    const api = sandboxApi();
    const relay = confirming(mail, { api: api.fetch });
    await relay.signUp('ada@example.com', { utm_source: 'spring', consent: 'Yes, send me the news.' });
    const received = await mailTo(mail, 'ada@example.com');
    const link = linkIn(received);
    expect(link).toMatch(/^https:\/\/signup\.example\/confirm\/[\w-]{43}$/);

    // A program that looks through mails opens every link, as often as it likes.
    for (const method of ['GET', 'HEAD', 'GET', 'OPTIONS', 'PUT']) await relay.visit(link, method);
    const page = await relay.visit(link);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<form method="post">\n<button>Confirm</button>');
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 1, waiting: 0, delivered: 0 });
    expect(api.received).toEqual([]);

    const clicked = await relay.visit(link, 'POST');
    expect(clicked.status).toBe(303);
    const end = new URL(clicked.headers.get('location') ?? '', link).href;
    expect(await (await relay.visit(end)).text()).toContain('Thank you for confirming');
    await eventually('delivery', async () => (await relay.store.counts()).delivered === 1);
    // The service does not ask for a confirmation of its own.
    expect(api.received).toEqual([{ email: 'ada@example.com', utm_source: 'spring', double_opt_override: 'off' }]);

    expect((await relay.visit(link, 'POST')).status).toBe(303);
    expect((await relay.visit(link)).headers.get('location')).toBe(clicked.headers.get('location'));
    expect(await relay.store.counts()).toMatchObject({ delivered: 1, waiting: 0 });
    expect(api.received).toHaveLength(1);
    const { consents } = await relay.store.person('ada@example.com');
    expect(consents).toMatchObject([
      { kind: 'given', sentence: 'Yes, send me the news.', visitor: '198.51.100.0/24' },
      { kind: 'confirmed', sentence: null, form: 'default', visitor: '198.51.100.0/24' },
    ]);
    // The click may come before it is written down that the mail was sent.
    const events = await eventually('all is written down', () => (relay.events.length >= 4 ? relay.events : null));
    expect(events.map(({ type }) => type).toSorted()).toEqual([
      'accepted',
      'confirmationSent',
      'confirmed',
      'delivered',
    ]);
    expect(mail.received).toHaveLength(1);
    expect(relay.logged.join('')).not.toMatch(/ada|confirm\/[\w-]{20}/);
  });

  it('gets a mail in plain text and HTML with its sender, without external content, marked as automatic', async () => {
    const mail = await startMailServer();
    const relay = confirming(mail, {
      settings: {
        RELAY_CONFIRMATION_SUBJECT: 'Bestätige „{form}“ – jetzt',
        RELAY_CONFIRMATION_TEXT: 'Hallo <Du> & Co,\n\nbitte bestätige:\n{link}\n\nDein {form}-Team',
        RELAY_CONFIRMATION_BUTTON: 'Ja, "bitte" <b>',
        RELAY_CONFIRMATION_LANG: 'de',
      },
    });
    await relay.signUp('ada@bücher.example', {
      custom_fields: [{ name: 'First Name', value: 'https://spam.example <a href="https://spam.example">win</a>' }],
      referring_site: 'https://spam.example',
    });
    const received = await eventually('a mail', () => mail.received[0]);
    const link = linkIn(received);
    expect(received).toMatchObject({
      subject: 'Bestätige „default“ – jetzt',
      from: { name: 'Bücher & Co', address: 'news@shop.example' },
      recipient: 'ada@bücher.example',
    });
    expect(received.to).toMatchObject([{ name: '', address: 'ada@xn--bcher-kva.example' }]);
    expect(received.text?.trim()).toBe(`Hallo <Du> & Co,\n\nbitte bestätige:\n${link}\n\nDein default-Team`);
    expect(received.html).toContain('<html lang="de">');
    expect(received.html).toContain(
      `<p dir="auto">Hallo &lt;Du&gt; &amp; Co,</p>\n<p dir="auto">bitte bestätige:<br>\n<a href="${link}">${link}</a></p>`,
    );
    expect(received.html).not.toMatch(/<(?:img|link|script|style|iframe)|src=|url\(/i);
    // What a stranger may have entered is in no mail to somebody else.
    expect(received.raw).not.toContain('spam');
    const headers = Object.fromEntries(received.headers.map(({ key, value }) => [key, value]));
    expect(headers).toMatchObject({ 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' });
    expect(received.messageId).toMatch(/^<confirmation\.[0-9a-f-]{36}@shop\.example>$/);

    const page = await (await relay.visit(link)).text();
    expect(page).toContain('<html lang="de">');
    expect(page).toContain('<h1>Bestätige „default“ – jetzt</h1>');
    expect(page).toContain('<button>Ja, &quot;bitte&quot; &lt;b&gt;</button>');
  });

  it('and its duplicates cause one mail; a mailbox gets at most three a day', async () => {
    const mail = await startMailServer();
    const relay = confirming(mail);
    for (let n = 0; n < 2; n += 1) await relay.signUp('ada@example.com');
    for (let n = 0; n < 20; n += 1) await relay.signUp(`bob+${n}@example.com`, { utm_term: String(n) });
    await relay.signUp('last@example.com');
    await mailTo(mail, 'last@example.com');
    await eventually('all are mailed or joined', async () => (await relay.store.counts()).unconfirmed === 5);
    expect(mail.received.filter(({ recipient }) => recipient.startsWith('ada'))).toHaveLength(1);
    await eventually('all mails', () => mail.received.length === 5);
    expect((await relay.store.counts()).review).toBeGreaterThan(0);
  });

  it('with an address that would add a header or a recipient causes no mail', async () => {
    const mail = await startMailServer();
    const relay = confirming(mail);
    for (const email of [
      'ada@example.com\r\nBcc: eve@example.com',
      'ada@example.com\nX: y',
      'ada@example.com,eve@example.com',
      'ada@example.com>, <eve@example.com',
      'Ada <ada@example.com>',
      '"ada eve"@example.com',
      'ada@example.com\u2028Bcc: eve@example.com',
    ])
      expect([email, (await relay.fetch(post({ email }))).status]).toEqual([email, 400]);
    await relay.signUp('last@example.com');
    await mailTo(mail, 'last@example.com');
    expect(mail.received).toHaveLength(1);
  });

  it('suspected to come from a bot causes no mail until an operator redrives it', async () => {
    const mail = await startMailServer();
    const relay = confirming(mail);
    await relay.signUp('robot@example.com', { hp_field: 'https://spam.example' });
    expect(await relay.store.counts()).toMatchObject({ review: 1, unconfirmed: 0 });
    expect(await relay.store.redrive({}, Date.now())).toBe(1);
    await relay.signUp('ada@example.com');
    await mailTo(mail, 'robot@example.com');
  });

  it('is confirmed by the service as well where double_opt_override is pinned', async () => {
    const mail = await startMailServer();
    const api = sandboxApi();
    const relay = confirming(mail, { api: api.fetch, settings: { RELAY_DOUBLE_OPT_OVERRIDE: 'on' } });
    await relay.signUp('ada@example.com');
    await relay.visit(linkIn(await mailTo(mail, 'ada@example.com')), 'POST');
    await eventually('delivery', () => api.received.length === 1);
    expect(api.received).toMatchObject([{ double_opt_override: 'on' }]);
  });

  it('equal to a confirmed one can be confirmed too', async () => {
    const mail = await startMailServer();
    let passed = 0;
    const relay = confirming(mail, { now: () => Date.now() + passed, api: sandboxApi().fetch });
    await relay.signUp('ada@example.com');
    await eventually('the first mail', () => mail.received.length === 1);
    passed = 11 * 60_000;
    await relay.signUp('ada@example.com');
    await eventually('the second mail', () => mail.received.length === 2);
    for (const received of mail.received) {
      const link = linkIn(received);
      const { status, headers } = await relay.visit(link, 'POST');
      expect(status).toBe(303);
      await eventually('the outcome', async () => (await relay.store.counts()).waiting === 0);
      const page = await relay.visit(new URL(headers.get('location') ?? '', link).href);
      expect(await page.text()).toContain('Thank you for confirming');
    }
    await eventually('one delivery', async () => (await relay.store.counts()).delivered === 1);
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 0, waiting: 0, sent: 0, dead: 0 });
    expect((await relay.visit(linkIn(mail.received[1] as ReceivedMail))).status).toBe(410);
  });

  it('redirects to the configured page after its confirmation', async () => {
    const mail = await startMailServer();
    const relay = confirming(mail, { settings: { RELAY_CONFIRMED_URL: 'https://shop.example/welcome' } });
    await relay.signUp('ada@example.com');
    const link = linkIn(await mailTo(mail, 'ada@example.com'));
    for (const method of ['POST', 'POST', 'GET']) {
      const answer = await relay.visit(link, method);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, 'https://shop.example/welcome']);
    }
  });
});

describe('the link', () => {
  it('confirms nothing if it was changed, has a wrong signature, or has expired', async () => {
    const mail = await startMailServer();
    const relay = confirming(mail);
    await relay.signUp('ada@example.com');
    const link = linkIn(await mailTo(mail, 'ada@example.com'));
    const token = link.split('/').pop() ?? '';
    const swapped = (token.startsWith('A') ? 'B' : 'A') + token.slice(1);
    const stranger = signLink(purposeKey(`${secret}!`, 'confirmation'), signupId(Date.now()));
    for (const bad of [swapped, token.slice(0, -1), `${token}x`, stranger, 'x', '%00', 'a%2Fb']) {
      for (const method of ['GET', 'POST']) {
        const answer = await relay.visit(`${publicUrl}/confirm/${bad}`, method);
        expect([bad, answer.status]).toEqual([bad, 404]);
        expect(await answer.text()).toContain('This link does not work');
      }
    }
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 1 });

    const keep = { delivered: null, review: null, dead: null, consent: null };
    await relay.store.expire({ ...keep, unconfirmed: Date.now() + 1000 });
    for (const method of ['GET', 'POST']) {
      const answer = await relay.visit(link, method);
      expect(answer.status).toBe(410);
      expect(await answer.text()).toContain('This link is no longer valid');
    }
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 0, waiting: 0 });
  });

  it('opens pages that forbid caching, indexing, framing and referrers', async () => {
    const mail = await startMailServer();
    const relay = confirming(mail);
    await relay.signUp('ada@example.com');
    const link = linkIn(await mailTo(mail, 'ada@example.com'));
    for (const [at, method] of [
      [link, 'GET'],
      [`${link}x`, 'GET'],
      [link, 'DELETE'],
    ] as const) {
      const { headers } = await relay.visit(at, method);
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("default-src 'none'") as string,
      });
    }
    const { headers } = await relay.visit(link, 'POST');
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
  });
});

describe('a mail server', () => {
  it('that is down delays the mail, which is sent after its recovery', async () => {
    const gone = await startMailServer();
    await gone.close();
    const relay = confirming(gone);
    for (const name of ['ada', 'bob', 'cyd']) await relay.signUp(`${name}@example.com`);
    await eventually('the mail circuit breaker has opened', () =>
      relay.events.some(({ type }) => type === 'mailCircuitOpened'),
    );
    const mail = await startMailServer({}, gone.port);
    for (const name of ['ada', 'bob', 'cyd']) await mailTo(mail, `${name}@example.com`);
    await eventually(
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
    const [dead] = await eventually('the dead letter', async () => {
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
    await eventually('delivery waits', async () => (await relay.store.counts()).unconfirmed === 2);
  });

  it('that defers a mail gets the same mail again, and others in the meantime', async () => {
    const mail = await startMailServer();
    let passed = 0;
    mail.refuseRecipient = (address) => (address.startsWith('grey') ? new Refusal(451, '4.7.1 Greylisted') : null);
    const relay = confirming(mail, { now: () => Date.now() + passed });
    await relay.signUp('grey@example.com');
    await relay.signUp('ada@example.com');
    await mailTo(mail, 'ada@example.com');
    const [deferred] = await eventually('the mail is deferred', async () => {
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
    await eventually(
      'it is deferred',
      async () => (await relay.store.list({ reason: '451' }, { limit: 1 })).length === 1,
    );
    passed = 31_000;
    await relay.signUp('bob@example.com');
    await mailTo(mail, 'bob@example.com');
    await eventually('all are mailed', () => mail.received.length === 3);
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
    await eventually('the mail circuit breaker has opened', () =>
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
    const opened = await eventually('the mail circuit breaker has opened', () =>
      relay.events.find(({ type }) => type === 'mailCircuitOpened'),
    );
    expect(opened).toMatchObject({ needsOperator: true, reason: expect.stringContaining('RELAY_SMTP_URL') as string });
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 4, dead: 0 });
    mail.refuseRecipient = null;
    passed = 31_000;
    await eventually('all are mailed', () => mail.received.length === 4);
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
      const opened = await eventually(reason, () => relay.events.find(({ type }) => type === 'mailCircuitOpened'));
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
    await eventually('the second mail', () => mail.received.length === 2);
    await eventually('it is written down', () => next.events.length === 1);
    expect(new Set(mail.received.map(({ messageId }) => messageId)).size).toBe(1);
    expect(mail.received.map(linkIn)[0]).toBe(linkIn(mail.received[1] as ReceivedMail));
  });
});
