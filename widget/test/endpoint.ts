/** An endpoint that keeps to the wire page, on an origin of its own, and remembers what it was sent. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One request as it arrived. */
export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds before the answer. */
  readonly delay?: number;
}

const json = { 'Content-Type': 'application/json' };
const html = { 'Content-Type': 'text/html; charset=utf-8' };
const refusal = (status: number, ...errors: readonly { message: string; code: string }[]): string =>
  JSON.stringify({ status, statusText: 'Refused', errors });

/** What an endpoint may answer; a test names one, or one for each request in turn. `drop` closes the connection. */
const answers: Readonly<Record<string, Answer | 'drop'>> = {
  accepted: { status: 202, headers: json, body: '{"status":"accepted"}' },
  empty: { status: 204 },
  slow: { status: 202, headers: json, body: '{"status":"accepted"}', delay: 300 },
  badEmail: { status: 400, headers: json, body: refusal(400, { message: 'Not an address, says the server.', code: 'EMAIL_INVALID' }) },
  refused: { status: 400, headers: json, body: refusal(400, { message: 'We know no field "Shoe size".', code: 'INVALID_FIELD' }) },
  markup: { status: 400, headers: json, body: refusal(400, { message: '<img src=x onerror="document.title=1"><b>bold</b>', code: '<i>' }) },
  oddBody: { status: 400, headers: json, body: '{"errors":[null,7,{"message":{"a":1}},{"message":null}]}' },
  tooLarge: { status: 413, headers: json, body: refusal(413, { message: 'Too large.', code: 'TOO_LARGE' }) },
  forbidden: { status: 403, headers: json, body: refusal(403, { message: 'Origin https://x.example is not allowed.', code: 'ORIGIN' }) },
  limited: { status: 429, headers: { ...json, 'Retry-After': '2' }, body: refusal(429, { message: 'Slow down.', code: 'LIMITED' }) },
  limitedByDate: { status: 429, headers: { ...json, 'Retry-After': new Date(Date.now() + 600_000).toUTCString() } },
  limitedSilently: { status: 429 },
  down: { status: 503, headers: { ...json, 'Retry-After': '120' } },
  broken: { status: 500, headers: html, body: '<h1>Stack trace</h1>' },
  page: { status: 200, headers: html, body: '<h1>Welcome to my single-page app</h1>' },
  notFound: { status: 404, headers: html, body: 'Not found' },
  drop: 'drop',
};

/**
 * Starts on a free port. `POST /signup/<box>/<answer>,<answer>…` gives the first answer to the first request, the last one
 * to all further ones; `GET /received/<box>` lists what came in.
 */
export async function startEndpoint(): Promise<{ readonly origin: string; stop(): Promise<void> }> {
  const boxes = new Map<string, Received[]>();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, route, box = '', plan = 'accepted'] = (request.url ?? '').split('/');
    for (const [name, value] of Object.entries(crossOrigin(request))) response.setHeader(name, value);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    const received = boxes.get(box) ?? [];
    boxes.set(box, received);
    if (route === 'received') return void response.writeHead(200, json).end(JSON.stringify(received));

    received.push({ headers: request.headers, body: await text(request) });
    const names = plan.split(',');
    const name = names[Math.min(received.length, names.length) - 1] ?? '';
    const answer = answers[name];
    if (!answer) throw new Error(`There is no answer "${name}".`);
    if (answer === 'drop') return void request.socket.destroy();
    setTimeout(() => response.writeHead(answer.status, answer.headers).end(answer.body), answer.delay ?? 0);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.writeHead(501).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What a browser needs to see before it lets a page of another origin post JSON and read how long to wait. */
function crossOrigin({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': headers.origin ?? '*',
    'Access-Control-Allow-Headers': 'content-type, idempotency-key',
    'Access-Control-Expose-Headers': 'retry-after',
    Vary: 'Origin',
  };
}
