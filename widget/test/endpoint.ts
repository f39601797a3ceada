/** A signup endpoint on its own origin, which records its requests. */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey as derivePbkdf2 } from 'altcha-lib/algorithms/pbkdf2';
import { deriveKey as deriveSha } from 'altcha-lib/algorithms/sha';

/** A request. */
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
  /** Sent when the test releases it. */
  readonly held?: boolean;
  /** `none`: no CORS headers; `simple`: no CORS headers in the preflight. */
  readonly cors?: 'none' | 'simple';
  /** The body never ends. */
  readonly endless?: boolean;
}

/** Returns the answer to a body. */
type Judge = (body: string) => Promise<Answer>;

const json = { 'Content-Type': 'application/json' };
const html = { 'Content-Type': 'text/html; charset=utf-8' };
const refusal = (status: number, ...errors: readonly { message: string; code: string }[]): string =>
  JSON.stringify({ status, statusText: 'Refused', errors });
const asking = (ask: unknown): Answer => ({
  status: 403,
  headers: json,
  body: JSON.stringify({
    status: 403,
    statusText: 'forbidden',
    errors: [{ message: 'Not yet.', code: 'PROOF_REQUIRED' }],
    ask,
  }),
});

/**
 * Milliseconds after which a connection without an end is closed, long after the client's timeout. WebKit keeps the
 * connection of an aborted request, and has at most six for a host.
 */
const patience = 3000;

const secret = { hmacSignatureSecret: 'a secret of the tests' };

/** Accepts a post with a valid proof of work; asks for one without it. */
const judgeProof =
  (algorithm: 'SHA-256' | 'PBKDF2/SHA-256'): Judge =>
  async (body) => {
    const deriveKey = algorithm === 'SHA-256' ? deriveSha : derivePbkdf2;
    const { proof }: { proof?: string } = JSON.parse(body);
    if (proof === undefined)
      return asking({
        proof_of_work: await createChallenge({
          ...secret,
          algorithm,
          cost: 10,
          keyPrefix: '00',
          data: { form: 'Für alle 用户 \u2028' },
          deriveKey,
        }),
      });
    const { challenge, solution } = JSON.parse(atob(proof));
    const { verified } = await verifySolution({ ...secret, challenge, solution, deriveKey });
    return verified
      ? { status: 202, headers: json, body: '{"status":"accepted"}' }
      : { status: 400, headers: json, body: refusal(400, { message: 'A wrong proof.', code: 'PROOF_INVALID' }) };
  };

/**
 * The answers by name; a test names one, or one for each request in turn. `drop` closes the connection, `heldDrop` when
 * the test releases it, `silence` never answers.
 */
const answers: Readonly<Record<string, Answer | Judge | 'drop' | 'heldDrop' | 'silence'>> = {
  accepted: { status: 202, headers: json, body: '{"status":"accepted"}' },
  empty: { status: 204 },
  blob: { status: 200, headers: { 'Content-Type': 'application/octet-stream' }, body: 'ok' },
  slow: { status: 202, headers: json, body: '{"status":"accepted"}', delay: 300 },
  held: { status: 202, headers: json, body: '{"status":"accepted"}', held: true },
  badEmail: {
    status: 400,
    headers: json,
    body: refusal(400, { message: 'Not an address, says the server.', code: 'EMAIL_INVALID' }),
  },
  refused: {
    status: 400,
    headers: json,
    body: refusal(400, { message: 'We know no field "Shoe size".', code: 'INVALID_FIELD' }),
  },
  markup: {
    status: 400,
    headers: json,
    body: refusal(400, { message: '<img src=x onerror="document.title=1"><b>bold</b>', code: '<i>' }),
  },
  oddBody: { status: 400, headers: json, body: '{"errors":[null,7,{"message":{"a":1}},{"message":null}]}' },
  tooLarge: { status: 413, headers: json, body: refusal(413, { message: 'Too large.', code: 'TOO_LARGE' }) },
  forbidden: {
    status: 403,
    headers: json,
    body: refusal(403, { message: 'Origin https://x.example is not allowed.', code: 'ORIGIN' }),
  },
  limited: {
    status: 429,
    headers: { ...json, 'Retry-After': '2' },
    body: refusal(429, { message: 'Slow down.', code: 'LIMITED' }),
  },
  limitedForThree: { status: 429, headers: { 'Retry-After': '3' } },
  limitedByDate: async () => ({
    status: 429,
    headers: { ...json, 'Retry-After': new Date(Date.now() + 600_000).toUTCString() },
  }),
  limitedSilently: { status: 429 },
  down: { status: 503, headers: { ...json, 'Retry-After': '120' } },
  broken: { status: 500, headers: html, body: '<h1>Stack trace</h1>' },
  plain: { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'It works! '.repeat(60) },
  page: { status: 200, headers: html, body: '<h1>Welcome to my single-page app</h1>' },
  notFound: { status: 404, headers: html, body: 'Not found' },
  drop: 'drop',
  heldDrop: 'heldDrop',
  silence: 'silence',
  garbage: { status: 400, headers: json, body: '{"errors":[{"message":' },
  nothing: { status: 500 },
  endless: { status: 400, headers: json, body: ' '.repeat(10_000), endless: true },
  redirect: { status: 302, headers: { Location: '/page' } },
  redirectOfPost: { status: 307, headers: { Location: '/page' } },
  wrongMethod: { status: 405 },
  unreadable: { status: 202, headers: json, body: '{"status":"accepted"}', cors: 'none' },
  noPreflight: { status: 202, headers: json, body: '{"status":"accepted"}', cors: 'simple' },
  limitedForLong: { status: 429, headers: { ...json, 'Retry-After': '600' } },
  asksToken: asking({ token: 'signed.token', wait_seconds: 0.3 }),
  asksProof: judgeProof('SHA-256'),
  asksSlowProof: judgeProof('PBKDF2/SHA-256'),
  asksTooMuch: asking({
    proof_of_work: { parameters: { algorithm: 'ROT13', keyPrefix: '00', nonce: '00', salt: '00', cost: 1 } },
  }),
  asksTurnstile: asking({ token: 'signed.token', turnstile: { site_key: 'site-key' } }),
  asksOddly: asking([7, { token: { a: 1 } }]),
};

