/** The platform under the Worker, in workerd: encrypted mail, DNS, Turnstile, alarms and clocks. */
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { generate } from 'selfsigned';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { startMailServer } from '../mail-server.ts';
import { api, start } from './running-worker.ts';
import { bundleInFile, serveWorker } from './worker-process.ts';

const dayMs = 86_400_000;

/** The database of the one object in a folder of storage. */
function openStorage(folder: string): DatabaseSync {
  const [file = ''] = globSync('**/*.sqlite', { cwd: folder }).filter((path) => !path.includes('metadata'));
  return new DatabaseSync(join(folder, file));
}

const token = 'a-token-of-the-operator-0123456789';

describe('the Worker', () => {
  it('sends mails over STARTTLS and over TLS, with login', async () => {
    const folder = scratchFolder();
    // By its address: workerd would ask a public name server for the name.
    const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, cert);
    const bundle = await bundleInFile(folder);
    for (const secure of [false, true]) {
      const mail = await startMailServer({
        cert,
        key,
        secure,
        disabledCommands: [],
        authOptional: false,
        onAuth: ({ username, password }, _session, done) =>
          password === 'p:/ä' ? done(null, { user: username }) : done(new Error('wrong')),
      });
      mail.holdContent = () => new Promise(() => {});
      const worker = await serveWorker(bundle, {
        RELAY_OPERATOR_TOKEN: token,
        NODE_EXTRA_CA_CERTS: authority,
        RELAY_CONFIRMATION: 'true',
        RELAY_MAIL_FROM: 'news@example.com',
        RELAY_SMTP_URL: `${secure ? 'smtps' : 'smtp'}://relay:${encodeURIComponent('p:/ä')}@127.0.0.1:${mail.port}?tls=verified`,
        RELAY_PUBLIC_URL: 'https://relay.example',
        RELAY_SECRET: 'a-secret-of-enough-characters',
      });
      expect((await worker.signUp('ada@example.com')).status).toBe(202);
      const received = await waitUntil('the mail arrives', () => {
        expect(worker.output()).not.toContain('mail server');
        return mail.received[0] ?? null;
      });
      expect(received).toMatchObject({ secure: true, user: 'relay', recipient: 'ada@example.com' });
      // The server has its content, and has not answered it.
      const noted = await fetch(`${worker.address}/operator/api/signups`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(await noted.text()).toContain('the mail server has not confirmed the mail');
      await worker.kill();
    }
  });

  it('asks Turnstile about a proof', async () => {
    const { sandbox, settings } = await api();
    const asked: Record<string, string>[] = [];
    const turnstile = {
      name: 'challenges.cloudflare.com',
      answer(_url: URL, body: string) {
        const question = Object.fromEntries(new URLSearchParams(body));
        asked.push(question);
        return question['response'] === 'good'
          ? { success: true, hostname: 'shop.example' }
          : { success: false, 'error-codes': ['invalid-input-response'] };
      },
    };
    const protection = {
      RELAY_PROOF: 'always',
      RELAY_SECRET: 'a-secret-of-enough-characters',
      RELAY_TURNSTILE_SITE_KEY: '0x4site',
      RELAY_TURNSTILE_SECRET: 'turnstile-secret',
    };
    const worker = await start({ ...settings, ...protection }, undefined, { host: turnstile });
    const statuses: number[] = [];
    for (const proof of [undefined, 'bad', 'good'])
      statuses.push((await worker.signUp('ada@example.com', { fields: { proof } })).status);
    expect(statuses).toEqual([403, 403, 202]);
    expect(asked).toEqual(
      ['bad', 'good'].map((response) => ({ secret: 'turnstile-secret', response, remoteip: '192.0.2.1' })),
    );
    await waitUntil('it is delivered', () => sandbox.received.length === 1);
  });

  it('asks a name server over HTTPS whether a domain receives mail', async () => {
    const { sandbox, settings } = await api();
    const asked: string[] = [];
    const worker = await start({ ...settings, RELAY_MX_CHECK: 'review' }, undefined, {
      host: {
        name: 'cloudflare-dns.com',
        answer(url) {
          const name = url.searchParams.get('name') ?? '';
          const type = url.searchParams.get('type') ?? '';
          asked.push(`${type} ${name}`);
          const hasMail = name === 'good.example' && type === 'MX';
          return {
            Status: hasMail ? 0 : 3,
            Question: [{ name, type: 15 }],
            ...(hasMail && { Answer: [{ name, type: 15, TTL: 60, data: '10 mx.good.example.' }] }),
          };
        },
      },
    });
    for (const email of ['ada@bad.example', 'ada@good.example']) expect((await worker.signUp(email)).status).toBe(202);
    await waitUntil('the good one is delivered', () => sandbox.received.length === 1);
    expect(sandbox.received).toMatchObject([{ email: 'ada@good.example' }]);
    expect(asked).toEqual(['MX bad.example', 'A bad.example', 'AAAA bad.example', 'MX good.example']);
    expect((await worker.command('export', '--state', 'review')).stdout).toContain('ada@bad.example');
  });

  it('delivers what waits for a time far ahead, because the clock was set back', async () => {
    const { sandbox, settings } = await api();
    sandbox.instead = () => Promise.resolve(Response.json({}, { status: 503 }));
    const storage = scratchFolder();
    const before = await start(settings, storage);
    expect((await before.signUp('ada@example.com')).status).toBe(202);
    await waitUntil('an attempt has failed', () => before.logged.some((line) => line.includes('will be tried again')));
    await before.stop();
    const db = openStorage(storage);
    expect(db.prepare('UPDATE signup SET next_attempt_at = next_attempt_at + ?').run(30 * dayMs).changes).toBe(1);
    db.close();
    sandbox.instead = null;
    const after = await start(settings, storage);
    await after.runCron();
    await waitUntil('it is delivered', () => sandbox.received.length === 1);
  });

  it('delivers by its alarm where that fires late, because nothing ran meanwhile', async () => {
    const { sandbox, settings } = await api();
    const storage = scratchFolder();
    const before = await start({ ...settings, NEWSLETTER_API_URL: 'http://127.0.0.1:9/v2' }, storage);
    expect((await before.signUp('ada@example.com')).status).toBe(202);
    await before.stop();
    const after = await start(settings, storage);
    expect((await after.get('/livez')).status).toBe(200);
    await waitUntil('it is delivered', () => sandbox.received.length === 1);
  });

  it('delivers by its alarm what an interrupted one had begun', async () => {
    const { sandbox, settings } = await api();
    const begun = Promise.withResolvers<null>();
    sandbox.instead = () => {
      begun.resolve(null);
      return new Promise(() => {});
    };
    const storage = scratchFolder();
    const before = await start(settings, storage);
    expect((await before.signUp('ada@example.com')).status).toBe(202);
    await begun.promise;
    await before.stop();
    sandbox.instead = null;
    const after = await start(settings, storage);
    expect((await after.get('/livez')).status).toBe(200);
    await waitUntil('it is delivered', () => sandbox.received.length === 1);
  });

  it('erases what is older than its retention', async () => {
    const { settings } = await api();
    const storage = scratchFolder();
    const before = await start(settings, storage);
    expect((await before.signUp('ada@example.com')).status).toBe(202);
    await waitUntil('it is delivered', async () =>
      (await (await before.get('/metrics')).text()).includes('newsletter_relay_queue{state="delivered"} 1'),
    );
    await before.stop();
    const db = openStorage(storage);
    db.prepare('UPDATE signup SET received_at = received_at - ?1, settled_at = settled_at - ?1').run(400 * dayMs);
    // Erasure is due each hour.
    expect(db.prepare(`DELETE FROM _cf_KV WHERE key = 'erasedAt'`).run().changes).toBe(1);
    db.close();
    const after = await start(settings, storage);
    expect((await after.command('person', 'ada@example.com')).stdout).toContain('Held: 1 signup');
    await after.runCron();
    await waitUntil('it is erased', async () =>
      (await after.command('person', 'ada@example.com')).stdout.includes('Nothing is held'),
    );
  });
});
