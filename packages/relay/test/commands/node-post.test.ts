/** A post through a port gets the answer that `fetch` gives, to the byte, and never more of the relay than that. */
import { once } from 'node:events';
import { Agent, request, Server, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Answer } from '../../src/admission/answers.ts';
import type { Posted } from '../../src/app.ts';
import { listen } from '../../src/commands/listen.ts';
import { runRelay, site, type RunningRelay } from '../running-relay.ts';

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
])('%s', async (_case, path, headers, body) => {
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

it('a body whose length nobody states is counted, and cut off where it is too long', async () => {
  const { relay, address } = await open();
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  socket.on('error', () => undefined);
  socket.write(
    `POST /signup HTTP/1.1\r\nHost: relay.example\r\nOrigin: ${site}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const chunk = `1000\r\n${'x'.repeat(0x1000)}\r\n`;
  socket.write(chunk + chunk + chunk);
  await once(socket, 'close');
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer).toMatch(/^connection: close\r$/im);
  expect((await relay.store.counts()).waiting).toBe(0);
});

it('a connection that was busy when the port is closed is closed after its answer, and not kept alive', async () => {
  const listening = vi.spyOn(Server.prototype, 'listen');
  onTestFinished(() => listening.mockRestore());
  let answer: (answer: Answer) => void = () => undefined;
  const asked = Promise.withResolvers<void>();
  const late = async ({ readBody }: Posted): Promise<Answer> => {
    await readBody(limit);
    asked.resolve();
    return new Promise((resolve) => (answer = resolve));
  };
  const server = await listen({ ...runRelay(), post: late }, { host: '127.0.0.1', port: 0 });
  // By itself the server would end it after five seconds: only the closing may.
  (listening.mock.contexts[0] as Server).keepAliveTimeout = 0;
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const sent = request(`${server.address}/signup`, { method: 'POST', agent, headers: json });
  sent.end('{"email":"ada@example.com"}');
  await asked.promise;
  const closed = server.close(3_600_000);
  answer({ status: 202, headers: {}, body: null });
  const [answered] = (await once(sent, 'response')) as [IncomingMessage];
  answered.resume();
  expect(answered.headers.connection).toBe('keep-alive');
  await closed;
}, 60_000);

it('a post that breaks off in the middle is nothing, and the relay goes on', async () => {
  const { relay, address } = await open();
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST /signup HTTP/1.1\r\nHost: relay.example\r\nOrigin: ${site}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"email":"ada@exa`,
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.destroy();
  const next = await fetch(`${address}/signup`, { method: 'POST', headers: json, body: '{"email":"ada@example.com"}' });
  expect(next.status).toBe(202);
  expect(await relay.store.counts()).toMatchObject({ waiting: 1 });
});
