/** Mails that came back, as the service behind the mail server reports them. */
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/errors.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { changedStore } from '../changed-store.ts';
import { linkIn, startMailServer } from '../mail-server.ts';
import { runRelay } from '../running-relay.ts';
import { secret } from '../webhooks/receiver.ts';
import { confirming, mailTo } from './confirming.ts';

const bounced = { address: 'Ada@Example.com', reason: '550 5.1.1 <ada@example.com> unknown', hard: true };

interface Signing {
  readonly key?: string;
  readonly prefix?: string;
  /** When it was signed, in milliseconds before now. */
  readonly ageMs?: number;
}

function report(body: unknown, { key = secret, prefix = 'webhook', ageMs = 0 }: Signing = {}): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const at = new Date(Date.now() - ageMs);
  const headers = {
    [`${prefix}-id`]: 'msg_1',
    [`${prefix}-timestamp`]: String(Math.floor(at.getTime() / 1000)),
    [`${prefix}-signature`]: new Webhook(key).sign('msg_1', at, text),
  };
  return new Request('http://relay.example/bounces', { method: 'POST', headers, body: text });
}

/** A relay that has sent a mail to Ada. */
async function mailed(now?: () => number) {
  const mail = await startMailServer();
  const relay = confirming(mail, { settings: { RELAY_BOUNCE_SECRET: secret }, ...(now && { now }) });
  await relay.signUp('ada@example.com');
  await mailTo(mail, 'ada@example.com');
  await waitUntil('it is written down', async () => {
    const [signup] = await relay.store.list({}, { limit: 1 });
    return signup?.nextAttemptAt === null;
  });
  return {
    mail,
    relay,
    tell: async (...post: Parameters<typeof report>) => (await relay.fetch(report(...post))).status,
  };
}

it.each([
  ['as this endpoint has it', bounced, 'webhook'],
  [
    'as Resend has it',
    { type: 'email.bounced', data: { to: ['ada@example.com'], bounce: { type: 'Permanent', message: '550 unknown' } } },
    'svix',
  ],
  ['as a report of spam', { type: 'email.complained', data: { to: ['ada@example.com'] } }, 'svix'],
])('a hard bounce, %s, makes a dead letter of the signup, and ends the mails', async (_, body, prefix) => {
  let passed = 0;
  const { mail, relay, tell } = await mailed(() => Date.now() + passed);
  for (let n = 0; n < 2; n += 1) expect(await tell(body, { prefix })).toBe(204);
  expect((await relay.store.overview(Date.now())).deadByReason).toMatchObject([
    { reason: expect.stringMatching(/^The confirmation mail came back: (?:550|It was reported)/) as string, count: 1 },
  ]);
  expect(relay.events.filter(({ type }) => type === 'deadLetter')).toMatchObject([{ ofMail: true }]);
  passed = 30 * 86_400_000;
  await relay.signUp('ada@example.com', { utm_source: 'again' });
  await relay.signUp('last@example.com');
  await mailTo(mail, 'last@example.com');
  expect(mail.received).toHaveLength(2);
  expect(await relay.store.list({ reason: 'a mail to it came back' }, { limit: 9 })).toHaveLength(1);
  expect(relay.logged.join('')).not.toMatch(/ada@/i);
});

it.each([
  ['its service calls it so', 'The mailbox is full.', false],
  ['the server said so, whatever its service calls it', 'smtp; 452 4.2.2 Mailbox full', true],
  ['its code says so, whatever the code inside it', '451 5.1.1 Recipient address rejected: try later', true],
])('a soft one, as %s, is told with the signup, which the person can still confirm', async (_, reason, hard) => {
  const { mail, relay, tell } = await mailed();
  expect(await tell({ ...bounced, reason, hard })).toBe(204);
  const [noted] = (await relay.store.person('ada@example.com')).signups;
  expect(noted).toMatchObject({ state: 'unconfirmed', reason: `The confirmation mail came back for now: ${reason}` });
  await relay.visit(linkIn(await mailTo(mail, 'ada@example.com')), 'POST');
  expect(await relay.store.counts()).toMatchObject({ unconfirmed: 0, dead: 0 });
});

it.each([
  ['smtp; 550 4.2.2 mailbox over quota', true],
  ['5.1.1 (unknown user)', true],
  ['Mailbox has 512 messages, limit 500', false],
])('a server that says %s has refused it for good: %s', async (reason, isHard) => {
  const { relay, tell } = await mailed();
  expect(await tell({ ...bounced, reason, hard: false })).toBe(204);
  expect((await relay.store.counts()).dead).toBe(Number(isHard));
});

it('another event, and an address that is not known change nothing and are answered alike', async () => {
  const { relay, tell } = await mailed();
  expect(await tell({ type: 'email.delivered', data: { to: ['ada@example.com'] } })).toBe(204);
  expect(await tell({ ...bounced, address: 'nobody@example.com' })).toBe(204);
  expect(await relay.store.counts()).toMatchObject({ unconfirmed: 1, dead: 0 });
  expect((await relay.store.person('nobody@example.com')).mails).toEqual([]);
});

it('one of a signup that is confirmed leaves it as it is', async () => {
  const { mail, relay, tell } = await mailed();
  await relay.store.setPaused(true);
  await relay.visit(linkIn(await mailTo(mail, 'ada@example.com')), 'POST');
  expect(await tell(bounced)).toBe(204);
  expect(await relay.store.counts()).toMatchObject({ waiting: 1, dead: 0 });
});

it('nothing is taken that is not signed with the secret, now', async () => {
  const { relay, tell } = await mailed();
  expect(await tell(bounced, { key: `whsec_${Buffer.alloc(32, 7).toString('base64')}` })).toBe(401);
  expect(await tell(bounced, { ageMs: 3_600_000 })).toBe(401);
  const unsigned = new Request('http://relay.example/bounces', { method: 'POST', body: JSON.stringify(bounced) });
  expect((await relay.fetch(unsigned)).status).toBe(401);
  expect(await tell('not JSON')).toBe(400);
  expect(await tell({ email: 'ada@example.com' })).toBe(400);
  expect(await relay.store.counts()).toMatchObject({ unconfirmed: 1 });
});

it('is answered with 503 while the store fails, and with 404 without a secret', async () => {
  const fails = () => Promise.reject(new StoreUnavailableError('The disk is full.'));
  const store = changedStore(runRelay().store, { person: fails });
  const failing = runRelay({ settings: { RELAY_BOUNCE_SECRET: secret }, store });
  expect((await failing.fetch(report(bounced))).status).toBe(503);
  expect((await runRelay().fetch(report(bounced))).status).toBe(404);
});