/**
 * Starts on a free port. `POST /signup/<box>/<answer>,<answer>…` gives the first answer to the first request, the last
 * one to all further ones; `says 200 {}`, encoded as a part of an address, is that status with that body. `GET
 * /received/<box>` lists the requests, `GET /release/<box>` releases held answers.
 */
export async function startEndpoint(): Promise<{ readonly origin: string; stop(): Promise<void> }> {
  const boxes = new Map<string, Received[]>();
  const released = new Set<string>();
  const release = new EventEmitter().setMaxListeners(0);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, route, box = '', plan = 'accepted'] = (request.url ?? '').split('/');
    const names = plan.split(',');
    const received = boxes.get(box) ?? [];
    boxes.set(box, received);
    const answerOf = (position: number): Answer | Judge | 'drop' | 'heldDrop' | 'silence' => {
      const name = decodeURIComponent(names[Math.min(position, names.length - 1)] ?? '');
      const [, status, body] = /^says (\d+) (.*)$/.exec(name) ?? [];
      // Labelled as PHP labels JSON unless it is told otherwise.
      const answer = status ? { status: Number(status), headers: html, ...(body && { body }) } : answers[name];
      if (!answer) throw new Error(`There is no answer "${name}".`);
      return answer;
    };
    const next = answerOf(received.length);
    const { cors = 'all' } = typeof next === 'object' ? next : {};
    const forbidden = cors === 'none' || (cors === 'simple' && request.method === 'OPTIONS');
    if (!forbidden) for (const [name, value] of Object.entries(crossOrigin(request))) response.setHeader(name, value);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    if (route === 'received') return void response.writeHead(200, json).end(JSON.stringify(received));
    if (route === 'release') {
      released.add(box);
      release.emit(box);
      return void response.writeHead(204).end();
    }
    if (route === 'page') return void response.writeHead(200, html).end('<h1>Thanks</h1>');
    if (request.method === 'HEAD' && typeof next === 'object' && next.status > 300 && next.status < 400)
      return void response.writeHead(next.status, next.headers).end();
    if (request.method !== 'POST') return void response.writeHead(405).end();

    const body = await text(request);
    received.push({ headers: request.headers, body });
    const planned = answerOf(received.length - 1);
    const answer = typeof planned === 'function' ? await planned(body) : planned;
    if (answer === 'silence') return void setTimeout(() => request.socket.destroy(), patience);
    if (answer === 'drop') return void request.socket.destroy();
    if ((answer === 'heldDrop' || answer.held) && !released.has(box)) await once(release, box);
    if (answer === 'heldDrop') return void request.socket.destroy();
    setTimeout(() => {
      response.writeHead(answer.status, answer.headers);
      if (answer.endless) {
        pour(response, answer.body ?? '');
        setTimeout(() => request.socket.destroy(), patience);
      } else response.end(answer.body);
    }, answer.delay ?? 0);
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

/** Writes until the connection is closed. */
function pour(response: ServerResponse, text: string): void {
  const timer = setInterval(() => response.write(text), 1);
  response.on('close', () => clearInterval(timer));
}

/** The CORS headers for a JSON post and for reading `Retry-After`. */
function crossOrigin({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': headers.origin ?? '*',
    'Access-Control-Allow-Headers': 'content-type, idempotency-key',
    'Access-Control-Expose-Headers': 'retry-after',
    Vary: 'Origin',
  };
}
