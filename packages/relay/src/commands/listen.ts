/** The HTTP server of the relay, with the time limits that a public port needs. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError, type HttpBindings } from '@hono/node-server';
import { refusalBody, refused } from '@newsletter-kit/core/endpoint';
import { StartupError } from '../errors.ts';
import type { Log } from '../log.ts';

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

type Remedies = Readonly<Partial<Record<string, string>>>;

/** What to do where a port cannot be opened, by the settings of its address. */
const remediesFor = ({ ofHost, ofPort }: { readonly ofHost: string; readonly ofPort: string }): Remedies => ({
  EADDRINUSE: `it is in use; stop the program that uses it, or set ${ofPort} to a free port`,
  EACCES: `the system does not permit it; set ${ofPort} to a port above 1023`,
  EADDRNOTAVAIL: `this machine has no such address; correct ${ofHost}`,
  ENOTFOUND: `there is no such address; correct ${ofHost}`,
});

const visitorSettings = { ofHost: 'RELAY_HOST', ofPort: 'RELAY_PORT' };

/** The settings of the operator's own address. */
export const operatorSettings = { ofHost: 'RELAY_OPERATOR_LISTEN', ofPort: 'RELAY_OPERATOR_LISTEN' };

/** An encoded character that could stand for itself, or a slash or backslash that a program may decode. */
const needless = String.raw`%(?:2[def]|5[cf]|7e|3\d|4[1-9a-f]|5[\da]|6[1-9a-f]|7[\da])`;
const segment = String.raw`(?!\.{1,2}(?:[/?]|$))(?:[\w.~!$&'()*+,;=:@-]|(?!${needless})%[\da-f]{2})+`;

/**
 * A request target whose path has the only spelling that is served (RFC 3986, section 6.2.2): no empty or dot segment,
 * no backslash, no needless encoding. A proxy that compares paths as they are written takes any other for another path.
 */
const plainTarget = new RegExp(String.raw`^(?:https?://[^/?#\\]*)?(?:/${segment})*/?(?:\?|$)`, 'i');

/** Options of {@link listen}. */
export interface ListenOptions {
  /** The settings of the address, for errors. */
  readonly settings?: typeof visitorSettings;
  readonly log?: Pick<Log, 'warn'>;
  /** Default: what the limit on open files allows. */
  readonly maxConnections?: number | undefined;
}

/** Open files that the store, its log and outgoing calls need beside the connections. */
const otherFiles = 64;

/** How many connections the system allows this process; undefined where it does not say, which only Linux does. */
function connectionLimit(): number | undefined {
  try {
    const [, files] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return files === undefined ? undefined : Math.max(1, Number(files) - otherFiles);
  } catch {
    return undefined;
  }
}

/** How long a full table of connections is logged no second time, in milliseconds. */
const quietMs = 3_600_000;

/**
 * @param server - `peer`: address of the connection, null if unknown
 * @throws StartupError if the port cannot be opened
 */
export async function listen(
  { fetch }: { fetch(this: void, request: Request, peer: string | null): Promise<Response> },
  { host, port }: { readonly host: string; readonly port: number },
  { settings = visitorSettings, log, maxConnections = connectionLimit() }: ListenOptions = {},
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
  const server = createServer(limits, (incoming, outgoing) => {
    // Before anything resolves the path.
    if (plainTarget.test(incoming.url ?? '')) void listener(incoming, outgoing);
    else
      outgoing
        .writeHead(404, { 'content-type': 'application/json', connection: 'close' })
        .end(JSON.stringify(refusalBody(notPlain)));
  });
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  let loggedAt = -quietMs;
  server.on('drop', () => {
    if (performance.now() - loggedAt < quietMs) return;
    loggedAt = performance.now();
    log?.warn(
      { connections: maxConnections },
      'no more connections can be open, and new visitors are refused: raise the limit on open files (LimitNOFILE, ulimit -n), or end idle connections sooner in the proxy',
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const remedy = remediesFor(settings)[cause.code ?? ''] ?? `the system reported ${cause.code ?? cause.message}`;
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

const notPlain = refused(404, 'NOT_FOUND', 'There is nothing at a path that is written in this way.');

/** Answers a request whose address or Host header makes no URL. */
function refuseUnreadable(error: unknown): Response {
  if (!(error instanceof RequestError)) throw error;
  const why = refused(400, 'INVALID_REQUEST', 'The address or the Host header of this request is not valid.');
  return Response.json(refusalBody(why), { status: why.status, headers: { connection: 'close' } });
}
