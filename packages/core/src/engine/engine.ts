/** The engine: makes calls on any host. prepare.ts makes the requests, call.ts sends them. */
import type { OperationId } from '../contract/index.ts';
import type { Answer } from '../schema/types.ts';
import { serviceAddress } from '../service-address.ts';
import { ApiPromise } from './api-promise.ts';
import { tellAll } from './answer.ts';
import { Call, type AttemptEvent, type CallContext } from './call.ts';
import { tellOnce, type Deviation } from './deviations.ts';
import { AbortedError, type RequestMethod } from './errors.ts';
import type { Host } from './host.ts';
import { createListReader } from './lists.ts';
import type { Arguments, CallOptions, CustomerIdField, Item, ListId, RequestOptions, Validator } from './options.ts';
import { createPacer, type Pacer } from './pacer.ts';
import { type Page, PagePromise } from './pages.ts';
import { addressOf, prepareCall, type ArgumentValues, type PreparedCall } from './prepare.ts';
import { prepareRaw } from './raw-request.ts';
import { defaultRetryPolicy, policyOver, type RetryPolicy } from './retry.ts';
import { tokenSource, type Token } from './token.ts';

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
  /** Checks requests and answers. Default: nothing is checked. */
  readonly validator?: Validator | undefined;
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

/**
 * Makes an engine.
 *
 * @throws RangeError where `concurrency` is not a whole number from 1, TypeError where it stands beside a `pacer`, and
 *   where `baseUrl` or `appUrl` is no plain http(s) address
 */
export function createEngine(options: EngineOptions): Engine {
  const { host, concurrency } = options;
  if (concurrency !== undefined && options.pacer !== undefined)
    throw new TypeError('Pass concurrency to createPacer(host, { concurrency }), not beside a pacer.');
  const context: CallContext = {
    host,
    roots: {
      api: serviceAddress('baseUrl', options.baseUrl),
      app: options.appUrl && serviceAddress('appUrl', options.appUrl),
    },
    publicationId: options.publicationId,
    timeoutMs: options.timeoutMs ?? 30_000,
    extraHeaders: options.extraHeaders,
    customerIdField: options.customerIdField,
    validator: options.validator ?? null,
    tokens: options.token === undefined ? null : tokenSource(options.token),
    pacer: (options.pacer ?? createPacer(host, { concurrency })) || null,
    retry: policyOver(defaultRetryPolicy, options.retry),
    totalTimeoutMs: options.totalTimeoutMs ?? Number.POSITIVE_INFINITY,
    onAttempt: options.onAttempt,
    tell: tellOnce(options.onDeviation),
    readList: (id, args, one) => readList(id, args, one, true),
    hasAnswered: false,
    dated: null,
  };
  const readList = createListReader(context);

  /** A call from its preparation to its data; a request that cannot be sent rejects too. */
  async function run(prepare: () => PreparedCall) {
    const call = prepare();
    const answered = await new Call(context, call).run();
    return { data: answered.data, head: tellAll(call.operation.id, answered, context.tell) };
  }

  return {
    host,
    // The types of arguments and answers come from the schemas; the contract decides at run time.
    call: (id, args, callOptions = {}) =>
      new ApiPromise(run(() => prepareCall(context, id, args as ArgumentValues, callOptions))) as ApiPromise<never>,
    list(id, args, callOptions = {}) {
      const one = { ...callOptions, stream: callOptions.stream ?? {} };
      const start = (iterated: boolean) =>
        readList(id, args as ArgumentValues, one, iterated) as Promise<Page<Item<typeof id>>>;
      return new PagePromise(start, () => {
        if (one.signal?.aborted) throw new AbortedError(id, one.signal.reason);
      });
    },
    request: (method, path, requestOptions = {}) =>
      new ApiPromise(run(() => prepareRaw(context, method, path, requestOptions))) as ApiPromise<never>,
    address: (id, args) => addressOf(context, id, args as ArgumentValues),
  };
}
