/** Addresses at which a first call fails, each served until the test ends. */
import { createServer as createTlsServer } from 'node:https';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';

/** Lets the server listen until the test ends. @returns the address of its API, without a scheme */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}/v2`;
}

/** A server that gives one answer to every request. */
export const answering = async (status: number, body: string, type = 'text/html'): Promise<string> =>
  `http://${await listening(
    createServer((_request, response) =>
      response.writeHead(status, { 'content-type': type, server: 'edge' }).end(body),
    ),
  )}`;

/** The API, which refuses every request. */
export const refusingApi = (status: number, message: string): Promise<string> =>
  answering(status, JSON.stringify({ status, errors: [{ message, code: 'X' }] }), 'application/json');

/** An address where nothing listens. */
export async function closed(): Promise<string> {
  const server = createServer();
  const address = await listening(server);
  await new Promise((done) => server.close(done));
  return `http://${address}`;
}

/** A TLS connection that somebody in between has opened. */
export async function intercepted(): Promise<string> {
  const { private: own, cert } = await generate([{ name: 'commonName', value: 'proxy.test' }]);
  return `https://${await listening(createTlsServer({ key: own, cert }, (_, response) => response.end()))}`;
}

/** A host name that nobody has. */
export const unknownHost = 'http://no-such-host.invalid/v2';

/** The page of a firewall. */
export const wall = '<title>Just a moment...</title>';
