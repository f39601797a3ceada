/** Signups that need confirmation, and the link in their mail. */
import { describe, expect, it } from 'vitest';
import { signLink } from '../../src/confirmation/mail.ts';
import { purposeKey } from '../../src/secrets.ts';
import { signupId } from '../../src/store/signup-identity.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { linkIn, startMailServer } from '../mail-server.ts';
import { post, type RelayParts } from '../running-relay.ts';
import { sandboxApi } from '../sandbox-api.ts';
import { secret, publicUrl, confirming, mailTo } from './confirming.ts';
import { formsOf } from './page.ts';

describe('a signup that needs confirmation', () => {
  it('is delivered after the person has clicked the button on the page of the link, and not before', async () => {
    const mail = await startMailServer();
    const api = sandboxApi();
    const settings = { RELAY_CONSENT_SENTENCES: 'Yes, send me the news.' };
    const relay = confirming(mail, { api: api.fetch, settings });
    await relay.signUp('linus@example.com', { utm_source: 'spring', consent: 'Yes, send me the news.' });
    const received = await mailTo(mail, 'linus@example.com');
    const link = linkIn(received);
    expect(link).toMatch(/^https:\/\/signup\.example\/confirm\/[\w-]{43}$/);

    // A program that looks through mails opens every link, as often as it likes.
    for (const method of ['GET', 'HEAD', 'GET', 'OPTIONS', 'PUT']) await relay.visit(link, method);
    const page = await relay.visit(link);
    expect(page.status).toBe(200);
    expect(formsOf(await page.text())).toMatchObject([
      { text: 'Newsletter linus@example.com Yes, send me the news.', boxes: [], buttons: [{ label: 'Confirm' }] },
    ]);
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 1, waiting: 0, delivered: 0 });
    expect(api.received).toEqual([]);

    const clicked = await relay.visit(link, 'POST');
    expect(clicked.status).toBe(303);
    expect(new URL(clicked.headers.get('location') ?? '', link).href).toBe(link);
    expect(await (await relay.visit(link)).text()).toContain('Thank you, we have noted it');
    await waitUntil('delivery', async () => (await relay.store.counts()).delivered === 1);
    // The service does not ask for a confirmation of its own.
    expect(api.received).toEqual([{ email: 'linus@example.com', utm_source: 'spring', double_opt_override: 'off' }]);

    expect((await relay.visit(link, 'POST')).status).toBe(303);
    expect(await relay.store.counts()).toMatchObject({ delivered: 1, waiting: 0 });
    expect(api.received).toHaveLength(1);
    const { consents } = await relay.store.person('linus@example.com');
    expect(consents).toMatchObject([
      { kind: 'given', sentence: 'Yes, send me the news.', visitor: '198.51.100.0/24' },
      { kind: 'confirmed', sentence: 'Yes, send me the news.', form: 'default', visitor: '198.51.100.0/24' },
    ]);
    // The click may come before it is written down that the mail was sent.
    const events = await waitUntil('all is written down', () => (relay.events.length >= 4 ? relay.events : null));
    expect(events.map(({ type }) => type).toSorted()).toEqual([
      'accepted',
      'confirmationSent',
      'confirmed',
      'delivered',
    ]);
    expect(mail.received).toHaveLength(1);
    expect(relay.logged.join('')).not.toMatch(/linus|confirm\/[\w-]{20}/);
  });

  it('without a box for consent is in the ledger twice: as it was requested, and as it was confirmed', async () => {
    const mail = await startMailServer();
    let passed = 0;
    const relay = confirming(mail, { now: () => Date.now() + passed });
    await relay.signUp('ada@example.com', { audit: { page: 'https://shop.example/news' } });
    const link = linkIn(await mailTo(mail, 'ada@example.com'));
    passed = 3_600_000;
    await relay.fetch(new Request(link, { method: 'POST' }), '203.0.113.9');
    const { signups, consents } = await relay.store.person('ada@example.com');
    const [requested, confirmed] = consents;
    expect(requested).toMatchObject({
      kind: 'requested',
      at: signups[0]?.receivedAt,
      page: 'https://shop.example/news',
      visitor: '198.51.100.0/24',
    });
    expect(confirmed).toMatchObject({ kind: 'confirmed', visitor: '203.0.113.0/24' });
    expect((confirmed?.at ?? 0) - (requested?.at ?? 0)).toBeGreaterThanOrEqual(passed);
  });

  it('gets a mail in plain text and HTML with its sender, without external content, marked as automatic', async () => {
    const mail = await startMailServer();
    const relay = confirming(mail, {
      settings: {
        RELAY_CONFIRMATION_SUBJECT: 'Bestätige „{form}“ – jetzt',
        RELAY_CONFIRMATION_TEXT:
          'Hallo <Du> & Co,\n\nbitte bestätige:\n{link}\n\nDein {form}-Team\n\nNicht du? {not_me}',
        RELAY_PAGE_TITLE: 'Bücher & Boote',
        RELAY_PAGE_LANG: 'de',
      },
    });
    await relay.signUp('ada@bücher.example', {
      custom_fields: [{ name: 'First Name', value: 'https://spam.example <a href="https://spam.example">win</a>' }],
      referring_site: 'https://spam.example',
    });
    const received = await waitUntil('a mail', () => mail.received[0] ?? null);
    const link = linkIn(received);
    expect(received).toMatchObject({
      subject: 'Bestätige „default“ – jetzt',
      from: { name: 'Bücher & Co', address: 'news@shop.example' },
      recipient: 'ada@bücher.example',
    });
    expect(received.to).toMatchObject([{ name: '', address: 'ada@xn--bcher-kva.example' }]);
    expect(received.text?.trim()).toBe(
      `Hallo <Du> & Co,\n\nbitte bestätige:\n${link}\n\nDein default-Team\n\nNicht du? ${link}/not-me`,
    );
    expect(received.html).toContain('<html lang="de" dir="ltr">');
    expect(received.html).toContain('>Hallo &lt;Du&gt; &amp; Co,</div>');
    expect(received.html).toMatch(
      new RegExp(
        `>bitte bestätige:<br>\\n<table .*><a class="button" href="${link}" style="[^"]+">Bestätigen</a></td></tr></table></div>`,
      ),
    );
    expect(received.html).toMatch(new RegExp(`href="${link}/not-me" style="[^"]+">Das war ich nicht</a></div>`));
    expect(received.html).not.toMatch(/<(?:img|link|script|iframe)|src=|url\(/i);
    // What a stranger may have entered is in no mail to somebody else.
    expect(received.raw).not.toContain('spam');
    const headers = Object.fromEntries(received.headers.map(({ key, value }) => [key, value]));
    expect(headers).toMatchObject({ 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' });
    expect(received.messageId).toMatch(/^<confirmation\.[0-9a-f-]{36}@shop\.example>$/);

    const page = await (await relay.visit(link)).text();
    expect(page).toContain('<html lang="de" dir="ltr">');
    expect(page).toContain('<title>Bitte bestätige deine Anmeldung · Bücher &amp; Boote</title>');
    expect(formsOf(page)).toMatchObject([{ buttons: [{ label: 'Bestätigen' }] }]);
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
    await waitUntil('delivery', () => api.received.length === 1);
    expect(api.received).toMatchObject([{ double_opt_override: 'on' }]);
  });

  it('redirects to the configured page after its confirmation', async () => {
    const mail = await startMailServer();
    const relay = confirming(mail, { settings: { RELAY_CONFIRMED_URL: 'https://shop.example/welcome' } });
    await relay.signUp('ada@example.com');
    const link = linkIn(await mailTo(mail, 'ada@example.com'));
    const answer = await relay.visit(link, 'POST');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, 'https://shop.example/welcome']);
    // The link itself shows what became of the signup.
    expect((await relay.visit(link)).status).toBe(200);
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

describe('the link for people who did not sign up', () => {
  /** A link in a mail to Ada, who did not sign up. */
  async function mailed(parts: RelayParts = {}) {
    const mail = await startMailServer();
    const relay = confirming(mail, parts);
    await relay.signUp('ada@gmail.com');
    const received = await mailTo(mail, 'ada@gmail.com');
    const [link = ''] = /https:\/\/\S+\/not-me/.exec(received.text ?? '') ?? [];
    expect(received.html).toContain(`href="${link}"`);
    return { mail, relay, link, confirmLink: linkIn(received) };
  }

  it('deletes the signup by its button and not before, and the mailbox gets no more mails, in any spelling', async () => {
    let passed = 0;
    const { mail, relay, link, confirmLink } = await mailed({ now: () => Date.now() + passed });
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'GET']) await relay.visit(link, method);
    expect(await (await relay.visit(link)).text()).toContain('<button>This was not me</button>');
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 1 });

    const clicked = await relay.visit(link, 'POST');
    expect(clicked.status).toBe(303);
    const end = await relay.visit(new URL(clicked.headers.get('location') ?? '', link).href);
    expect([end.status, await end.text()]).toEqual([200, expect.stringContaining('You get no more of these mails')]);
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 0 });
    expect((await relay.store.person('ada@gmail.com')).consents).toEqual([]);
    for (const [at, text] of [
      [link, 'There is nothing to stop'],
      [confirmLink, 'This link is no longer valid'],
    ] as const)
      for (const method of ['GET', 'POST']) {
        const answer = await relay.visit(at, method);
        expect([answer.status, await answer.text()]).toEqual([410, expect.stringContaining(text)]);
      }

    await relay.store.erase('ada@gmail.com');
    passed = 30 * 86_400_000;
    // Answered alike.
    await relay.signUp('A.da+news@googlemail.com');
    await relay.signUp('last@example.com');
    await mailTo(mail, 'last@example.com');
    await waitUntil('the signup is kept', async () => {
      const kept = await relay.store.list({ reason: 'has said that it was not them' }, { limit: 9 });
      return kept.length === 1;
    });
    expect(mail.received).toHaveLength(2);
    expect(relay.logged.join('')).not.toMatch(/ada@|not-me/);
  });

  it('stops nothing once the signup is confirmed', async () => {
    const { relay, link, confirmLink } = await mailed();
    await relay.visit(confirmLink, 'POST');
    expect((await relay.visit(link, 'POST')).status).toBe(410);
    expect(await relay.store.counts()).toMatchObject({ waiting: 1 });
    expect((await relay.store.person('ada@gmail.com')).mails).toEqual([]);
  });
});
