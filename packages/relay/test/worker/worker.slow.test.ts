/** The Worker in workerd: restarts, several publications, the operator, mails and limits. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { run, serve } from '../commands/relay-process.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../mail-server.ts';
import { publicationId } from '../running-relay.ts';
import { secret, startReceiver, webhookSettings } from '../webhooks/receiver.ts';
import { api, start, token } from './running-worker.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

const other = 'pub_00000000-0000-4000-8000-000000000002';

describe('newsletter-relay --remote', () => {
  it.each([
    [['http://relay.example', 'status'], '--remote must be the https address of a relay'],
    [['relay.example', 'status'], '--remote must be the https address of a relay'],
    [['http://127.0.0.1:9', 'status'], 'does not answer: check the address after --remote'],
    [['https://relay.example', 'serve'], 'serve works on this machine alone: leave out --remote'],
  ])('%j is refused with a sentence', async (args, sentence) => {
    const { code, stderr } = await run(['--remote', ...args], { RELAY_OPERATOR_TOKEN: token });
    expect(code).not.toBe(0);
    expect(stderr).toContain(sentence);
  });

  it('needs the operator token', async () => {
    const { code, stderr } = await run(['status', '--remote', 'https://relay.example']);
    expect([code, stderr]).toEqual([2, expect.stringContaining("needs the relay's operator token")]);
  });
});

describe('the Worker', () => {
  it('keeps signups while the API fails, and delivers them after a restart', async () => {
    const { sandbox, settings } = await api();
    sandbox.instead = () => Promise.resolve(Response.json({}, { status: 503 }));
    const storage = scratchFolder();
    const before = await start(settings, storage);
    expect((await before.signUp('ada@example.com')).status).toBe(202);
    await waitUntil('an attempt has failed', () => before.logged.some((line) => line.includes('will be tried again')));
    await before.stop();
    sandbox.instead = null;
    const after = await start(settings, storage);
    await after.runCron();
    await waitUntil('it is delivered', () => sandbox.received.some(({ email }) => email === 'ada@example.com'));
  });

  it('sends signed webhooks, keeps them while the receiver is down, and over a restart', async () => {
    const receiver = await startReceiver();
    receiver.instead = () => Promise.resolve(new Response(null, { status: 503 }));
    const { settings } = await api();
    const storage = scratchFolder();
    const before = await start({ ...settings, ...webhookSettings(receiver) }, storage);
    expect((await before.signUp('ada@example.com')).status).toBe(202);
    await waitUntil('it was attempted', () => receiver.received.length > 0);
    await waitUntil('this is written down', async () =>
      (await before.command('webhooks')).stdout.includes('The receiver answered 503.'),
    );
    await before.stop();
    receiver.instead = null;
    const after = await start({ ...settings, ...webhookSettings(receiver) }, storage);
    expect((await after.command('webhooks', 'resume', 'default')).stdout).toBe(
      'What waits for "default" is due now.\n',
    );
    await waitUntil('it is accepted', async () =>
      (await after.command('webhooks')).stdout.startsWith('default: 0 waiting, 0 dead'),
    );
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    expect(receiver.received.at(-1)).toMatchObject({ type: 'signup.delivered', data: { email: 'ada@example.com' } });
    expect(receiver.invalid).toBe(0);
    expect([...before.logged, ...after.logged].join('\n')).not.toMatch(/ada@|whsec_|secret-path/);
  });

  it('follows no redirect of a webhook, and holds a destination that answers 410', async () => {
    const [other, receiver] = [await startReceiver(), await startReceiver()];
    receiver.instead = () => Promise.resolve(Response.redirect(other.url, 308));
    const { settings } = await api();
    const worker = await start({ ...settings, ...webhookSettings(receiver) });
    await worker.signUp('ada@example.com');
    const told = (sentence: string) => async () => (await worker.command('webhooks')).stdout.includes(sentence);
    await waitUntil('the redirect is reported', told('The receiver answered 308, a redirect, which is not followed'));
    receiver.instead = () => Promise.resolve(new Response(null, { status: 410 }));
    await worker.command('webhooks', 'resume', 'default');
    await waitUntil('it is held', told('Held: The receiver answered 410'));
    expect(await (await worker.get('/metrics')).text()).toContain(
      'newsletter_relay_webhook_up{destination="default"} 0',
    );
    expect(other.received).toEqual([]);
  });

  it('shows metrics and signups only with the operator token', async () => {
    const worker = await start();
    for (const path of ['/metrics', '/operator/api/status'])
      expect([(await worker.get(path, 'wrong')).status, (await worker.get(path)).status]).toEqual([401, 200]);
    expect(await (await worker.get('/operator', '')).text()).toContain('<!doctype html>');
    const without = await start({ RELAY_OPERATOR_TOKEN: '' });
    for (const path of ['/metrics', '/operator', '/operator/api/status'])
      expect((await without.get(path, '')).status).toBe(404);
  });

  it('keeps each publication in an object of its own, named in the address, and imports what newsletter-relay export wrote', async () => {
    const { settings } = await api();
    const config = { forms: { default: null, shop: { publication_id: other } } };
    const worker = await start({ ...settings, RELAY_CONFIG: JSON.stringify(config) });
    expect((await worker.signUp('ada@example.com')).status).toBe(202);
    expect((await worker.signUp('bob@example.com', { path: '/signup/shop' })).status).toBe(202);
    const first = worker.of(publicationId);
    const second = worker.of(other);
    const counts = async (of: typeof first) =>
      JSON.parse((await of.command('status', '--json')).stdout) as {
        readonly counts: Readonly<Record<string, number>>;
      };
    await waitUntil('the first is delivered', async () => (await counts(first)).counts['delivered'] === 1);
    expect(await counts(second)).toMatchObject({ counts: { delivered: 0, waiting: 1 } });

    for (const path of ['/metrics', '/operator', '/operator/api/status']) {
      const answer = await worker.get(path);
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining(`begin the path with that of one, /publications/ID${path}.`),
      ]);
      expect((await worker.get(`/publications/pub_00000000-0000-4000-8000-00000000dead${path}`)).status).toBe(404);
    }
    for (const path of ['/metrics', '/operator/api/status'])
      expect((await worker.get(`/publications/${other}${path}`, 'wrong')).status).toBe(401);
    expect((await worker.command('status')).stderr).toContain('This relay has several publications');
    for (const path of ['/operator', '/operator/'])
      expect(await (await second.get(path, '')).text()).toContain('<!doctype html>');
    const address = encodeURIComponent(`${worker.url}/publications/${other}`);
    expect(await (await second.get(`/operator/api/forms?address=${address}`)).json()).toMatchObject({
      forms: [{ name: 'shop', snippet: expect.stringContaining(`endpoint="${worker.url}/signup/shop"`) as unknown }],
    });
    expect(await (await second.get('/metrics')).text()).toContain('{state="waiting"} 1');

    const exported = (await Promise.all([first, second].map((each) => each.command('export')))).map(
      ({ stdout }) => stdout,
    );
    const file = join(scratchFolder(), 'export.ndjson');
    writeFileSync(file, exported.join(''));
    const moved = await start({ ...settings, RELAY_CONFIG: JSON.stringify(config) });
    for (const [id, form, email] of [
      [publicationId, 'default', 'ada@example.com'],
      [other, 'shop', 'bob@example.com'],
    ] as const) {
      const { command } = moved.of(id);
      expect((await command('import', '--form', form, file)).stdout).toContain('Read: 1 signups, of which 1 were new');
      expect((await command('import', '--form', form, file)).stdout).toContain('Read: 1 signups, of which 0 were new');
      expect((await command('export')).stdout).toContain(email);
    }
    expect((await second.command('erase', 'bob@example.com')).stdout).toContain('Erased: 1 signup');
    const erased = 'The hash of the address is in the list of erased people.\n';
    expect((await second.command('person', 'bob@example.com')).stdout).toBe(erased);
    expect((await first.command('person', 'bob@example.com')).stdout).toContain('Nothing is held');
  });

  it('takes over what a machine had accepted before newsletter-relay pause, and gives it back', async () => {
    const { sandbox, settings } = await api();
    const consent = { RELAY_CONSENT_VERSION: 'privacy 2026-02', RELAY_SECRET: 'a-secret-of-enough-characters' };
    const folder = scratchFolder();
    const machine = await serve(folder, { ...settings, ...consent });
    const store = { RELAY_STORE: `sqlite:${folder}/relay.db`, RELAY_PORT: new URL(machine.address).port };
    expect((await machine.signUp('ada@example.com', { consent: true })).status).toBe(202);
    await waitUntil('the first is delivered', () => sandbox.received.length === 1);
    expect((await run(['pause'], store)).code).toBe(0);
    expect((await machine.signUp('bob@example.com', { consent: true })).status).toBe(202);
    const toWorker = join(scratchFolder(), 'relay.ndjson');
    writeFileSync(toWorker, (await run(['export'], store)).stdout);
    machine.child.kill('SIGTERM');
    await machine.ended;

    const worker = await start({ ...settings, ...consent });
    expect((await worker.command('import', toWorker)).stdout).toContain('Read: 2 signups, of which 2 were new');
    await waitUntil('what waited is delivered', () => sandbox.received.length === 2);
    expect(sandbox.received.map(({ email }) => email)).toEqual(['ada@example.com', 'bob@example.com']);
    await waitUntil(
      'this is written down',
      async () => (await worker.command('export')).stdout.match(/"delivered"/g)?.length === 2,
    );
    const toMachine = join(scratchFolder(), 'relay.ndjson');
    writeFileSync(toMachine, (await worker.command('export')).stdout);

    const back = { RELAY_STORE: `sqlite:${scratchFolder()}/relay.db` };
    expect((await run(['import', toMachine], back)).stdout).toContain('Read: 2 signups, of which 2 were new');
    const sorted = (text: string): string[] => text.trim().split('\n').toSorted();
    expect(sorted((await run(['export'], back)).stdout)).toEqual(sorted(readFileSync(toMachine, 'utf8')));
    expect((await run(['person', 'bob@example.com'], back)).stdout).toContain(
      'Held: 1 signup and 1 entry of the consent ledger.',
    );
  });

  it('delivers once, however often its alarm and its cron trigger fire', async () => {
    const { sandbox, settings } = await api();
    const worker = await start(settings);
    const release = Promise.withResolvers<null>();
    sandbox.instead = async (request) => {
      await release.promise;
      sandbox.instead = null;
      return sandbox.fetch(request);
    };
    await Promise.all([worker.signUp('ada@example.com'), worker.runCron(), worker.runCron()]);
    await worker.runCron();
    release.resolve(null);
    await waitUntil('it is delivered', async () => {
      const metrics = await (await worker.get('/metrics')).text();
      return metrics.includes('newsletter_relay_queue{state="delivered"} 1');
    });
    await worker.runCron();
    expect(sandbox.received).toHaveLength(1);
  });

  it('refuses storage of a newer version, and keeps it', async () => {
    const storage = scratchFolder();
    const before = await start({}, storage);
    expect((await before.signUp('ada@example.com')).status).toBe(202);
    await before.stop();
    const [file = ''] = globSync('**/*.sqlite', { cwd: storage }).filter((path) => !path.includes('metadata'));
    const db = new DatabaseSync(join(storage, file));
    const version = db.prepare(`SELECT value FROM setting WHERE name = 'version'`).get()?.['value'];
    const write = db.prepare(`UPDATE setting SET value = ? WHERE name = 'version'`);
    write.run('99');
    const newer = await start({}, storage);
    expect((await newer.signUp('bob@example.com')).status).toBe(503);
    expect(await (await newer.get('/readyz')).json()).toEqual({
      status: 'unready',
      reason: 'This Durable Object was written by a newer relay (version 99): update this one.',
    });
    await newer.stop();
    write.run(String(version));
    db.close();
    const after = await start({}, storage);
    expect((await after.command('person', 'ada@example.com')).stdout).toContain('Held: 1 signup');
  });

  it('counts the rate limit of a visitor, also after a restart, and believes no header of a visitor', async () => {
    const storage = scratchFolder();
    const settings = { RELAY_LIMIT_IP: '2/1h' };
    const before = await start(settings, storage);
    expect((await before.signUp('a@example.com')).status).toBe(202);
    expect((await before.signUp('b@example.com')).status).toBe(202);
    await before.stop();
    const after = await start(settings, storage);
    expect((await after.signUp('c@example.com')).status).toBe(429);
  });

  it('sends the confirmation mail, delivers after the click, and unsubscribes at the one click of a mail program', async () => {
    const { sandbox, settings } = await api();
    const mail = await startMailServer();
    const worker = await start({ ...settings, ...confirming(mail) });
    expect((await worker.signUp('ada@example.com')).status).toBe(202);
    const path = pathIn(await waitUntil('the mail arrives', () => mail.received[0] ?? null));
    expect((await fetch(worker.url + path, { method: 'POST' })).status).toBe(200);
    await waitUntil('it is delivered', () => sandbox.received.some(({ email }) => email === 'ada@example.com'));
    for (const body of [new URLSearchParams(oneClick), multipart(oneClick)])
      expect((await fetch(`${worker.url}${path}/not-me`, { method: 'POST', body, redirect: 'manual' })).status).toBe(
        200,
      );
    await waitUntil('the person is unsubscribed', async () => {
      sandbox.sandbox.clock.advance(1000);
      return (await sandbox.subscriptions()).some(
        ({ email, status }) => email === 'ada@example.com' && status === 'inactive',
      );
    });
    expect((await worker.signUp('bob@example.com')).status).toBe(202);
    const other = pathIn(await waitUntil('the second mail', () => mail.received[1] ?? null));
    await fetch(`${worker.url}${other}/not-me`, { method: 'POST', body: new URLSearchParams(oneClick) });
    expect((await worker.command('status')).stdout).toContain('Unconfirmed  0');
  });

  it('takes a bounce for the publication whose mail came back', async () => {
    const { settings } = await api();
    const mail = await startMailServer();
    const worker = await start({
      ...settings,
      ...confirming(mail),
      RELAY_BOUNCE_SECRET: secret,
      RELAY_CONFIG: JSON.stringify({ forms: { default: null, shop: { publication_id: other } } }),
    });
    expect((await worker.signUp('bob@example.com', { path: '/signup/shop' })).status).toBe(202);
    await waitUntil('the mail arrives', () => mail.received.length === 1);
    const body = JSON.stringify({ address: 'bob@example.com', reason: '550 5.1.1 unknown', hard: true });
    const at = new Date();
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
    };
    expect((await fetch(`${worker.url}/bounces`, { method: 'POST', headers, body })).status).toBe(204);
    expect((await worker.of(other).command('dead')).stdout).toContain('The confirmation mail came back: 550 5.1.1');
    const forged = { ...headers, 'webhook-signature': 'v1,AAAA' };
    expect((await fetch(`${worker.url}/bounces`, { method: 'POST', headers: forged, body })).status).toBe(401);
  });
});

const confirming = ({ url }: MailServer) => ({
  RELAY_CONFIRMATION: 'true',
  RELAY_MAIL_FROM: 'news@example.com',
  RELAY_SMTP_URL: url,
  RELAY_PUBLIC_URL: 'https://relay.example',
  RELAY_SECRET: 'a-secret-of-enough-characters',
});

const pathIn = ({ text = '' }: ReceivedMail): string =>
  /https:\/\/relay\.example(\/\S*confirm\/\S+)/.exec(text)?.[1] ?? '';

const oneClick = { 'List-Unsubscribe': 'One-Click' };

function multipart(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}
