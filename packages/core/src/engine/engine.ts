/** The engine: makes calls on any host. Validates the request and the answer; send.ts does the rest. */
import { operation as operationById, type OperationId } from '../contract/index.ts';
import { pageLimit } from '../contract/values.ts';
import { isRecord } from '../is-record.ts';
import { serviceAddress } from '../service-address.ts';
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
  isListId,
  rawRequest,
  requestHeaders,
  sortArguments,
  withCustomerId,
  type CustomerIdField,
  type RawRequestOptions,
  type RequestParts,
} from './request.ts';
import { unwrapped, type AttemptEvent } from './attempt.ts';
import { readRecords, tellOnce, type Deviation, type FieldDeviation } from './deviations.ts';
import {
  AbortedError,
  BadRequestError,
  InvalidAnswerError,
  InvalidRequestError,
  type RequestMethod,
} from './errors.ts';
import type { Host, HostRequest } from './host.ts';
import { createLostResponses } from './lost-response.ts';
import { createPacer, type Pacer } from './pacer.ts';
import { noFurtherPage, Page, PagePromise, readPage, startTrail, takenAsWhole, type Trail } from './pages.ts';
import { defaultRetryPolicy, policyOver, type RetryPolicy } from './retry.ts';
import { send, type Delivered, type CallSender } from './send.ts';
import { tokenSource, type Token } from './token.ts';

/** Checks values against the schemas; passed in, so that the engine itself carries no schema library. */
export interface Validator {
  /** The request as it should be sent, and the names in it that are not known; or its problems. */
  request(id: OperationId, parts: Pick<RequestParts, 'query' | 'body'>): CheckedRequest;
  /** What in an answer is not as the specification has it; empty for most. */
  answer(id: OperationId, value: unknown): readonly FieldDeviation[];
}

/** A request that can be sent, or the problems that keep it from being sent. */
export type CheckedRequest =
  | { readonly value: Pick<RequestParts, 'query' | 'body'>; readonly unknown: readonly string[] }
  | { readonly problems: readonly string[] };

