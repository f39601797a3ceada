/** The Worker in workerd: signups to the sandbox, several publications, the operator, settings, mails and limits. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundleWorker, startWorkerd } from '../../../../scripts/workerd.ts';
import { run } from '../commands/relay-process.ts';
import { eventually } from '../eventually.ts';
import { startMailServer } from '../mail-server.ts';
import { environment, site } from '../running-relay.ts';
import { onPort, sandboxApi } from '../sandbox-api.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

const token = 'operator-token-of-the-tests';
const other = 'pub_00000000-0000-4000-8000-000000000002';

let script: string;
beforeAll(async () => {
  script = await bundleWorker();
});

async function start(settings: Readonly<Record<string, string>> = {}, storage?: string) {
  const logged: string[] = [];
  const { url, workerd, runCron } = await startWorkerd(script, {
    variables: { ...environment, RELAY_LOG_LEVEL: 'debug', RELAY_OPERATOR_TOKEN: token, ...settings },
    onLine: (line) => logged.push(line),
    ...(storage && { storage }),
  });
  let isRunning = true;
  const stop = async (): Promise<void> => {
    if (isRunning) await workerd.dispose();
    isRunning = false;
  };
  onTestFinished(stop);
  return {
    url,
    logged,
    runCron,
    stop,
    get: (path: string, given = token) => fetch(url + path, { headers: { authorization: `Bearer ${given}` } }),
    signUp: (email: string, { path = '/signup', visitor = '192.0.2.1' } = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: {
          origin: site,
          'content-type': 'application/json',
          'cf-connecting-ip': visitor,
          // As a visitor might try, to count as somebody else each time.
          'newsletter-relay-visitor': `198.51.100.${email.length + email.charCodeAt(0)}`,
          'x-forwarded-for': `203.0.113.${email.charCodeAt(0)}`,
        },
        body: JSON.stringify({ email }),
      }),
    command: (...args: string[]) => run(['--remote', url, ...args], { RELAY_OPERATOR_TOKEN: token }),
  };
}

async function api() {
  const sandbox = sandboxApi();
  return { ...sandbox, sandbox, settings: { NEWSLETTER_API_URL: `${await onPort(sandbox.fetch)}/v2` } };
}

describe('the Worker', () => {
  it('delivers a signup that it has accepted', async () => {
    const { sandbox, settings } = await api();
    const worker = await start(settings);
    const answer = await worker.signUp('ada@example.com');
    expect([answer.status, await answer.json()]).toEqual([202, { status: 'accepted' }]);
    expect(answer.headers.get('access-control-allow-origin')).toBe(site);
    await eventually('it is delivered', () => sandbox.received.some(({ email }) => email === 'ada@example.com'));
    await eventually('this is written down', async () =>
      (await (await worker.get('/metrics')).text()).includes('newsletter_relay_queue{state="delivered"} 1'),
    );
    expect(worker.logged.join('\n')).not.toContain('ada@example.com');
  });

  it('keeps signups while the API fails, and delivers them after a restart', async () => {
    const { sandbox, settings } = await api();
    sandbox.instead = () => Promise.resolve(Response.json({}, { status: 503 }));
    const storage = scratchFolder();
    const before = await start(settings, storage);
    expect((await before.signUp('ada@example.com')).status).toBe(202);
    await eventually('an attempt has failed', () => before.logged.some((line) => line.includes('will be tried again')));
    await before.stop();
    sandbox.instead = null;
    const after = await start(settings, storage);
    await after.runCron();
    await eventually('it is delivered', () => sandbox.received.some(({ email }) => email === 'ada@example.com'));
  });

  it('says what is wrong with its settings, and answers signups with 503', async () => {
    const worker = await start({ NEWSLETTER_API_KEY: '', RELAY_STORE: 'sqlite:./relay.db', RELAY_SECRET_FILE: '/x' });
    expect((await worker.signUp('ada@example.com')).status).toBe(503);
    const answer = await worker.get('/readyz');
    expect(answer.status).toBe(503);
    const { reason } = (await answer.json()) as { readonly reason: string };
    expect(reason).toContain('NEWSLETTER_API_KEY is missing');
    expect(reason).toContain('RELAY_STORE does not exist on a Worker');
    expect(reason).toContain('RELAY_SECRET_FILE names a file, which a Worker has not: set RELAY_SECRET as a secret');
    await eventually('it is logged', () =>
      worker.logged.some((line) => line.includes('NEWSLETTER_API_KEY is missing')),
    );
    expect((await worker.get('/livez')).status).toBe(200);
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

  it('keeps each publication in an object of its own, and shows all to the operator', async () => {
    const { settings } = await api();
    const config = { forms: { default: null, shop: { publication_id: other } } };
    const worker = await start({ ...settings, RELAY_CONFIG: JSON.stringify(config) });
    expect((await worker.signUp('ada@example.com')).status).toBe(202);
    expect((await worker.signUp('bob@example.com', { path: '/signup/shop' })).status).toBe(202);
    await eventually('one is delivered, and one waits for its publication', async () => {
      const { counts } = JSON.parse((await worker.command('status', '--json')).stdout) as {
        readonly counts: Readonly<Record<string, number>>;
      };
      return counts['delivered'] === 1 && counts['waiting'] === 1;
    });
    expect((await worker.get('/metrics')).status).toBe(400);
    expect(await (await worker.get(`/metrics?publication=${other}`)).text()).toContain('{state="waiting"} 1');
    const exported = (await worker.command('export')).stdout.trim().split('\n');
    expect(exported.map((line) => (JSON.parse(line) as { form?: string }).form)).toEqual(
      expect.arrayContaining(['default', 'shop']),
    );
    expect((await worker.command('person', 'bob@example.com')).stdout).toContain('form:');
    expect((await worker.command('erase', 'bob@example.com')).stdout).toContain('Erased: 1 signup');
    expect((await worker.command('person', 'bob@example.com')).stdout).toContain('Nothing is held');
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

  it('sends the confirmation mail, and delivers after the click', async () => {
    const { sandbox, settings } = await api();
    const mail = await startMailServer();
    const worker = await start({
      ...settings,
      RELAY_CONFIRMATION: 'true',
      RELAY_MAIL_FROM: 'news@example.com',
      RELAY_SMTP_URL: mail.url,
      RELAY_PUBLIC_URL: 'https://relay.example',
      RELAY_SECRET: 'a-secret-of-enough-characters',
    });
    expect((await worker.signUp('ada@example.com')).status).toBe(202);
    const received = await eventually('the mail arrives', () => mail.received[0]);
    const [, path = ''] = /https:\/\/relay\.example(\/confirm\/\S+)/.exec(received.text ?? '') ?? [];
    expect((await fetch(worker.url + path, { method: 'POST' })).status).toBe(200);
    await eventually('it is delivered', () => sandbox.received.some(({ email }) => email === 'ada@example.com'));
  });
});
