/**
 * The request log: the last thousand requests, the reasons for each answer, and what both sides sent; and
 * `/_sandbox/requests`, which lists them and sends one again. Secrets are removed before anything is kept. E-mail
 * addresses are kept in an {@link Exchange} only: it is for the developer's own machine, while entries are printed to
 * terminals and build logs.
 */
import type { Operation } from '@newsletter-kit/core/contract';
import { type Nearest, exampleRequest } from '../api/nearest.ts';
import { Hono } from 'hono';
import * as z from 'zod';
import { apiError } from '../http/errors.ts';
import { apiKeys } from '../world/ids.ts';
import { decoded, readBody } from '../http/read-request.ts';
import { ConnectionLost, wildcard } from './faults.ts';
import type { Feature } from './feature.ts';
import { hiddenMark } from './redaction.ts';

/** One request in short. No secrets, no e-mail addresses. */
export interface LogEntry {
  readonly n: number;
  /** ISO 8601, of the sandbox's clock. */
  readonly time: string;
  readonly method: string;
  readonly path: string;
  /** Parameters by name, values shown only where they can hold nothing personal or secret. */
  readonly query: Readonly<Record<string, string>>;
  /** Id in the contract, null where the request matched none. */
  readonly operation: string | null;
  /** 0 where the connection was broken before an answer. */
  readonly status: number;
  readonly milliseconds: number;
  readonly reasons: readonly string[];
  /** Code of the rule that refused the request; null where none did. */
  readonly rule: string | null;
  /** Ids of the faults that changed what happened. */
  readonly faults: readonly string[];
  /** The valid request nearest to a refused one, and what to change to get there. */
  readonly nearest: Nearest | null;
  /** Number of the request that was sent again by this one; null for every other. */
  readonly repeats: number | null;
}

/** What one side sent. */
export interface LoggedMessage {
  /** By lower-case name; secrets are `[hidden]`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text with secrets as `[hidden]`; null where the sandbox did not read it. */
  readonly body: string | null;
  /** Characters of the whole body, where only its beginning was kept; null where all of it was. */
  readonly cutFrom: number | null;
}

/** One request in full, with e-mail addresses and without secrets. */
export interface Exchange extends LogEntry {
  /** Path and query as they were sent; secrets are `[hidden]`. */
  readonly target: string;
  /** Null where it was dropped to save memory. */
  readonly request: LoggedMessage | null;
  /** Null where there was no answer, or it was dropped to save memory. */
  readonly response: LoggedMessage | null;
}

/** What an {@link Exchange} has beside its entry. */
export type Contents = Omit<Exchange, keyof LogEntry>;

/** Keeps requests that meet all of it. */
export interface LogFilter {
  /** Only requests after this number. */
  readonly after?: number | undefined;
  readonly method?: string | undefined;
  /** A status such as `404`, or a class of them such as `4xx`; `0` where there was no answer. Several by comma. */
  readonly status?: string | undefined;
  /** Id in the contract, with `*` for any part. */
  readonly operation?: string | undefined;
  /** Part of the address, a reason, a header or a body; letters' case does not matter. */
  readonly text?: string | undefined;
}

export interface RequestLog extends Feature {
  /** @param request - the request itself, by which the log knows one that it sends again */
  add(entry: Omit<LogEntry, 'n' | 'repeats'>, contents: Contents, request?: Request): LogEntry;
  /** Oldest first. */
  entries(filter?: LogFilter): readonly LogEntry[];
  /** Undefined where the log has no request with this number. */
  exchange(n: number): Exchange | undefined;
  /** Deletes all and returns how many; the numbering continues. */
  clear(): number;
}

const kept = 1000;
/** Characters kept of a body. */
export const bodyKept = 64 * 1024;
/** Characters kept of all bodies and headers; beyond it, the oldest requests keep their entry only. */
const contentsKept = 16 * 1024 * 1024;

interface LoggedRequest {
  readonly entry: LogEntry;
  contents: Contents;
  /** Characters of the contents; 0 once they were dropped. */
  size: number;
}

export function createRequestLog(): RequestLog {
  /** Requests that are sent again, with the number of the repeated one. */
  const repetitions = new WeakMap<Request, number>();
  let lines: LoggedRequest[] = [];
  let n = 0;
  let size = 0;
  /** The lines before this one have lost their contents. */
  let whole = 0;
  const drop = (line: LoggedRequest): void => {
    size -= line.size;
    line.size = 0;
    line.contents = { ...line.contents, request: null, response: null };
  };
  const log: RequestLog = {
    add(entry, contents, request) {
      const repeats = request ? (repetitions.get(request) ?? null) : null;
      const line = { entry: { n: (n += 1), ...entry, repeats }, contents, size: sizeOf(contents) };
      lines.push(line);
      size += line.size;
      if (lines.length > kept) {
        size -= lines.shift()?.size ?? 0;
        whole = Math.max(0, whole - 1);
      }
      for (let old; size > contentsKept && (old = lines[whole]) && old !== line; whole += 1) drop(old);
      return line.entry;
    },
    entries(filter = {}) {
      return lines.filter(compile(filter)).map(({ entry }) => entry);
    },
    exchange(number) {
      const line = lines.find(({ entry }) => entry.n === number);
      return line && { ...line.entry, ...line.contents };
    },
    clear() {
      const { length } = lines;
      lines = [];
      [size, whole] = [0, 0];
      return length;
    },
    reset: () => log.clear(),
    routes: (sandbox) =>
      requestRoutes(log, async (request, of) => {
        const after = n;
        repetitions.set(request, of);
        await sandbox.answer(request).catch(ignoreLostConnection);
        return log.entries({ after }).find(({ repeats }) => repeats === of);
      }),
  };
  return log;
}

