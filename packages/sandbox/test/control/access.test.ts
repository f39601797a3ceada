/** Access to a sandbox on a port: host names, origins, the control token. */
import { request, type OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { listen, type ListenOptions } from '../../src/command/listen.ts';
import { createSandbox, publicationId, type SeedName } from '../../src/index.ts';
import { fresh } from '../caller.ts';
import { run, start, tellingScript } from '../command/process.ts';

/** A sandbox on a free port, called with headers that `fetch` does not let a program set. */
async function listening(options: Partial<ListenOptions> = {}, seed: SeedName = 'empty') {
  const { address, stop } = await listen(createSandbox({ seed }), { host: '127.0.0.1', port: 0, ...options });
  onTestFinished(stop);
  return (path: string, headers: OutgoingHttpHeaders = {}, method = 'GET') => ask(address, path, headers, method);
}

function ask(address: string, path: string, headers: OutgoingHttpHeaders = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, string | string[] | undefined>; body: string }>(
    (resolve, reject) => {
      const sent = request(address + path, { headers, method }, (answer) => {
        void text(answer).then(
          (body) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
          reject,
        );
      });
      sent.once('error', reject).end();
    },
  );
}

const everywhere = [
  '/',
  '/docs',
  '/openapi.json',
  '/_sandbox/subscriptions',
  `/v2/publications/${publicationId}/subscriptions`,
  '/oauth/authorize',
  '/nowhere',
];

test.each(['evil.example', 'evil.example:4010', 'localhost.evil.example', '127.0.0.1.evil.example', 'notlocalhost'])(
  'a request for the host %s is refused on every path and told how to allow it',
  async (host) => {
    const asks = await listening();
    for (const path of everywhere) {
      const { status, body } = await asks(path, { host });
      expect(status, path).toBe(403);
      expect(JSON.parse(body)).toMatchObject({ status: 403, statusText: 'forbidden', errors: [expect.anything()] });
      expect(body).toContain(
        `start the sandbox with --allowed-host ${host.replace(/:\d+$/, '')} (or SANDBOX_ALLOWED_HOSTS)`,
      );
    }
    expect((await asks('/_sandbox/reset', { host }, 'POST')).status).toBe(403);
  },
);

test.each([
  'localhost',
  'LOCALHOST:1',
  'localhost.',
  'news.localhost:4010',
  '127.0.0.1',
  '127.1.2.3',
  '[::1]:4010',
  '192.168.1.20:4010',
  '[fe80::1]',
])('a request for the host %s is answered', async (host) => {
  const asks = await listening();
  expect((await asks('/_sandbox/clock', { host })).status).toBe(200);
});

test('an allowed host name is accepted in any case, and no other name is', async () => {
  const asks = await listening({ allowedHosts: ['Host.Docker.internal'] });
  expect((await asks('/_sandbox/clock', { host: 'host.docker.INTERNAL:4010' })).status).toBe(200);
  expect((await asks('/_sandbox/clock', { host: 'other.docker.internal' })).status).toBe(403);
});

test('createSandbox().fetch accepts any base address', async () => {
  expect((await fresh().fetch('https://anything.example/_sandbox/clock')).status).toBe(200);
});

test('the command takes host names from its flag, repeated, and from the environment', async () => {
  const flags = await start(['--allowed-host', 'one.example', '--allowed-host', 'two.example']);
  const variable = await start([], { SANDBOX_ALLOWED_HOSTS: 'one.example, two.example' });
  for (const { address } of [flags, variable]) {
    const statuses = await Promise.all(
      ['one.example', 'two.example', 'three.example'].map((host) => ask(address, '/_sandbox/clock', { host })),
    );
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 403]);
  }
});

