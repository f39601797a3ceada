/** A real HTTP server that only accepts rows, and counts how often it accepted each one. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One accepted request. */
export interface Call {
  readonly first: number;
  readonly last: number;
  readonly rows: number;
}

export interface Receiver {
  readonly baseUrl: string;
  /** How often each row was accepted, by the number in its address. */
  readonly taken: Uint8Array;
  readonly calls: readonly Call[];
  /** Called with the number of requests so far, before each answer is sent. */
  onCall: (calls: number) => void;
  readonly stop: () => Promise<void>;
}

/** @param rows - number of rows; row n has the address `reader<n>@…` */
export async function receive(rows: number): Promise<Receiver> {
  const taken = new Uint8Array(rows + 1);
  const calls: Call[] = [];
  const receiver = { taken, calls, onCall: (_calls: number): void => undefined };
  const server = createServer((request, response) => {
    void numbersIn(request).then(
      (numbers) => {
        for (const number of numbers) taken[number] = (taken[number] ?? 0) + 1;
        calls.push({ first: numbers[0] ?? 0, last: numbers.at(-1) ?? 0, rows: numbers.length });
        receiver.onCall(calls.length);
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ message: 'Accepted.', import_id: `import-${calls.length}` }));
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    baseUrl: `http://127.0.0.1:${port}/v2`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** Rejects if the client was killed before the whole body arrived: such a request does not count. */
async function numbersIn(request: IncomingMessage): Promise<readonly number[]> {
  const { subscriptions } = JSON.parse(await text(request)) as { subscriptions: readonly { email: string }[] };
  return subscriptions.map(({ email }) => Number(/^reader(\d+)@/.exec(email)?.[1]));
}
