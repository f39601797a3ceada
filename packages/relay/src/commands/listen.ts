/** A port for the relay, with the limits a public port needs. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Relay } from '../app.ts';
import { StartupError } from '../startup-error.ts';
import { sendAnswer, toPosted } from './node-post.ts';

/** An open port. */
export interface Listening {
  /** For example `http://127.0.0.1:4020`. */
  readonly address: string;
  /** Takes no new connection; ends the open ones when they are done, or after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** A signup is small: whoever takes longer to send one, in milliseconds, holds a connection for its own sake. */
const limits = { headersTimeout: 10_000, requestTimeout: 15_000, keepAliveTimeout: 5000 };

const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use; stop the program that uses it, or set RELAY_PORT to a free port',
  EACCES: 'the system does not permit it; set RELAY_PORT to a port above 1023',
  EADDRNOTAVAIL: 'this machine has no such address; correct RELAY_HOST',
  ENOTFOUND: 'there is no such address; correct RELAY_HOST',
};

/** @throws StartupError where the port cannot be had */
export async function listen(
  { fetch, post }: Pick<Relay, 'fetch' | 'post'>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  // Plain HTTP/1.1; TLS is the reverse proxy's.
  const listener = getRequestListener((request, env) =>
    fetch(request, 'incoming' in env ? (env.incoming.socket.remoteAddress ?? null) : null),
  );
  const server = createServer(limits, (incoming, outgoing) => {
    const answer = incoming.method === 'POST' ? post(toPosted(incoming)) : null;
    if (answer) void answer.then((of) => sendAnswer(incoming, outgoing, of));
    else void listener(incoming, outgoing);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const remedy = remedies[cause.code ?? ''] ?? `the system reported ${cause.code ?? cause.message}`;
      reject(new StartupError(`Port ${port} on ${host} cannot be opened: ${remedy}.`, { cause }));
    });
    server.listen(port, host, resolve);
  });
  const bound = server.address() as AddressInfo;
  return {
    address: `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`,
    close: (graceMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), graceMs);
        // A connection that was busy at first would be kept alive for another request after its answer.
        const sweep = setInterval(() => server.closeIdleConnections(), 50);
        server.close(() => {
          clearTimeout(timer);
          clearInterval(sweep);
          resolve();
        });
      }),
  };
}
