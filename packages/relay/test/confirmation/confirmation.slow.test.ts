/** Double opt-in with real processes and ports: SIGKILL, many signups, check, and several relays. */
import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { run, serve, type ServingRelay } from '../commands/relay-process.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { linkIn, Refusal, startMailServer, type MailServer } from '../mail-server.ts';
import { onPort, sandboxApi } from '../sandbox-api.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { claimMs } from '../../src/store/signup-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { sharedPostgres } from '../postgres-server.ts';
import { environment, post, publicationId, runRelay } from '../running-relay.ts';
import { confirming } from './confirming.ts';

const settingsFor = (mail: MailServer): Record<string, string> => ({
  RELAY_CONFIRMATION: 'true',
  RELAY_SMTP_URL: mail.url,
  RELAY_MAIL_FROM: 'news@shop.example',
  RELAY_PUBLIC_URL: 'https://signup.shop.example/relay',
});

/** The link as a proxy passes it on that serves the relay at the public address. */
const throughProxy = ({ address }: Pick<ServingRelay, 'address'>, link: string): string =>
  link.replace('https://signup.shop.example/relay', address);

/** The page of a confirmed signup, before its delivery or after. */
const state = /Thank you, we have noted it|You are subscribed/;

it('signups, mails and links survive SIGKILL, and each signup is delivered once', async () => {
  const api = sandboxApi();
  const mail = await startMailServer();
  const folder = scratchFolder();
  const settings = { ...settingsFor(mail), NEWSLETTER_API_URL: `${await onPort(api.fetch)}/v2` };

  // Killed while the mail is in flight: the mail server has accepted it, and the relay does not know.
  const held = Promise.withResolvers<void>();
  mail.holdContent = () => held.promise;
  const first = await serve(folder, settings);
  expect((await first.signUp('ada@example.com')).status).toBe(202);
  await waitUntil('the mail is in flight', () => mail.received.length === 1);
  first.child.kill('SIGKILL');
  await first.ended;
  held.resolve();
  mail.holdContent = null;

  const second = await serve(folder, settings);
  const [received] = mail.received;
  if (!received) throw new Error('There is no mail.');
  const link = throughProxy(second, linkIn(received));
  const page = await fetch(link);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('>Confirm</button>')]);
  expect(api.received).toEqual([]);
  // Redirected to the same page, which now says what is known.
  const clicked = await fetch(link, { method: 'POST' });
  expect([clicked.status, await clicked.text()]).toEqual([200, expect.stringMatching(state)]);
  await waitUntil('delivery', () => api.received.length === 1);
  second.child.kill('SIGKILL');
  await second.ended;

  const third = await serve(folder, settings);
  const again = await fetch(throughProxy(third, linkIn(received)), { method: 'POST' });
  expect([again.status, await again.text()]).toEqual([200, expect.stringMatching(state)]);
  third.child.kill('SIGTERM');
  expect((await third.ended).code).toBe(0);
  expect((await api.subscriptions()).filter(({ email }) => email === 'ada@example.com')).toHaveLength(1);
  expect(mail.received).toHaveLength(1);
});

it('after SIGKILL a mail whose content has ended is tried again after a day, another one soon', async () => {
  const mail = await startMailServer();
  const never = new Promise<never>(() => {});
  const asked = Promise.withResolvers<void>();
  mail.refuseRecipient = (address) => (address.startsWith('bob') ? (asked.resolve(), never) : null);
  mail.holdContent = () => never;
  const folder = scratchFolder();
  const relay = await serve(folder, settingsFor(mail));
  for (const name of ['ada', 'bob']) expect((await relay.signUp(`${name}@example.com`)).status).toBe(202);
  await waitUntil('the content of one mail has ended', () => mail.received.length === 1);
  await asked.promise;
  relay.child.kill('SIGKILL');
  await relay.ended;
  const store = openSqliteStore(`${folder}/relay.db`);
  onTestFinished(() => store.close());
  const day = 86_400_000;
  const emailsAfter = async (ms: number): Promise<string[]> => {
    const claim = { forms: ['default'], limit: 9, now: Date.now() + ms, mailsOf: { default: publicationId } };
    return (await store.claim(claim)).map(({ submission }) => submission.email);
  };
  expect(await emailsAfter(claimMs)).toEqual(['bob@example.com']);
  expect(await emailsAfter(day - claimMs)).toEqual(['bob@example.com']);
  expect(await emailsAfter(day)).toContain('ada@example.com');
});

