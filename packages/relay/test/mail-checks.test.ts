/** What the command `check` finds about the sender of confirmation mails, and the mail that it sends. */
import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/index.ts';
import { checkSender } from '../src/mail-checks.ts';
import { openTransport } from '../src/confirmation/smtp.ts';
import { settingsFor } from './confirmation/confirming.ts';
import { nameServer, type Zone } from './name-server.ts';
import { startMailServer } from './mail-server.ts';
import { environment } from './running-relay.ts';

const spf = { 'news.shop.com': ['v=spf1 include:mail.net ~all'] };
const dmarc = { '_dmarc.shop.com': ['v=DMARC1; p=none'] };

/** What is found with these records, by its name. */
async function foundWith(zone: Zone, dkim?: string, from = 'news@news.shop.com') {
  const resolver = await nameServer(zone);
  const config = readConfig({
    ...environment,
    ...settingsFor({ url: 'smtp://127.0.0.1:9' }),
    RELAY_MAIL_FROM: from,
  });
  const found = await checkSender(config, [], null, { dkim, resolver });
  return Object.fromEntries(found.map(({ name, result, text }) => [name, `${result}: ${text}`]));
}

describe('the domain of the sender', () => {
  it('is well with SPF of its own, DMARC of a domain above it, and the DKIM key that was named', async () => {
    const key = { 's1._domainkey.news.shop.com': ['v=DKIM1; k=rsa; p=MIIBIjAN'] };
    expect(await foundWith({ ...spf, ...dmarc, ...key }, 's1')).toEqual({
      'SPF of news.shop.com': 'ok: published',
      'DMARC of news.shop.com': 'ok: published',
      'DKIM key "s1" of news.shop.com': 'ok: published',
    });
  });

  it('is told what to publish where something is missing', async () => {
    const missing = await foundWith({ 'news.shop.com': ['google-site-verification=1'] }, 's1');
    expect(missing['SPF of news.shop.com']).toMatch(
      /^warning: .*publish the TXT record at news\.shop\.com .*v=spf1 include:/,
    );
    expect(missing['DMARC of news.shop.com']).toMatch(/^warning: .*"v=DMARC1; p=none" at _dmarc\.news\.shop\.com/);
    expect(missing['DKIM key "s1" of news.shop.com']).toMatch(/^warning: .*at s1\._domainkey\.news\.shop\.com/);
  });

  it.each([
    [['v=spf1 a -all', 'v=spf1 mx -all'], '2 records'],
    [['v=spf1 -all'], 'sends no mails'],
  ])('is warned of SPF records that help nobody: %s', async (records, text) => {
    expect((await foundWith({ ...dmarc, 'news.shop.com': records }))['SPF of news.shop.com']).toMatch(`warning: `);
    expect((await foundWith({ ...dmarc, 'news.shop.com': records }))['SPF of news.shop.com']).toContain(text);
  });

  it('is warned of a DKIM key that was revoked', async () => {
    const found = await foundWith({ ...spf, ...dmarc, 's1._domainkey.news.shop.com': ['v=DKIM1; p='] }, 's1');
    expect(found['DKIM key "s1" of news.shop.com']).toMatch(/^warning/);
  });

  it('is unknown where no name server answers', async () => {
    expect((await foundWith({ fails: [] }))['SPF of news.shop.com']).toBe(
      'warning: The name servers do not answer: it was not looked up.',
    );
  });

  it('is looked up by its name in ASCII, and not at all where nobody owns it', async () => {
    expect(Object.keys(await foundWith({}, undefined, 'news@bücher.com'))).toContain('SPF of xn--bcher-kva.com');
    expect(await foundWith({}, undefined, 'news@shop.example')).toEqual({});
  });
});

describe('the mail of a check', () => {
  it('is the confirmation mail of a form, with a link that confirms nothing', async () => {
    const mail = await startMailServer();
    const config = readConfig({ ...environment, ...settingsFor(mail), RELAY_PAGE_LANG: 'de' });
    expect(await checkSender(config, [], openTransport, { mail: 'me@shop.example' })).toEqual([
      { name: 'test mail', result: 'ok', text: expect.stringContaining('Authentication-Results') as string },
    ]);
    expect(mail.received).toMatchObject([
      { recipient: 'me@shop.example', subject: 'Newsletter: Bitte bestätige deine Anmeldung' },
    ]);
  });

  it('says why it was not sent', async () => {
    const mail = await startMailServer();
    const config = readConfig({ ...environment, ...settingsFor(mail) });
    await mail.close();
    const [failed] = await checkSender(config, [], openTransport, { mail: 'me@shop.example' });
    expect(failed).toMatchObject({ name: 'test mail', result: 'failed' });
    expect(failed?.text).toContain('cannot be reached');
    const without = readConfig(environment);
    expect(await checkSender(without, [], openTransport, { mail: 'me@shop.example' })).toMatchObject([
      { name: 'test mail', result: 'failed', text: expect.stringContaining('RELAY_CONFIRMATION') as string },
    ]);
  });
});
