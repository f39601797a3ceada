/** The HTTP server: answers, maximum size of a body, kept-alive connections, and closing. */
import { once } from 'node:events';
import { Agent, request, Server, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../src/commands/listen.ts';
import { createLog } from '../../src/log.ts';
import { getRaw, leaked, pathTricks, plainlyNames } from '../path-tricks.ts';
import { operatorToken, runRelay, site, type RunningRelay } from '../running-relay.ts';
import { waitFor, waitUntil } from '../../../../test/support/waits.ts';

const limit = 8192;

const open = async (): Promise<{ relay: RunningRelay; address: string }> => {
  const relay = runRelay();
  const server = await listen(relay, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close(0));
  return { relay, address: server.address };
};

const json = { origin: site, 'content-type': 'application/json' };
const form = { origin: site, 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };

it.each<[string, string, Record<string, string>, string]>([
  ['a signup', '/signup', json, '{"email":"ada@example.com"}'],
  ['a signup with a query', '/signup?utm_source=x', json, '{"email":"ada@example.com"}'],
  ['a form without JavaScript', '/signup/default', form, 'email=ada%40example.com'],
  ['no address', '/signup', json, '{}'],
  ['no JSON', '/signup', json, '{'],
  ['nothing', '/signup', json, ''],
  ['another site', '/signup', { ...json, origin: 'https://evil.example' }, '{"email":"ada@example.com"}'],
  ['another type', '/signup', { ...json, 'content-type': 'text/plain' }, 'email'],
  [
    'as much as is allowed',
    '/signup',
    json,
    `{"email":"ada@example.com","utm_term":"${'x'.repeat(200)}"}`.padEnd(limit),
  ],
  ['too much', '/signup', json, 'x'.repeat(limit + 1)],
  ['a form that is not there', '/signup/none', json, '{"email":"ada@example.com"}'],
  ['another path', '/elsewhere', json, '{"email":"ada@example.com"}'],
])('answers %s as fetch does', async (_case, path, headers, body) => {
  const { relay, address } = await open();
  const ours = await fetch(`${address}${path}`, { method: 'POST', headers, body, redirect: 'manual' });
  const theirs = await relay.fetch(
    new Request(`http://relay.example${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      body,
    }),
  );
  expect(ours.status).toBe(theirs.status);
  expect(await ours.text()).toBe(await theirs.text());
  const ofTheConnection = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);
  const told = (answer: Response): object =>
    Object.fromEntries([...answer.headers].filter(([name]) => !ofTheConnection.has(name)));
  expect(told(ours)).toEqual(told(theirs));
});

it('answers 404 for a private path that is not in its only spelling, also with the token', async () => {
  const relay = runRelay();
  const server = await listen(relay, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close(0));
  const port = Number(new URL(server.address).port);
  const shown: string[] = [];
  for (const target of pathTricks(1000)) {
    if (leaked(await getRaw(port, target, operatorToken)).length > 0) shown.push(target);
  }
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.filter((target) => plainlyNames(target) === undefined)).toEqual([]);
});

it.each([
  ['an apostrophe and what looks like a path in its query', "/thanks?x='&y=/../metrics%2f\\", 200],
  ['the absolute form', 'http://relay.example/thanks', 200],
  ['the absolute form without a path', 'http://relay.example', 200],
  ['a dot segment', '/signup/../thanks', 404],
  ['an encoded slash', '/signup%2fdefault', 404],
  ['a backslash', '/signup\\default', 404],
  ['an empty segment', '//thanks', 404],
  ['the server itself', '*', 404],
])('answers a target with %s', async (_case, target, status) => {
  const { address } = await open();
  const answer = await getRaw(Number(new URL(address).port), target, operatorToken);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

/** A connection that writes what a test says, and keeps what it reads. */
async function dial(address: string): Promise<{ socket: Socket; read: () => string }> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  let read = '';
  socket.setEncoding('utf8').on('data', (text: string) => (read += text));
  socket.on('error', () => undefined);
  return { socket, read: () => read };
}

const head = (headers: Readonly<Record<string, string>>, path = '/signup'): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: relay.example',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');

it.each([
  ['too much is stated', head({ ...json, 'content-length': '8193' }), 413],
  ['the origin is not allowed', head({ ...json, origin: 'https://evil.example', 'content-length': '900000000' }), 403],
  ['the type is not known', head({ ...json, 'content-type': 'text/plain', 'content-length': '900000000' }), 415],
  ['there is no such path', head({ ...json, 'content-length': '900000000' }, '/elsewhere'), 404],
  ['the host cannot be one', head({ ...json, 'content-length': '900000000' }).replace('relay.example', 'a b'), 400],
])('where %s, answers before the body and closes the connection', async (_case, request, status) => {
  const { relay, address } = await open();
  const { socket, read } = await dial(address);
  socket.write(request);
  await once(socket, 'close');
  expect(read()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(read()).toMatch(/^connection: close\r$/im);
  expect(JSON.parse(read().split('\r\n\r\n')[1] ?? '')).toMatchObject({ status });
  expect(await relay.store.counts()).toMatchObject({ waiting: 0 });
});

it('aborts a body without a stated length that exceeds the limit', async () => {
  const { relay, address } = await open();
  const { socket, read } = await dial(address);
  const chunk = `1000\r\n${'x'.repeat(0x1000)}\r\n`;
  socket.write(head({ ...json, 'transfer-encoding': 'chunked' }) + chunk + chunk + chunk);
  await once(socket, 'close');
  expect(read()).toMatch(/^HTTP\/1\.1 413 /);
  expect(read()).toMatch(/^connection: close\r$/im);
  expect((await relay.store.counts()).waiting).toBe(0);
});

it('keeps a connection alive for the next signup', async () => {
  const { relay, address } = await open();
  const { socket, read } = await dial(address);
  for (const [n, email] of ['ada@example.com', 'bob@example.com'].entries()) {
    const body = JSON.stringify({ email });
    socket.write(head({ ...json, 'content-length': String(body.length) }) + body);
    await waitUntil('the answer has come', () => read().split('HTTP/1.1 202 ').length === n + 2);
  }
  expect(await relay.store.counts()).toMatchObject({ waiting: 2 });
});

it.each([
  ['nginx and the load balancer of AWS', 60],
  ['Traefik', 90],
  ['Caddy', 120],
  ['the load balancer of Google', 600],
])('keeps an idle connection longer than %s', async (_proxy, seconds) => {
  const { address } = await open();
  const { socket, read } = await dial(address);
  socket.write('GET /livez HTTP/1.1\r\nHost: relay.example\r\n\r\n');
  const [, idle] = await waitUntil('the answer has come', () => /^keep-alive: timeout=(\d+)/im.exec(read()));
  expect(Number(idle)).toBeGreaterThan(seconds);
});

it('closes a busy connection after its answer while the port closes', async () => {
  const listening = vi.spyOn(Server.prototype, 'listen');
  onTestFinished(() => listening.mockRestore());
  let answer: (answer: Response) => void = () => undefined;
  const asked = Promise.withResolvers<void>();
  const late = async (signup: Request): Promise<Response> => {
    await signup.arrayBuffer();
    asked.resolve();
    return new Promise((resolve) => (answer = resolve));
  };
  const server = await listen({ fetch: late }, { host: '127.0.0.1', port: 0 });
  // By itself the server would end it after minutes: only the closing may.
  (listening.mock.contexts[0] as Server).keepAliveTimeout = 0;
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const sent = request(`${server.address}/signup`, { method: 'POST', agent, headers: json });
  sent.end('{"email":"ada@example.com"}');
  await waitFor('the server has the post', asked.promise);
  const closed = server.close(3_600_000);
  answer(new Response(null, { status: 202 }));
  const [answered] = (await once(sent, 'response')) as [IncomingMessage];
  answered.resume();
  expect(answered.headers.connection).toBe('keep-alive');
  await waitFor('the server has closed', closed);
});

it('ignores an interrupted post, and continues', async () => {
  const relay = runRelay();
  const posts: Promise<Response>[] = [];
  const answer: RunningRelay['fetch'] = (request, peer) => {
    const answered = relay.fetch(request, peer);
    posts.push(answered);
    return answered;
  };
  const { close, address } = await listen({ ...relay, fetch: answer }, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => close(0));
  const { socket } = await dial(address);
  socket.write(`${head({ ...json, 'content-length': '100' })}{"email":"ada@exa`);
  await waitUntil('the relay reads the post', () => posts.length === 1);
  socket.destroy();
  await waitFor('the post has ended', Promise.allSettled(posts));
  const next = await fetch(`${address}/signup`, { method: 'POST', headers: json, body: '{"email":"ada@example.com"}' });
  expect(next.status).toBe(202);
  expect(await relay.store.counts()).toMatchObject({ waiting: 1 });
});

it('logs once that no more connections can be open, and what to do', async () => {
  const warned: string[] = [];
  const log = createLog({ destination: { write: (line) => void warned.push(line) } });
  const server = await listen(runRelay(), { host: '127.0.0.1', port: 0 }, { log, maxConnections: 2 });
  onTestFinished(() => server.close(0));
  await Promise.all([dial(server.address), dial(server.address)]);
  for (const _ of [1, 2]) await once((await dial(server.address)).socket, 'close');
  expect(warned).toEqual([expect.stringMatching(/LimitNOFILE/)]);
});