/** Options of {@link createEngine}. */
export interface EngineOptions {
  readonly host: Host;
  /** Root address of the API; its path ends with `/v2`. Spaces around it and slashes at its end do not matter. */
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
   * Headers of every request, also of the login. Those of a call replace them, and `Authorization` comes from the token
   * where there is one. A `User-Agent` replaces the client's own.
   */
  readonly extraHeaders?: CallOptions['extraHeaders'];
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
  /**
   * Called where a request or an answer is not as the specification has it and the call went on all the same: once per
   * operation and field. Default: nothing; `withResponse()` and each page have the same as `warnings`.
   */
  readonly onDeviation?: ((deviation: Deviation) => unknown) | undefined;
  /**
   * The name under which the customer ID at the payment processor is sent. Default `payments_customer_id`, as the
   * specification has it; published clients of a service say `stripe_customer_id`, and a service ignores the other
   * name without a word. `newsletter probe` tells which one a service answers.
   */
  readonly customerIdField?: CustomerIdField | undefined;
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
 * @throws RangeError where `concurrency` is not a whole number from 1, TypeError where it stands beside a `pacer`, and
 *   where `baseUrl` or `appUrl` is no plain http(s) address
 */
export function createEngine(options: EngineOptions): Engine {
  const { host, publicationId, concurrency } = options;
  if (concurrency !== undefined && options.pacer !== undefined)
    throw new TypeError('Pass concurrency to createPacer(host, { concurrency }), not beside a pacer.');
  const validating = validation(options.validator);
  const roots = {
    api: serviceAddress('baseUrl', options.baseUrl),
    app: options.appUrl && serviceAddress('appUrl', options.appUrl),
  };
  const tell = tellOnce(options.onDeviation);
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
  async function prepare(id: OperationId, operation: CalledOperation, args: ArgumentValues): Promise<Prepared> {
    const { unknown, ...parts } = sortArguments(operation, args);
    // Without query and body there is nothing to check, so that the first request is sent while the validator loads.
    if (!validating || (parts.body === null && Object.keys(parts.query).length === 0))
      return { parts, deviations: unknownNames(operation, unknown) };
    const checked = (await validating).request(id, parts);
    if ('problems' in checked) throw new InvalidRequestError(id, checked.problems);
    return {
      parts: { path: parts.path, ...checked.value },
      deviations: unknownNames(operation, [...new Set([...unknown, ...checked.unknown])]),
    };
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
    { parts, deviations: sent }: Prepared,
    callOptions: CallOptions,
    args: ArgumentValues,
  ): Promise<Answered> {
    const body = encodeBody(operation, withCustomerId(parts.body, options.customerIdField), callOptions.extraBody);
    const headers = requestHeaders(operation, body !== undefined, options.extraHeaders, callOptions.extraHeaders);
    const url = urlOf(operation, parts, callOptions.extraQuery);
    const { head, value } = await sendRequest(
      operation,
      requestOf(operation, url, headers, body, callOptions),
      callOptions,
      args,
    );
    checkData(id, operation, value, head);
    return { data: value, head, sent, found: validating ? (await validating).answer(id, value) : [] };
  }

  /** The head with the deviations of the call, which are told; of several about one field the first. */
  function tellAll(
    { id: operation }: CalledOperation,
    head: Head,
    { sent, found }: Omit<Answered, 'data' | 'head'>,
  ): Head {
    const first = new Map(found.toReversed().map((each) => [each.field, each]));
    const answered = found
      .filter((each) => first.get(each.field) === each)
      .map((each): Deviation => ({ operation, part: 'answer', records: 1, ...each }));
    const deviations = [...sent, ...answered];
    for (const each of deviations) tell(each);
    return deviations.length === 0 ? head : { ...head, deviations };
  }

  async function callById(id: OperationId, args: ArgumentValues, callOptions: CallOptions) {
    const operation: CalledOperation = operationById(id);
    const named = withPublication(operation, args);
    const { data, head, ...deviations } = await call(
      id,
      operation,
      await prepare(id, operation, named),
      callOptions,
      named,
    );
    return { data, head: tellAll(operation, head, deviations) };
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
    const headers = requestHeaders(operation, text !== undefined, options.extraHeaders, extraHeaders);
    const { head, value } = await sendRequest(operation, requestOf(operation, url, headers, text, rest), rest, {});
    return { data: value, head };
  }

  async function listPage(
    id: OperationId,
    operation: CalledOperation,
    prepared: Prepared,
    callOptions: CallOptions,
    trail: Trail,
  ): Promise<Page<unknown>> {
    const { data, head: received, sent, found } = await callForPage(id, operation, prepared, callOptions, trail);
    const answer = data as { readonly data: readonly unknown[] };
    const { query } = prepared.parts;
    const read = readPage(answer, trail, { ...operation, limit: query['limit'] });
    const usable = readRecords(read.repeats ? [] : answer.data, callOptions.reader ?? 'client');
    const head = tellAll(operation, received, { sent, found: [...usable.deviations, ...read.deviations, ...found] });
    if (read.repeats && read.problem !== null) throw new InvalidAnswerError(id, head.status, [read.problem]);
    const details = { ...read, head, continuation: read.next?.at ?? null, leftOut: usable.leftOut };
    return new Page<unknown>(usable.items, details, () => {
      if (read.problem !== null) return Promise.reject(new InvalidAnswerError(id, head.status, [read.problem]));
      if (read.next === null) return null;
      const { cursor: _cursor, page: _page, ...rest } = query;
      const parts = { ...prepared.parts, query: { ...rest, ...read.next.at } };
      return listPage(id, operation, { parts, deviations: [] }, callOptions, read.next);
    });
  }

  /** The page sizes that the service takes where they are smaller than those of the specification; null for its own. */
  const pageSizes = new Map<OperationId, number | null>();

  /** Calls for a page, with a smaller page size where the service refuses the one that was asked for. */
  async function callForPage(
    id: OperationId,
    operation: CalledOperation,
    prepared: Prepared,
    callOptions: CallOptions,
    trail: Trail,
  ): Promise<Answered> {
    const { limit } = prepared.parts.query;
    const largest = pageSizes.get(id);
    const size = largest === undefined || limit === undefined ? limit : largest && Math.min(Number(limit), largest);
    // A query of null is left out.
    const parts =
      size === limit ? prepared.parts : { ...prepared.parts, query: { ...prepared.parts.query, limit: size } };
    try {
      return await call(id, operation, { ...prepared, parts }, callOptions, {});
    } catch (error) {
      if (!(error instanceof BadRequestError)) throw error;
      // The page was asked for to see whether there is one.
      if (trail.statedBy === 'limit')
        throw new InvalidAnswerError(id, error.status, [noFurtherPage(trail.statedBy)], error);
      if (trail.statedBy === null) {
        const head = { status: operation.success, headers: {} };
        return { data: { data: [] }, head, sent: [], found: [takenAsWhole] };
      }
      const allowed = typeof size === 'number' ? allowedPageSize(error, size) : undefined;
      if (allowed === undefined) throw error;
      pageSizes.set(id, allowed);
      const problem = `at most ${allowed ?? 'the default number of'} records a page are taken; asked for so many`;
      const deviations: Deviation[] = [{ operation: id, part: 'request', field: 'limit', problem, records: 1 }];
      return callForPage(id, operation, { ...prepared, deviations }, callOptions, trail);
    }
  }

  async function list(id: ListId, args: ArgumentValues, callOptions: CallOptions): Promise<Page<unknown>> {
    const operation: CalledOperation = operationById(id);
    const prepared = await prepare(id, operation, withPublication(operation, args));
    const { cursor, page } = prepared.parts.query;
    const at = typeof cursor === 'string' ? { cursor } : { page: Number(page ?? 1) };
    return listPage(id, operation, prepared, callOptions, startTrail(at));
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

/** Adds the largest page size, unless a size is given, or a page number, which counts pages of the default size. */
function withLargestPages(operation: CalledOperation, args: ArgumentValues): ArgumentValues {
  if (!operation.query.includes('limit') || args['page'] !== undefined) return args;
  return { ...args, limit: args['limit'] ?? pageLimit.max };
}

/** `data` alone ends a call: whatever else is odd is told, and given as it came. */
function checkData(id: OperationId, { base }: CalledOperation, value: unknown, { status }: Head): void {
  if (base !== 'api' || unwrapped.has(id) || !isRecord(value) || !('data' in value)) return;
  const isWhole = isListId(id) ? Array.isArray(value['data']) : isRecord(value['data']);
  if (!isWhole) throw new InvalidAnswerError(id, status, [`"data" is not ${isListId(id) ? 'a list' : 'an object'}`]);
}

/** A request that can be sent. */
interface Prepared {
  readonly parts: RequestParts;
  /** What is sent although the specification does not know it. */
  readonly deviations: readonly Deviation[];
}

/** An answer, and the deviations that are to be told. */
interface Answered {
  readonly data: unknown;
  readonly head: Head;
  readonly sent: readonly Deviation[];
  readonly found: readonly FieldDeviation[];
}

function unknownNames(operation: CalledOperation, names: readonly string[]): Deviation[] {
  const problem = 'is not in the specification; sent as it is';
  return names.map((field) => ({ operation: operation.id, part: 'request', field, problem, records: 1 }));
}

/**
 * The largest page size that a service takes, from its refusal of a larger one: null where it does not name it,
 * undefined where it refuses something else.
 */
function allowedPageSize({ errors }: BadRequestError, asked: number): number | null | undefined {
  const said = errors.filter(({ message }) => /\b(limit|page.?size|per.?page)\b/i.test(message));
  if (said.length === 0) return undefined;
  const numbers = said.flatMap(({ message }) => [...message.matchAll(/\d+/g)].map(Number));
  const allowed = numbers.filter((number) => number > 0 && number < asked);
  return allowed.length > 0 ? Math.max(...allowed) : null;
}
