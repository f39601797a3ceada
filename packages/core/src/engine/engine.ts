/** The engine: makes calls on any host. Validates the request and the answer; send.ts does the rest. */
import { operation as operationById, type OperationId } from '../contract/index.ts';
import { pageLimit } from '../contract/values.ts';
import { isRecord } from '../is-record.ts';
import type { Answer } from '../schema/types.ts';
import { ApiPromise, type Head } from './api-promise.ts';
import {
  type Arguments,
  type CallOptions,
  type Item,
  type ListId,
  type CalledOperation,
  encodeBody,
  encodeQuery,
  rawRequest,
  requestHeaders,
  sortArguments,
  type RawRequestOptions,
  type RequestParts,
} from './request.ts';
import type { AttemptEvent } from './attempt.ts';
import { AbortedError, InvalidAnswerError, InvalidRequestError, type RequestMethod } from './errors.ts';
import type { Host, HostRequest } from './host.ts';
import { createLostResponses } from './lost-response.ts';
import { createPacer, type Pacer } from './pacer.ts';
import {
  continuation,
  nextStep,
  Page,
  pagingProblem,
  PagePromise,
  readPaging,
  startTrail,
  type Continuation,
} from './pages.ts';
import { defaultRetryPolicy, policyOver, type RetryPolicy } from './retry.ts';
import { send, type Delivered, type CallSender } from './send.ts';
import { tokenSource, type Token } from './token.ts';

/** Checks values against the schemas; passed in, so that the engine itself carries no schema library. */
export interface Validator {
  /** The request as it should be sent, or its problems. */
  request(id: OperationId, parts: Pick<RequestParts, 'query' | 'body'>): Checked<Pick<RequestParts, 'query' | 'body'>>;
  /** The answer, or its problems. */
  answer(id: OperationId, value: unknown): Checked<unknown>;
}

/** A valid value, or its problems. */
export type Checked<T> = { readonly value: T } | { readonly problems: readonly string[] };

/** Options of {@link createEngine}. */
export interface EngineOptions {
  readonly host: Host;
  /** Root address of the API; its path ends with `/v2`. */
  readonly baseUrl: string;
  /** Root address of the app, for the OAuth endpoints; needed only for those. */
  readonly appUrl?: string | undefined;
  /**
   * API key or access token, a function that gives it, or a source that also refreshes a refused one. Left out
   * where the host signs requests itself.
   */
  readonly token?: Token | undefined;
  /** The publication used where a call names none. */
  readonly publicationId?: string | undefined;
  /** Milliseconds until one attempt counts as lost. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds until a call must have ended, all waits and retries included. Default: no limit. */
  readonly totalTimeoutMs?: number | undefined;
  readonly retry?: Partial<RetryPolicy> | false | undefined;
  /**
   * Most requests in flight at a time; see {@link PacerOptions.concurrency}. Default 5. A `pacer` has its own, so that
   * the two are not given together.
   */
  readonly concurrency?: number | undefined;
  /**
   * Keeps all calls within the quota of their key. Each engine brings one of its own; pass the same to engines that use
   * the same key, or false to send everything at once.
   */
  readonly pacer?: Pacer | false | undefined;
  /**
   * Checks requests and answers. A function that loads the validator is called at once; calls wait for it where they
   * need it.
   */
  readonly validator?: Validator | (() => Promise<Validator>) | undefined;
  /** Called after each attempt. */
  readonly onAttempt?: ((event: AttemptEvent) => void) | undefined;
}

/** Calls operations by id. The typed client, the n8n nodes and every test stand on this. */
export interface Engine {
  /** The host of the engine, with its clocks and its `sleep`. */
  readonly host: Host;
  /**
   * Calls one operation and resolves with its answer; null where the answer has no body.
   *
   * @throws InvalidRequestError, ApiError (a class per status), InvalidAnswerError, NetworkError, TimeoutError,
   *   AbortedError
   */
  call<Id extends OperationId>(id: Id, args: Arguments<Id>, options?: CallOptions): ApiPromise<Answer<Id>>;
  /** A list operation, page by page or item by item. */
  list<Id extends ListId>(id: Id, args: Arguments<Id>, options?: CallOptions): PagePromise<Item<Id>>;
  /**
   * Sends a request that the contract does not describe, with the authorization, rate limit, retries and errors of
   * every other call. Nothing is checked against a schema.
   *
   * @param path - relative to the base URL; `{publicationId}` stands for the publication of the options or the engine
   * @returns the parsed JSON; null where the answer has no body
   */
  request<T = unknown>(method: RequestMethod, path: string, options?: RequestOptions): ApiPromise<T>;
  /** The address of an operation that a browser visits, such as `oauth.authorize`. */
  address<Id extends OperationId>(id: Id, args: Arguments<Id>): string;
}

