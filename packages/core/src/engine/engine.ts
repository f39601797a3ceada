/**
 * The engine: how a call is made, on any host. Checks what goes out and what comes in; between the two it is carried
 * through.
 */
import { operation as operationById, type OperationId } from '../contract/index.ts';
import type { Answer } from '../schema/index.ts';
import type { Arguments, CallOptions, Item, ListId } from './arguments.ts';
import type { AttemptEvent } from './attempt.ts';
import { InvalidAnswerError, InvalidRequestError } from './errors.ts';
import type { Named } from './failure.ts';
import type { Host, HostRequest } from './host.ts';
import { createLook } from './look.ts';
import { createPacer, type Pacer } from './pacer.ts';
import { continuation, deadEnd, Page, PagePromise, readPaging, type Continuation } from './pages.ts';
import { contentTypes, encodeBody, encodeQuery, sortArguments, type RequestParts } from './request.ts';
import { defaultRetryPolicy, policyOver, type RetryPolicy } from './retry.ts';
import { send, type Sender } from './send.ts';
import { tokenSource, type Token } from './token.ts';

/** Checks values against the schemas; passed in, so that the engine itself carries no schema library. */
export interface Validator {
  /** The request as it should be sent, or its problems. */
  request(id: OperationId, parts: Pick<RequestParts, 'query' | 'body'>): Checked<Pick<RequestParts, 'query' | 'body'>>;
  /** The answer, or its problems. */
  answer(id: OperationId, value: unknown): Checked<unknown>;
}

/** A value that passed, or what is wrong with it. */
export type Checked<T> = { readonly value: T } | { readonly problems: readonly string[] };

/** What an engine is made of. */
export interface EngineOptions {
  readonly host: Host;
  /** Root address of the API; its path ends with `/v2`. */
  readonly baseUrl: string;
  /** Root address of the app, for the OAuth endpoints; needed only for those. */
  readonly appUrl?: string | undefined;
  /**
   * API key or access token, a function that gives it, or a source that also renews one the service refuses. Left out
   * where the host signs requests itself.
   */
  readonly token?: Token | undefined;
  /** The publication used where a call names none. */
  readonly publicationId?: string | undefined;
  /** Milliseconds until one attempt counts as lost. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds until a call must have ended, every wait and repetition included. Default: no limit. */
  readonly totalTimeoutMs?: number | undefined;
  readonly retry?: Partial<RetryPolicy> | false | undefined;
  /**
   * Keeps all calls within the quota of their key. Each engine brings one of its own; pass the same to engines that use
   * the same key, or false to send everything at once.
   */
  readonly pacer?: Pacer | false | undefined;
  readonly validator?: Validator | undefined;
  /** Called after each attempt. */
  readonly onAttempt?: ((event: AttemptEvent) => void) | undefined;
}

/** Calls operations by id. The typed client, the n8n nodes and every test stand on this. */
export interface Engine {
  /** What the engine runs on: its clock and its way to wait serve whoever drives it. */
  readonly host: Host;
  /**
   * Calls one operation and resolves with its answer; null where the answer has no body.
   *
   * @throws InvalidRequestError, ApiError (a class per status), InvalidAnswerError, NetworkError, TimeoutError,
   *   AbortedError
   */
  call<Id extends OperationId>(id: Id, args: Arguments<Id>, options?: CallOptions): Promise<Answer<Id>>;
  /** A list operation, page by page or item by item. */
  list<Id extends ListId>(id: Id, args: Arguments<Id>, options?: CallOptions): PagePromise<Item<Id>>;
  /** The address of an operation that a browser visits, such as `oauth.authorize`. */
  address<Id extends OperationId>(id: Id, args: Arguments<Id>): string;
}

type Values = Readonly<Record<string, unknown>>;