function ignoreLostConnection(error: unknown): void {
  if (!(error instanceof ConnectionLost)) throw error;
}

const sizeOf = ({ target, request, response }: Contents): number =>
  [request, response].reduce(
    (sum, side) =>
      sum +
      (side?.body?.length ?? 0) +
      Object.entries(side?.headers ?? {}).reduce((length, [name, value]) => length + name.length + value.length, 0),
    target.length,
  );

function compile({ after = 0, method, status, operation, text }: LogFilter): (line: LoggedRequest) => boolean {
  const statuses = status?.split(',').map((part) => part.trim().toLowerCase());
  const ids = operation && wildcard(operation, '.*');
  const part = text?.toLowerCase();
  return ({ entry, contents }) =>
    entry.n > after &&
    (!method || entry.method === method.toUpperCase()) &&
    (!statuses ||
      statuses.some((one) => one === String(entry.status) || one === `${Math.floor(entry.status / 100)}xx`)) &&
    (!ids || ids.test(entry.operation ?? '')) &&
    (!part || [...textsIn(entry, contents)].some((one) => one.toLowerCase().includes(part)));
}

function* textsIn({ method, status, operation, reasons, rule }: LogEntry, { target, request, response }: Contents) {
  yield `${method} ${target}`;
  yield decoded(target);
  yield String(status);
  yield operation ?? '';
  yield rule ?? '';
  yield* reasons;
  for (const side of [request, response]) {
    if (!side) continue;
    yield side.body ?? '';
    for (const [name, value] of Object.entries(side.headers)) yield `${name}: ${value}`;
  }
}

const hidden = '…';
const personal = new Set(['email', 'name', 'client_id', 'state', 'code_challenge', 'redirect_uri']);

/** What an entry shows of a query: known parameters with their values, everything else by name only. */
export function loggableQuery(operation: Operation | null, search: string): Readonly<Record<string, string>> {
  if (search === '') return {};
  const shown: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    const open = operation?.query.includes(name) === true && !personal.has(name);
    const text = open ? value.slice(0, 200) : hidden;
    shown[name] = shown[name] === undefined ? text : `${shown[name]}, ${text}`;
  }
  return shown;
}

const filters = ['method', 'status', 'operation', 'text'] as const;
/** `key` is the API key or access token to send; null sends none. */
const sending = z.strictObject({ key: z.string().min(1).max(500).nullable().default(apiKeys.workspace) });

/** @param repeat - answers `request` as a repetition of number `n`; its entry in the log */
function requestRoutes(log: RequestLog, repeat: (request: Request, n: number) => Promise<LogEntry | undefined>): Hono {
  const find = (number: string): Exchange => {
    const exchange = log.exchange(Number(number));
    if (!exchange)
      throw apiError(
        404,
        'NOT_FOUND',
        'The log has no request with this number. GET /_sandbox/requests lists those it has.',
      );
    return exchange;
  };
  return new Hono()
    .get('/requests', (context) => {
      const query = context.req.query();
      const filter = Object.fromEntries(filters.map((name) => [name, query[name] || undefined]));
      return context.json({ data: log.entries({ ...filter, after: Number(query['after']) || 0 }) });
    })
    .delete('/requests', (context) => context.json({ removed: log.clear() }))
    .get('/requests/:n', (context) => context.json({ data: withExample(find(context.req.param('n'))) }))
    .post('/requests/:n/send', async (context) => {
      const exchange = find(context.req.param('n'));
      const { key } = await readBody(context.req.raw, sending);
      const entry = await repeat(repetition(exchange, new URL(context.req.url).origin, key), exchange.n);
      if (!entry) throw apiError(409, 'NOT_SENT', 'The request was not answered; look at the request log.');
      return context.json({ data: entry }, 201);
    });
}

/** The exchange, with a corrected request where the log knows what to change. */
function withExample(exchange: Exchange) {
  const { nearest, target, request } = exchange;
  if (!nearest || nearest.change.length === 0) return exchange;
  const sent = { target, body: request?.cutFrom === null ? request.body : null };
  return { ...exchange, nearest: { ...nearest, example: exampleRequest(nearest, sent) } };
}

/** Headers that belong to the connection the request came by. */
const connectionHeaders =
  /^(?:host|connection|content-length|transfer-encoding|expect|keep-alive|upgrade|te|origin|referer|cookie|accept-encoding|sec-.*|authorization)$/;

function repetition({ method, target, request }: Exchange, origin: string, key: string | null): Request {
  const cannotRepeat = (why: string) =>
    apiError(409, 'NOT_KEPT', `The request can't be sent again: ${why} Send it from your client.`);
  if (!request) throw cannotRepeat('the log dropped its body to save memory.');
  const { headers, body, cutFrom } = request;
  if (body === null || cutFrom !== null) throw cannotRepeat('its body was too long to be logged completely.');
  if (target.includes(hiddenMark) || body.includes(hiddenMark))
    throw cannotRepeat('it contained a secret, which the log does not keep.');
  const kept = Object.entries(headers).filter(([name, value]) => !connectionHeaders.test(name) && value !== hiddenMark);
  return new Request(origin + target, {
    method,
    headers: [...kept, ...(key === null ? [] : [['Authorization', `Bearer ${key}`] as [string, string]])],
    ...(body !== '' && { body }),
    redirect: 'manual',
  });
}
