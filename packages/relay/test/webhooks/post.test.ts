/** Posting a webhook: private networks, names with several addresses, and how an attempt ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPost, isPublicAddress, PrivateAddressError } from '../../src/webhooks/post.ts';
import { startReceiver } from './receiver.ts';
import { waitFor } from '../../../../test/support/waits.ts';

const request = () => ({ headers: {}, body: '{}', signal: AbortSignal.timeout(60_000) });

/** The port of a server at 127.0.0.2 that accepts no connection: its backlog is full, and Linux drops further ones. */
async function silentServer(): Promise<number> {
  const listen = `const server = require('node:net').createServer().listen(0, '127.0.0.2', 1, () => {
    require('node:fs').writeSync(1, String(server.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;
  const child = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const waiting = [1, 2].map(() => connect(Number(port), '127.0.0.2').on('error', () => undefined));
  onTestFinished(() => waiting.forEach((socket) => socket.destroy()));
  await Promise.all(waiting.map((socket) => once(socket, 'connect')));
  return Number(port);
}

describe('a URL that leads into a private network', () => {
  it('is refused by the address, however it is written', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    for (const host of ['127.0.0.1', '[::1]', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '0.0.0.0', 'localhost'])
      await expect(
        createPost()({ ...request(), url: `http://${host}:${port}/`, allowsPrivateNetwork: false }),
        host,
      ).rejects.toThrow(PrivateAddressError);
    expect(receiver.received.length + receiver.invalid).toBe(0);
  });

  it('is refused where the name has such addresses alone', async () => {
    const post = createPost(() => Promise.resolve(['10.0.0.1', 'fd00::1']));
    await expect(post({ ...request(), url: 'https://hooks.example/', allowsPrivateNetwork: false })).rejects.toThrow(
      'The URL leads into a private network: set RELAY_WEBHOOK_PRIVATE_NETWORK=true if that is wanted.',
    );
  });

  it('is not reached by a name that changes its addresses: the connection goes to the one that was checked', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const asked: string[] = [];
    const post = createPost((hostname) => {
      asked.push(hostname);
      return Promise.resolve(['127.0.0.1']);
    });
    // No name server knows this name: only the checked address can have been used.
    const url = `http://hooks.invalid:${port}/`;
    expect(await post({ ...request(), url, allowsPrivateNetwork: true })).toMatchObject({ status: 401 });
    expect(asked).toEqual(['hooks.invalid']);
    expect(receiver.invalid).toBe(1);
  });

  it('is told from public addresses', () => {
    const ofPrivate =
      `10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 192.168.1.1 0.0.0.0 192.0.2.1 198.18.0.1 224.0.0.1
      255.255.255.255 :: ::1 fe80::1 fc00::1 ff02::1 ::ffff:10.0.0.1 64:ff9b::10.0.0.1 2002:a00:1:: 2001:db8::1
      ::7f00:1 fec0::1 4000::1 none`.split(/\s+/);
    expect(ofPrivate.filter(isPublicAddress)).toEqual([]);
    const ofPublic = ['93.184.215.14', '2606:4700::1111', '::ffff:93.184.215.14'];
    expect(ofPublic.filter(isPublicAddress)).toEqual(ofPublic);
  });
});

describe('the name of a receiver', () => {
  const noLookup = (): Promise<never> => Promise.reject(new Error('No name may be resolved.'));

  it('is resolved by the system', async () => {
    const receiver = await startReceiver();
    const url = receiver.url.replace('127.0.0.1', 'localhost');
    expect(await createPost()({ ...request(), url, allowsPrivateNetwork: true })).toMatchObject({ status: 401 });
    expect(receiver.invalid).toBe(1);
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '[::1]'],
  ])('is not resolved where the URL has the address %s', async (address, host) => {
    const server = createHttpServer((_request, answer) => void answer.writeHead(204).end()).listen(0, address);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `http://${host}:${(server.address() as AddressInfo).port}/`;
    expect(await createPost(noLookup)({ ...request(), url, allowsPrivateNetwork: true })).toMatchObject({
      status: 204,
    });
  });

  it.each([true, false])('that has no address cannot be reached', async (allowsPrivateNetwork) => {
    const post = createPost(() => Promise.resolve([]));
    await expect(post({ ...request(), url: 'https://hooks.example/', allowsPrivateNetwork })).rejects.toMatchObject({
      code: 'ENOTFOUND',
      message: 'The name has no address.',
    });
  });

  it('that is never resolved ends with the attempt', async () => {
    const attempt = new AbortController();
    const asked = Promise.withResolvers<null>();
    const post = createPost(() => {
      asked.resolve(null);
      return new Promise(() => {});
    });
    const url = 'https://hooks.example/';
    const ended = post({ ...request(), url, allowsPrivateNetwork: false, signal: attempt.signal });
    await waitFor('the name is asked for', asked.promise);
    attempt.abort(new DOMException('The time is over.', 'TimeoutError'));
    await expect(ended).rejects.toThrow('The time is over.');
    // The attempt is over before the name is asked for.
    const late = post({ ...request(), url, allowsPrivateNetwork: false, signal: AbortSignal.abort('stopped') });
    await expect(late).rejects.toThrow('aborted');
  });
});

describe('a name with several addresses', () => {
  it('is tried at the next one where no connection can be made', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const post = createPost(() => Promise.resolve(['127.255.255.254', '127.0.0.1']));
    const answer = await post({ ...request(), url: `http://hooks.invalid:${port}/`, allowsPrivateNetwork: true });
    expect(answer.status).toBe(401);
  });

  it.runIf(process.platform === 'linux')('is tried at the next one where the first never answers', async () => {
    const port = await silentServer();
    const server = createHttpServer((_request, answer) => void answer.writeHead(204).end()).listen(port, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const post = createPost(() => Promise.resolve(['127.0.0.2', '127.0.0.1']));
    const url = `http://hooks.invalid:${port}/`;
    expect(await post({ ...request(), url, allowsPrivateNetwork: true })).toMatchObject({ status: 204 });
  });
});

it('a URL with https reaches no server without TLS', async () => {
  const receiver = await startReceiver();
  const url = receiver.url.replace('http:', 'https:');
  await expect(createPost()({ ...request(), url, allowsPrivateNetwork: true })).rejects.toThrow('SSL');
  expect(receiver.received.length + receiver.invalid).toBe(0);
});

describe('an answer', () => {
  it.each([
    [
      'switches to another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
      101,
    ],
    ['is not HTTP', 'hello\r\n\r\n', 'HPE_INVALID_CONSTANT'],
    ['is empty', '', 'ECONNRESET'],
  ])('that %s ends the attempt', async (_case, answer, outcome) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => void socket.end(answer));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const ended = await createPost()({ ...request(), url, allowsPrivateNetwork: true }).then(
      ({ status }) => status,
      ({ code }: NodeJS.ErrnoException) => code,
    );
    expect(ended).toBe(outcome);
  });
});