/** Makes an engine. */
export function createEngine(options: EngineOptions): Engine {
  const { host, validator, publicationId } = options;
  const roots = { api: root(options.baseUrl), app: options.appUrl && root(options.appUrl) };
  const usualPolicy = policyOver(defaultRetryPolicy, options.retry);
  const sender: Sender = {
    host,
    tokens: options.token === undefined ? null : tokenSource(options.token),
    pacer: (options.pacer ?? createPacer(host)) || null,
    look: createLook(host, (id, args, call) => {
      const list: Named = operationById(id);
      return listPage(list, partsOf(list, args), call);
    }),
    onAttempt: options.onAttempt,
  };

  function urlOf(operation: Named, parts: RequestParts): string {
    const base = roots[operation.base];
    if (!base)
      throw new InvalidRequestError(operation.id, ['the client has no appUrl, the address of the OAuth endpoints']);
    return base + parts.path + encodeQuery(operation, parts.query);
  }

  function withPublication(operation: Named, args: Values): Values {
    const inPublication = operation.path.includes('{publicationId}');
    return inPublication ? { ...args, publicationId: args['publicationId'] ?? publicationId } : args;
  }

  function partsOf(operation: Named, args: Values): RequestParts {
    const parts = sortArguments(operation, withPublication(operation, args));
    if (!validator) return parts;
    const checked = validator.request(operation.id, parts);
    if ('problems' in checked) throw new InvalidRequestError(operation.id, checked.problems);
    return { path: parts.path, ...checked.value };
  }

  function requestOf(operation: Named, parts: RequestParts, { timeoutMs, signal }: CallOptions): HostRequest {
    const body = encodeBody(operation, parts.body);
    const accept = 'application/json';
    return {
      method: operation.method,
      url: urlOf(operation, parts),
      headers:
        operation.body && body !== undefined
          ? { accept, 'content-type': contentTypes[operation.body.encoding] }
          : { accept },
      ...(body !== undefined && { body }),
      timeoutMs: timeoutMs ?? options.timeoutMs ?? 30_000,
      ...(signal && { signal }),
    };
  }

  async function call(operation: Named, parts: RequestParts, callOptions: CallOptions, args: Values): Promise<unknown> {
    const totalMs = callOptions.totalTimeoutMs ?? options.totalTimeoutMs ?? Number.POSITIVE_INFINITY;
    const { status, value } = await send(sender, {
      operation,
      args,
      request: requestOf(operation, parts, callOptions),
      options: callOptions,
      policy: policyOver(usualPolicy, callOptions.retry),
      totalMs,
      deadline: host.monotonic() + totalMs,
    });
    const checked = validator?.answer(operation.id, value) ?? { value };
    if ('problems' in checked) throw new InvalidAnswerError(operation.id, status, checked.problems);
    return checked.value;
  }

  async function listPage(operation: Named, parts: RequestParts, callOptions: CallOptions): Promise<Page<unknown>> {
    const answer = asRecord(await call(operation, parts, callOptions, {}));
    if (!Array.isArray(answer['data'])) throw new InvalidAnswerError(operation.id, 200, ['"data" is not a list']);
    const paging = readPaging(answer);
    const next = continuation(paging);
    return new Page<unknown>(answer['data'], paging, () => {
      if (next === null) return null;
      const reason = deadEnd(askedFor(parts), next);
      if (reason !== null) return Promise.reject(new InvalidAnswerError(operation.id, 200, [reason]));
      return listPage(operation, { ...parts, query: { ...withoutPlace(parts.query), ...next } }, callOptions);
    });
  }

  return {
    host,
    async call(id, args, callOptions = {}) {
      const operation: Named = operationById(id);
      return (await call(operation, partsOf(operation, args), callOptions, withPublication(operation, args))) as Answer<
        typeof id
      >;
    },
    list(id, args, callOptions = {}) {
      const operation: Named = operationById(id);
      const one = { ...callOptions, stream: callOptions.stream ?? {} };
      return new PagePromise(
        async () => listPage(operation, partsOf(operation, args), one) as Promise<Page<Item<typeof id>>>,
      );
    },
    address(id, args) {
      const operation: Named = operationById(id);
      return urlOf(operation, partsOf(operation, args));
    },
  };
}

function root(url: string): string {
  return url.replace(/\/+$/, '');
}

function askedFor({ query }: RequestParts): Continuation {
  if (typeof query['cursor'] === 'string') return { cursor: query['cursor'] };
  return { page: Number(query['page'] ?? 1) };
}

function withoutPlace(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { cursor: _cursor, page: _page, ...rest } = query;
  return rest;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
