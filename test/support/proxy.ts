/** A proxy on a real socket, and behind it a service under a host name that only the proxy knows. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';

/** The host name of the service. */
export const proxiedHost = 'api.example.test';

export interface Proxy {
  /** With user and password. */
  readonly url: string;
  /** Of the service: PEM, signed by itself. */
  readonly certificate: string;
  /** `CONNECT HOST:PORT` or `GET URL`, and the user and password given. */
  readonly seen: readonly string[];
}

/**
 * @param behaviour - leads to the service, closes the tunnel that it opened, never answers, or refuses with a status
 * @param service - answers the requests that reach the service
 */
export async function startProxy(
  behaviour: 'leads' | 'closes' | 'silent' | number,
  service: RequestListener,
): Promise<Proxy> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: proxiedHost }]);
  const seen: string[] = [];
  const sockets = new Set<Duplex>();
  const secureService = createHttpsServer({ cert, key }, service);
  const note = ({ method, url, headers }: Parameters<RequestListener>[0]): void => {
    const [, login = ''] = headers['proxy-authorization']?.split(' ') ?? [];
    seen.push(`${method} ${url} ${Buffer.from(login, 'base64').toString()}`);
  };
  const server = createServer((request, response) => {
    note(request);
    if (behaviour === 'leads') service(request, response);
    else if (typeof behaviour === 'number') response.writeHead(behaviour).end();
  });
  server.on('connect', (request, socket) => {
    note(request);
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    if (behaviour === 'leads') {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      secureService.emit('connection', socket);
    } else if (behaviour === 'closes') {
      socket.once('data', () => socket.end());
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    } else if (behaviour !== 'silent') socket.end(`HTTP/1.1 ${behaviour} No\r\ncontent-length: 0\r\n\r\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://ada:s3cret@127.0.0.1:${(server.address() as AddressInfo).port}`, certificate: cert, seen };
}

/** The address of a proxy where nothing listens. */
export async function missingProxy(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://ada:s3cret@127.0.0.1:${port}`;
}