/** Options of a request that the contract does not describe. */
export interface RequestOptions
  extends RawRequestOptions, Omit<CallOptions, 'extraBody' | 'extraQuery' | 'extraHeaders'> {}

type ArgumentValues = Readonly<Record<string, unknown>>;

/**
 * Makes an engine.
 *
 * @throws RangeError where `concurrency` is not a whole number from 1, TypeError where it stands beside a `pacer`
 */
export function createEngine(options: EngineOptions): Engine {
  const { host, publicationId, concurrency } = options;
  if (concurrency !== undefined && options.pacer !== undefined)
    throw new TypeError('Pass concurrency to createPacer(host, { concurrency }), not beside a pacer.');
  const validating = validation(options.validator);
  const roots = { api: root(options.baseUrl), app: options.appUrl && root(options.appUrl) };
  const usualPolicy = policyOver(defaultRetryPolicy, options.retry);
  const sender: CallSender = {
    host,
    tokens: options.token === undefined ? null : tokenSource(options.token),
    pacer: (options.pacer ?? createPacer(host, { concurrency })) || null,
    lostResponses: createLostResponses(host, list),
    onAttempt: options.onAttempt,
    hasAnswered: false,
  };

  function urlOf(operation: CalledOperation, parts: RequestParts, extra?: CallOptions['extraQuery']): string {
    const base = roots[operation.base];
    if (!base)
      throw new InvalidRequestError(operation.id, ['the client has no appUrl, the address of the OAuth endpoints']);
    return base + parts.path + encodeQuery(operation, parts.query, extra);
  }

  function withPublication(operation: CalledOperation, args: ArgumentValues): ArgumentValues {
    const inPublication = operation.path.includes('{publicationId}');
    return inPublication ? { ...args, publicationId: args['publicationId'] ?? publicationId } : args;
  }

  /** @param args - with the publication */
  async function partsOf(id: OperationId, operation: CalledOperation, args: ArgumentValues): Promise<RequestParts> {
    const parts = sortArguments(operation, args);
    // Without query and body there is nothing to check, so that the first request is sent while the validator loads.
    if (!validating || (parts.body === null && Object.keys(parts.query).length === 0)) return parts;
    const checked = (await validating).request(id, parts);
    if ('problems' in checked) throw new InvalidRequestError(id, checked.problems);
    return { path: parts.path, ...checked.value };
  }

  function requestOf(
    { method }: CalledOperation,
    url: string,
    headers: HostRequest['headers'],
    body: string | undefined,
    { timeoutMs, signal }: CallOptions,
  ): HostRequest {
    return {
      method,
      url,
      headers,
      ...(body !== undefined && { body }),
      timeoutMs: timeoutMs ?? options.timeoutMs ?? 30_000,
      ...(signal && { signal }),
    };
  }

  function sendRequest(
    operation: CalledOperation,
    request: HostRequest,
    callOptions: CallOptions,
    args: ArgumentValues,
  ): Promise<Delivered> {
    const totalMs = callOptions.totalTimeoutMs ?? options.totalTimeoutMs ?? Number.POSITIVE_INFINITY;
    return send(sender, {
      operation,
      args,
      request,
      options: callOptions,
      policy: policyOver(usualPolicy, callOptions.retry),
      totalMs,
      deadline: host.monotonic() + totalMs,
    });
  }

  async function call(
    id: OperationId,
    operation: CalledOperation,
    parts: RequestParts,
    callOptions: CallOptions,
    args: ArgumentValues,
  ): Promise<{ readonly data: unknown; readonly head: Head }> {
    const body = encodeBody(operation, parts.body, callOptions.extraBody);
    const headers = requestHeaders(operation, body !== undefined, callOptions.extraHeaders);
    const url = urlOf(operation, parts, callOptions.extraQuery);
    const { head, value } = await sendRequest(
      operation,
      requestOf(operation, url, headers, body, callOptions),
      callOptions,
      args,
    );
    if (!validating) return { data: value, head };
    const checked = (await validating).answer(id, value);
    if ('problems' in checked) throw new InvalidAnswerError(id, head.status, checked.problems);
    return { data: checked.value, head };
  }

  async function callById(id: OperationId, args: ArgumentValues, callOptions: CallOptions) {
    const operation: CalledOperation = operationById(id);
    const named = withPublication(operation, args);
    return call(id, operation, await partsOf(id, operation, named), callOptions, named);
  }

  async function raw(
    method: RequestMethod,
    path: string,
    { query, body, headers: extraHeaders, ...rest }: RequestOptions,
  ): Promise<{ readonly data: unknown; readonly head: Head }> {
    const described = rawRequest(method, path, { publicationId, ...rest, body }, roots.api);
    const { operation } = described;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const search = encodeQuery(operation, {}, query);
    const url = roots.api + described.path + (described.path.includes('?') ? search.replace('?', '&') : search);
    const headers = requestHeaders(operation, text !== undefined, extraHeaders);
    const { head, value } = await sendRequest(operation, requestOf(operation, url, headers, text, rest), rest, {});
    return { data: value, head };
  }

  async function listPage(
    id: OperationId,
    operation: CalledOperation,
    parts: RequestParts,
    callOptions: CallOptions,
    trail = startTrail,
  ): Promise<Page<unknown>> {
    const { data, head } = await call(id, operation, parts, callOptions, {});
    const answer = isRecord(data) ? data : {};
    if (!Array.isArray(answer['data'])) throw new InvalidAnswerError(id, head.status, ['"data" is not a list']);
    const paging = readPaging(answer);
    const problem = pagingProblem(paging);
    if (problem !== null) throw new InvalidAnswerError(id, head.status, [problem]);
    const next = continuation(paging);
    return new Page<unknown>(answer['data'], paging, head, () => {
      if (next === null) return null;
      const step = nextStep(continuationOf(parts), next, trail);
      if ('problem' in step) return Promise.reject(new InvalidAnswerError(id, head.status, [step.problem]));
      const following = { ...parts, query: { ...withoutPaging(parts.query), ...next } };
      return listPage(id, operation, following, callOptions, step.trail);
    });
  }

  async function list(id: ListId, args: ArgumentValues, callOptions: CallOptions): Promise<Page<unknown>> {
    const operation: CalledOperation = operationById(id);
    return listPage(id, operation, await partsOf(id, operation, withPublication(operation, args)), callOptions);
  }

  return {
    host,
    // The types of arguments and answers come from the schemas; the contract decides at run time.
    call: (id, args, callOptions = {}) =>
      new ApiPromise(callById(id, argumentValues(args), callOptions)) as ApiPromise<never>,
    list(id, args, callOptions = {}) {
      const one = { ...callOptions, stream: callOptions.stream ?? {} };
      const start = (iterated: boolean) => {
        const listArgs = iterated ? withLargestPages(operationById(id), argumentValues(args)) : argumentValues(args);
        return list(id, listArgs, one) as Promise<Page<Item<typeof id>>>;
      };
      return new PagePromise(start, () => {
        if (one.signal?.aborted) throw new AbortedError(id, one.signal.reason);
      });
    },
    request: (method, path, requestOptions = {}) =>
      new ApiPromise(raw(method, path, requestOptions)) as ApiPromise<never>,
    address(id, args) {
      const operation: CalledOperation = operationById(id);
      return urlOf(operation, sortArguments(operation, withPublication(operation, argumentValues(args))));
    },
  };
}

function validation(option: EngineOptions['validator']): Promise<Validator> | null {
  if (option === undefined) return null;
  if (typeof option !== 'function') return Promise.resolve(option);
  const loading = option();
  loading.catch(() => {}); // every call that needs it rejects with the reason
  return loading;
}

/** Arguments of any operation by name; the types of arguments are interfaces, which have no index. */
function argumentValues(args: object): ArgumentValues {
  return args as ArgumentValues;
}

function root(url: string): string {
  return url.replace(/\/+$/, '');
}

/** Adds the largest page size, unless a size is given, or a page number, which counts pages of the default size. */
function withLargestPages(operation: CalledOperation, args: ArgumentValues): ArgumentValues {
  if (!operation.query.includes('limit') || args['page'] !== undefined) return args;
  return { ...args, limit: args['limit'] ?? pageLimit.max };
}

function continuationOf({ query }: RequestParts): Continuation {
  if (typeof query['cursor'] === 'string') return { cursor: query['cursor'] };
  return { page: Number(query['page'] ?? 1) };
}

function withoutPaging(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { cursor: _cursor, page: _page, ...rest } = query;
  return rest;
}
