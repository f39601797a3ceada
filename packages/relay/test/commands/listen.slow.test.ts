/** Slow clients: a connection that takes too long to send a signup is closed. */
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/commands/listen.ts';
import { runRelay } from '../running-relay.ts';

it.each([
  ['its headers', 'POST /signup HTTP/1.1\r\nHost: relay.example\r\nX-Slow: '],
  [
    'its body',
    'POST /signup HTTP/1.1\r\nHost: relay.example\r\nOrigin: https://shop.example\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n{"email":"',
  ],
])(
  'closes a connection that goes on sending %s a byte at a time',
  async (_part, start) => {
    const relay = runRelay();
    const server = await listen(relay, { host: '127.0.0.1', port: 0 });
    onTestFinished(() => server.close(0));
    const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
    socket.on('error', () => undefined);
    let read = '';
    socket.setEncoding('utf8').on('data', (text: string) => (read += text));
    socket.write(start);
    const drip = setInterval(() => socket.write('x'), 250);
    onTestFinished(() => {
      clearInterval(drip);
      socket.destroy();
    });
    // Not `once` of node:events, which rejects where the connection is reset.
    await new Promise((resolve) => socket.once('close', resolve));
    // The answer is lost where a byte arrives while the server closes: the system then resets the connection.
    expect(read).toMatch(/^(HTTP\/1\.1 408 |$)/);
    expect(await relay.store.counts()).toMatchObject({ waiting: 0 });
  },
  60_000,
);
