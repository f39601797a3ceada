/** The HTTP server of the relay, with the time limits that a public port needs. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError, type HttpBindings } from '@hono/node-server';
import { refusalBody, refused } from '@newsletter-kit/core/endpoint';
import { StartupError } from '../errors.ts';

/** An open port. */
export interface Listening {
  /** For example `http://127.0.0.1:4020`. */
  readonly address: string;
  /** Accepts no new connection; closes the open ones after their answers, or after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Milliseconds. A signup is small: a client that takes longer to send one only occupies a connection. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // Longer than any common proxy keeps an idle connection (Google's load balancer 600 seconds): whoever ends it first
  // loses nothing, but a post that a proxy sends while the relay ends the connection is lost.
  keepAliveTimeout: 620_000,
  // How often Node looks for connections beyond the first two: 30 seconds by default, three times what they allow.
  connectionsCheckingInterval: 2500,
};

const remedies: Readonly<Partial<Record<string, string>>> = {
  EADDRINUSE: 'it is in use; stop the program that uses it, or set RELAY_PORT to a free port',
  EACCES: 'the system does not permit it; set RELAY_PORT to a port above 1023',
  EADDRNOTAVAIL: 'this machine has no such address; correct RELAY_HOST',
  ENOTFOUND: 'there is no such address; correct RELAY_HOST',
};

/**
 * @param server - `peer`: address of the connection, null if unknown
 * @throws StartupError if the port cannot be opened
 */
export async function listen(
  { fetch }: { fetch(this: void, request: Request, peer: string | null): Promise<Response> },
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  // Plain HTTP/1.1; TLS is the reverse proxy's.
  const listener = getRequestListener(
    async (request, env) => {
      const { incoming, outgoing } = env as HttpBindings;
      const answer = await fetch(request, incoming.socket.remoteAddress ?? null);
      // Closes the connection instead of reading the rest of the body.
      if (!incoming.complete) outgoing.setHeader('connection', 'close');
      return answer;
    },
    { errorHandler: refuseUnreadable },
  );
  const server = createServer(limits, (incoming, outgoing) => void listener(incoming, outgoing));
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

/** Answers a request whose address or Host header makes no URL. */
function refuseUnreadable(error: unknown): Response {
  if (!(error instanceof RequestError)) throw error;
  const why = refused(400, 'INVALID_REQUEST', 'The address or the Host header of this request is not valid.');
  return Response.json(refusalBody(why), { status: why.status, headers: { connection: 'close' } });
}