test('a page of another site can neither write nor read, with or without a preflight; a person may follow a link', async () => {
  const asks = await listening({}, 'demo');
  const site = (value: string, mode: string) => ({ 'sec-fetch-site': value, 'sec-fetch-mode': mode });
  const post = { 'content-type': 'text/plain' };
  const foreign = { origin: 'https://evil.example' };
  for (const origin of [foreign.origin, 'null', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example'])
    expect((await asks('/_sandbox/reset', { ...post, origin }, 'POST')).status).toBe(403);
  expect((await asks('/_sandbox/reset', { ...post, ...site('cross-site', 'no-cors') }, 'POST')).status).toBe(403);
  expect((await asks('/_sandbox/reset', { ...post, ...site('cross-site', 'navigate') }, 'POST')).status).toBe(403);
  const read = await asks('/_sandbox/subscriptions', foreign);
  expect([read.status, read.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  expect((await asks('/_sandbox/subscriptions', site('cross-site', 'no-cors'))).status).toBe(403);
  const preflight = await asks('/_sandbox/reset', { ...foreign, 'access-control-request-method': 'POST' }, 'OPTIONS');
  expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  expect((await asks('/_sandbox/clock', site('cross-site', 'navigate'))).status).toBe(200);
  expect((await asks('/_sandbox/clock', site('none', 'navigate'))).status).toBe(200);
  expect(JSON.parse((await asks('/_sandbox/subscriptions')).body)).toMatchObject({ total: 300 });
});

test('requests from programs and from pages of this machine on any port are accepted', async () => {
  const asks = await listening();
  expect((await asks('/_sandbox/clock', { 'user-agent': 'curl/8' }, 'POST')).status).toBe(200);
  for (const origin of ['http://127.0.0.1:4000', 'http://localhost:4000', 'http://[::1]:4000', 'http://a.localhost']) {
    const { status, headers } = await asks('/_sandbox/clock', { origin, 'sec-fetch-site': 'cross-site' }, 'POST');
    expect([status, headers['access-control-allow-origin']]).toEqual([200, origin]);
  }
});

test('a control token is required by the control endpoints and by nothing else', async () => {
  const asks = await listening({ controlToken: 'sesame-open' });
  for (const headers of [{}, { authorization: 'Bearer sesame-shut' }, { authorization: 'Bearer sandbox-key' }]) {
    const { status, body } = await asks('/_sandbox/reset', headers, 'POST');
    expect([status, JSON.parse(body)]).toEqual([
      401,
      {
        status: 401,
        statusText: 'unauthorized',
        errors: [expect.objectContaining({ code: 'CONTROL_TOKEN_REQUIRED' })],
      },
    ]);
  }
  expect((await asks('/_sandbox/clock', { authorization: 'Bearer sesame-open' })).status).toBe(200);
  expect((await asks('/')).status).toBe(200);
  const path = `/v2/publications/${publicationId}/subscriptions`;
  expect((await asks(path, { authorization: 'Bearer sandbox-key' })).status).toBe(200);
});

test('the interface takes the token from its address once, and keeps it in a cookie for its port only', async () => {
  const asks = await listening({ controlToken: 'sesame-open' });
  const opened = await asks('/?token=sesame-open');
  expect([opened.status, opened.headers['location']]).toEqual([303, '/']);
  const [cookie = ''] = opened.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(/^newsletter-sandbox-\d+=sesame-open; Path=\/; HttpOnly; SameSite=Lax$/);
  const [pair = ''] = cookie.split(';');
  expect((await asks('/_sandbox/clock', { cookie: `theme=dark; ${pair}` })).status).toBe(200);
  expect((await asks('/_sandbox/clock', { cookie: pair.replace(/\d+/, '1') })).status).toBe(401);
  expect((await asks('/?token=sesame-shut')).headers['set-cookie']).toBeUndefined();
});

test('the command generates and prints a token where --host is not a loopback address', async () => {
  const running = await start(['--host', '0.0.0.0']);
  const { port } = new URL(running.address);
  const local = `http://127.0.0.1:${port}`;
  expect((await fetch(`${local}/_sandbox/clock`)).status).toBe(401);
  const [, token = ''] = /\?token=([\w-]{24})\n/.exec(running.output()) ?? [];
  expect(running.output()).toContain(`Web page     ${local}/?token=${token}`);
  expect((await fetch(`${local}/_sandbox/clock`, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(200);
  const given = await start([], { SANDBOX_CONTROL_TOKEN: 'sesame-open' });
  expect((await fetch(`${given.address}/_sandbox/clock`)).status).toBe(401);
});

test('exec passes the token to its command', async () => {
  const { command, told } = tellingScript(`
    const { NEWSLETTER_SANDBOX_URL: control, NEWSLETTER_SANDBOX_TOKEN: token } = process.env;
    const ask = async (headers) => (await fetch(control + '/clock', { headers })).status;
    tell(await ask({}), await ask({ Authorization: 'Bearer ' + token }));
  `);
  expect(await run(['exec', '--host', '0.0.0.0', ...command])).toMatchObject({ code: 0, stderr: '' });
  expect(told()).toBe('401 200\n');
});