it('a mail server that answers the content after 130 seconds gets one mail', { timeout: 300_000 }, async () => {
  const mail = await startMailServer();
  mail.holdContent = () => sleep(130_000);
  const relay = confirming(mail);
  await relay.signUp('ada@example.com');
  await waitUntil('it is sent', () => relay.events.some(({ type }) => type === 'confirmationSent'));
  expect(mail.received).toHaveLength(1);
  expect(await relay.store.nextDueAt(['default'], 'unconfirmed')).toBeNull();
  expect(relay.events.map(({ type }) => type)).toEqual(['accepted', 'confirmationSent']);
});

it('"check" logs in at the mail server, and requests the address of the links', async () => {
  const api = sandboxApi();
  const mail = await startMailServer({
    disabledCommands: ['STARTTLS'],
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right-password' ? done(null, { user: username }) : done(new Refusal(535, 'no, ada@shop.example')),
  });
  const folder = scratchFolder();
  mkdirSync(`${folder}/checked`);
  const settings = {
    ...environment,
    ...settingsFor(mail),
    NEWSLETTER_API_URL: `${await onPort(api.fetch)}/v2`,
    RELAY_SMTP_URL: `smtp://relay:right-password@127.0.0.1:${mail.port}`,
  };
  const relay = await serve(folder, settings);
  const checked = { ...settings, RELAY_STORE: `sqlite:${folder}/checked/relay.db`, RELAY_PUBLIC_URL: relay.address };
  const good = await run(['check'], checked);
  expect(good.stdout).toContain(`✓ mail server: 127.0.0.1:${mail.port} takes mails`);
  expect(good.stdout).toContain(`✓ links in mails: ${relay.address} leads to the relay`);
  expect(good.code).toBe(0);

  const bad = await run(['check'], {
    ...checked,
    RELAY_SMTP_URL: `smtp://relay:wrong-password@127.0.0.1:${mail.port}`,
    RELAY_PUBLIC_URL: settings.NEWSLETTER_API_URL,
  });
  expect(bad.stdout).toContain('✗ mail server: The mail server does not accept the account of RELAY_SMTP_URL');
  expect(bad.stdout).toContain('! links in mails: ');
  expect(bad.stdout + bad.stderr).not.toMatch(/wrong-password|ada@/);
  expect(bad.code).toBe(1);
  // Neither did `serve` find anything else than that its own public address leads nowhere.
  await waitUntil('the log names it', () => relay.output().includes('does not lead to a relay'));
});

it('several relays on one database send one mail per signup, and each of them accepts the click', async () => {
  const address = await sharedPostgres().database();
  const mail = await startMailServer();
  const settings = { ...settingsFor(mail), RELAY_SECRET: 'the-same-secret-everywhere-0123', RELAY_LIMIT_IP: '0' };
  const relays = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const store = await openPostgresStore(address);
      onTestFinished(() => store.close());
      return runRelay({ store, settings });
    }),
  );
  for (const relay of relays) relay.start();
  const people = Array.from({ length: 45 }, (_, n) => `person${n}@example.com`);
  await Promise.all(
    people.map(async (email, n) => {
      expect((await relays[n % 3]?.fetch(post({ email })))?.status).toBe(202);
    }),
  );
  await waitUntil('all mails', () => mail.received.length >= people.length);
  for (const [n, received] of mail.received.entries()) {
    const link = throughProxy({ address: 'http://relay.example' }, linkIn(received));
    const answer = await relays[(n + 1) % 3]?.fetch(new Request(link, { method: 'POST' }));
    expect(answer?.status).toBe(303);
  }
  expect(await relays[0]?.store.counts()).toMatchObject({ unconfirmed: 0 });
  expect(mail.received.map(({ recipient }) => recipient).toSorted()).toEqual(people.toSorted());
});
