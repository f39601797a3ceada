/**
 * Fakes of vendors' APIs under the vendors' host names, for the vendors' nodes in a real n8n: n8n uses a proxy on this
 * machine, which terminates TLS with a certificate authority of its own. In tests no request leaves the machine.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createProxy, request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext } from 'node:tls';
import { getRequestListener } from '@hono/node-server';
import { generate } from 'selfsigned';

/** Answers the requests for a host. */
export type StandIn = (request: Request) => Response | Promise<Response>;

export interface Vendors {
  /** Variables for an n8n that uses this proxy. */
  readonly env: Readonly<Record<string, string>>;
  /** Answers a host, such as `api.hubapi.com`, until the returned function is called. */
  standIn(host: string, answer: StandIn): Promise<() => void>;
  close(): Promise<void>;
}

const established = 'HTTP/1.1 200 Connection Established\r\n\r\n';
const noHost = 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

/**
 * Starts the proxy on a free port.
 *
 * @param passes - whether it connects to hosts without a fake, instead of refusing them
 */
export async function startVendors(passes = false): Promise<Vendors> {
  const authority = await createAuthority();
  const hosts = new Map<string, { readonly answer: StandIn; readonly context: SecureContext }>();
  const tunnels = new Set<Duplex>();

  const listener = getRequestListener(
    async (request) =>
      (await hosts.get(new URL(request.url).hostname)?.answer(request)) ?? new Response(null, { status: 502 }),
    { overrideGlobalObjects: false },
  );
  const vendor = createHttpsServer(
    {
      SNICallback(name, done) {
        const host = hosts.get(name);
        done(host ? null : new Error(`No stand-in for ${name}`), host?.context);
      },
    },
    (request, response) => void listener(request, response),
  );
  const proxy = createProxy((request, response) => {
    if (passes) {
      const { method = '', headers, url = '' } = request;
      const onward = httpRequest(url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.writeHead(502).end());
      request.pipe(onward);
      return;
    }
    response.writeHead(502).end();
  });
  proxy.on('connect', ({ url = '' }: IncomingMessage, socket: Duplex, head: Buffer) => {
    tunnels.add(socket);
    socket.once('close', () => tunnels.delete(socket));
    // Clients may close the connection at any time.
    socket.on('error', () => socket.destroy());
    const { hostname, port } = new URL(`https://${url}`);
    if (!hosts.has(hostname) && passes) {
      const onward = connect(Number(port || 443), hostname, () => {
        socket.write(established);
        onward.write(head);
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => socket.destroy());
      return;
    }
    if (!hosts.has(hostname)) {
      socket.end(noHost);
      return;
    }
    socket.write(established);
    if (head.length > 0) socket.unshift(head);
    vendor.emit('connection', socket);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;

  const folder = await mkdtemp(join(tmpdir(), 'newsletter-vendors-'));
  const certificate = join(folder, 'authority.pem');
  await writeFile(certificate, authority.certificate);
  const proxyUrl = `http://127.0.0.1:${port}`;
  const notProxied = '127.0.0.1,localhost';
  return {
    env: {
      HTTP_PROXY: proxyUrl,
      HTTPS_PROXY: proxyUrl,
      NO_PROXY: notProxied,
      // Lowercase names take precedence.
      http_proxy: proxyUrl,
      https_proxy: proxyUrl,
      no_proxy: notProxied,
      NODE_EXTRA_CA_CERTS: certificate,
    },
    async standIn(host, answer) {
      const context = createSecureContext(await authority.issue(host));
      hosts.set(host, { answer, context });
      return () => void hosts.delete(host);
    },
    async close() {
      for (const socket of tunnels) socket.destroy();
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A temporary certificate authority. */
async function createAuthority() {
  const key = { keyType: 'ec', algorithm: 'sha256' } as const;
  const authority = await generate([{ name: 'commonName', value: 'Newsletter Kit tests' }], {
    ...key,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  return {
    certificate: authority.cert,
    /** A certificate for the host, and its key. */
    async issue(host: string) {
      const { cert, private: privateKey } = await generate([{ name: 'commonName', value: host }], {
        ...key,
        ca: { key: authority.private, cert: authority.cert },
      });
      return { cert, key: privateKey };
    },
  };
}
