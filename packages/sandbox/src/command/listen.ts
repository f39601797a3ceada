/** Serves a sandbox over HTTP on a port. */
import { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type Http2Bindings, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Sandbox } from '../sandbox.ts';
import { createGuard, type Access } from '../control/access.ts';
import { ConnectionLost, CutResponse } from '../control/faults.ts';

/** The server could not start. The message says what to do. */
export class ServeError extends Error {
  override readonly name = 'ServeError';
}

export interface ListenOptions extends Access {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

export interface Listening {
  /** `http://host:port` */
  readonly address: string;
  /** Stops listening, ends open connections and closes the sandbox. */
  readonly stop: () => Promise<void>;
}

/** Interval at which scheduled events run without a request, in milliseconds. */
const tick = 100;

/** @throws {@link ServeError}; the sandbox is closed then */
export async function listen(sandbox: Sandbox, options: ListenOptions): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: listener(sandbox, { ...options, allowedHosts: [options.host, ...(options.allowedHosts ?? [])] }),
    overrideGlobalObjects: false,
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, options.host, resolve);
    });
  } catch (error) {
    sandbox.close();
    throw new ServeError(explain(error, options), { cause: error });
  }
  const timer = setInterval(() => settle(sandbox), tick);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    address: `http://${host}:${port}`,
    async stop() {
      clearInterval(timer);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // The event streams of the web interface would never end by themselves.
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
      sandbox.close();
    },
  };
}

/** Sends the sandbox's answers over HTTP, refuses disallowed requests, and breaks connections for faults. */
function listener(
  sandbox: Sandbox,
  access: Access,
): (request: Request, bindings: HttpBindings | Http2Bindings) => Promise<Response> {
  const guard = createGuard(access);
  return async (request, { incoming, outgoing }) => {
    try {
      const response = guard(request) ?? (await sandbox.fetch(request));
      if (!(response instanceof CutResponse) || !(outgoing instanceof ServerResponse)) return response;
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      // Closed only once the first half has left.
      outgoing.write(response.part, () => incoming.socket.destroy());
      return RESPONSE_ALREADY_SENT;
    } catch (error) {
      // A caller that has disconnected needs no answer.
      if (!(error instanceof ConnectionLost) && !request.signal.aborted) throw error;
      incoming.socket.resetAndDestroy();
      return RESPONSE_ALREADY_SENT;
    }
  };
}

function settle(sandbox: Sandbox): void {
  try {
    sandbox.settle();
  } catch {
    // A full disk. The job stays due, and the next request that writes reports the error.
  }
}

function explain(error: unknown, { host, port }: ListenOptions): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use. Stop the program that uses it, or choose another with --port or SANDBOX_PORT.`;
    case 'EACCES':
      return `Port ${port} needs more rights than this user has. Choose one above 1023 with --port or SANDBOX_PORT.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `"${host}" is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for every one, with --host or SANDBOX_HOST.`;
    default:
      return `The sandbox can't listen on ${host}:${port}: ${error instanceof Error ? error.message : String(error)}.`;
  }
}
