/** The engine: how a call is made, on any host. Build, send, wait and repeat by the policy, read the answer. */
import { operation as operationById, type Operation, type OperationId } from '../contract/index.ts';
import type { Answer } from '../schema/index.ts';
import { readError, readSuccess } from './answer.ts';
import type { Arguments, CallOptions, Item, ListId } from './arguments.ts';
import { AbortedError, heldBack, InvalidAnswerError, InvalidRequestError, NetworkError, RateLimitError, TimeoutError, withAdvice } from './errors.ts';
import { find, listArguments, lookUpOf, type Finding } from './happened.ts';
import { TransportError, type Host, type HostAnswer, type HostRequest } from './host.ts';
import { clockSkewMs } from './limits.ts';
import { createPacer, PausedError, type Pacer, type Turn } from './pacer.ts';
import { continuation, deadEnd, Page, PagePromise, readPaging, type Continuation } from './pages.ts';
import { contentTypes, encodeBody, encodeQuery, sortArguments, type RequestParts } from './request.ts';
import { defaultRetryPolicy, nextDelay, type FailedAttempt, type RetryPolicy } from './retry.ts';
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

/** One attempt, for logs and metrics. Holds no secret and no address. */
export interface AttemptEvent {
  readonly operation: OperationId;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly durationMs: number;
  /** The status answered, or how the attempt failed. */
  readonly outcome: number | TransportError['failure'];
  /** Milliseconds until it is repeated; null where it is not. */
  readonly retryInMs: number | null;
}

/** What an engine is made of. */
export interface EngineOptions {
  readonly host: Host;
  /** Root address of the API; its path ends with `/v2`. */
  readonly baseUrl: string;
  /** Root address of the app, for the OAuth endpoints; needed only for those. */
  readonly appUrl?: string | undefined;
  /**
   * API key or access token, a function that gives it, or a source that also renews one the service refuses. Left out where
   * the host signs requests itself.
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
   * Keeps all calls within the quota of their key. Each engine brings one of its own; pass the same to engines that use the
   * same key, or false to send everything at once.
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
   * @throws InvalidRequestError, ApiError (a class per status), InvalidAnswerError, NetworkError, TimeoutError, AbortedError
   */
  call<Id extends OperationId>(id: Id, args: Arguments<Id>, options?: CallOptions): Promise<Answer<Id>>;
  /** A list operation, page by page or item by item. */
  list<Id extends ListId>(id: Id, args: Arguments<Id>, options?: CallOptions): PagePromise<Item<Id>>;
  /** The address of an operation that a browser visits, such as `oauth.authorize`. */
  address<Id extends OperationId>(id: Id, args: Arguments<Id>): string;
}

type Values = Readonly<Record<string, unknown>>;
type Named = Operation & { readonly id: OperationId };

/** What came of sending once, and how long it took. */
type Attempt = Timed & (Success | Failure);
interface Timed {
  readonly durationMs: number;
}
interface Success {
  readonly answer: HostAnswer;
  readonly value: unknown;
}
/** An error status, or an answer that was lost: none came, or none that can be read. */
type Failure = { readonly answer: HostAnswer } | { readonly error: TransportError; readonly answer?: HostAnswer; readonly unreadable?: InvalidAnswerError };

/** Makes an engine. */
export function createEngine(options: EngineOptions): Engine {
  const { host } = options;
  const tokens = options.token === undefined ? null : tokenSource(options.token);
  const pacer = options.pacer ?? createPacer(host);
  const baseUrl = root(options.baseUrl);
  const usualPolicy = policyOver(defaultRetryPolicy, options.retry);
  /** How far the service's clock is ahead of the host's, in milliseconds; null while no answer has told. */
  let clockSkew: number | null = null;

  function urlOf(operation: Named, parts: RequestParts): string {
    const base = operation.base === 'api' ? baseUrl : options.appUrl && root(options.appUrl);
    if (!base) throw new InvalidRequestError(operation.id, ['the client has no appUrl, the address of the OAuth endpoints']);
    return base + parts.path + encodeQuery(operation, parts.query);
  }

  function withPublication(operation: Named, args: Values): Values {
    const inPublication = operation.path.includes('{publicationId}');
    return inPublication ? { ...args, publicationId: args['publicationId'] ?? options.publicationId } : args;
  }

  function partsOf(operation: Named, args: Values): RequestParts {
    const parts = sortArguments(operation, withPublication(operation, args));
    if (!options.validator) return parts;
    const checked = options.validator.request(operation.id, parts);
    if ('problems' in checked) throw new InvalidRequestError(operation.id, checked.problems);
    return { path: parts.path, ...checked.value };
  }

  async function send(operation: Named, parts: RequestParts, call: CallOptions, args: Values = {}): Promise<unknown> {
    const body = encodeBody(operation, parts.body);
    const unsigned: HostRequest = {
      method: operation.method,
      url: urlOf(operation, parts),
      headers: {
        accept: 'application/json',
        ...(operation.body && body !== undefined && { 'content-type': contentTypes[operation.body.encoding] }),
      },
      ...(body !== undefined && { body }),
      timeoutMs: call.timeoutMs ?? options.timeoutMs ?? 30_000,
      ...(call.signal && { signal: call.signal }),
    };
    const policy = policyOver(usualPolicy, call.retry);
    const totalMs = call.totalTimeoutMs ?? options.totalTimeoutMs ?? Number.POSITIVE_INFINITY;
    const deadline = host.now() + totalMs;
    let token: string | undefined;
    let renewed: string | undefined;
    let last: (Timed & Failure) | null = null;
    /** When an answer was first lost to something that must happen once. */
    let lostSince: number | null = null;

    const failure = (failed: Failure): Error => {
      if (!('error' in failed)) return readError(operation, failed.answer, host.now(), token ? [token] : []);
      return failed.unreadable ?? lost(operation, failed.error, Math.min(unsigned.timeoutMs, totalMs));
    };

    for (let attempt = 0; ; attempt++) {
      const turn: Turn | null = await takeTurn(operation, call, deadline, policy, attempt).catch((cause: unknown) => {
        throw last && !call.signal?.aborted ? failure(last) : held(operation, cause, totalMs);
      });
      const sentAt = host.now();
      let result: Attempt;
      try {
        token = renewed ?? (await tokens?.get());
        result = await tryOnce(operation, { ...authorized(unsigned, token), timeoutMs: Math.min(unsigned.timeoutMs, deadline - host.now()) });
        turn?.done(result.answer ?? ('error' in result && result.error.failure === 'aborted' ? undefined : null));
      } finally {
        turn?.done(); // where there is no result at all
      }
      if (result.answer?.status === 401 && tokens?.refresh && token && renewed === undefined) {
        // A 401 provably did nothing, so that even what must happen once is sent again; and it is no retry of the policy.
        report(operation, attempt, result, 0);
        renewed = await tokens.refresh(token);
        attempt--;
        continue;
      }
      if ('value' in result) {
        report(operation, attempt, result, null);
        return checkAnswer(operation, result.answer.status, result.value);
      }
      if (last && alreadyGone(operation, result, last)) {
        report(operation, attempt, result, null);
        return null;
      }
      const repeatIn = untilNext(operation, result, attempt, policy, deadline);
      const lookIn = repeatIn === null && shouldLook(operation, result, lostSince) ? (untilNext(asIfHarmless(operation), result, attempt, policy, deadline) ?? 0) : null;
      report(operation, attempt, result, repeatIn);
      last = result;
      if (repeatIn === null && lookIn === null) throw failure(result);
      await pause(operation, repeatIn ?? lookIn ?? 0, call);
      if (lookIn === null) continue;

      lostSince ??= sentAt;
      const finding = policy.retries > 0 ? await look(operation, args, call, lostSince, deadline) : 'unclear';
      if (typeof finding === 'object') return checkAnswer(operation, operation.success, { data: finding.record });
      // That it is not there yet proves nothing where the service may still be at work on it.
      const over = finding === 'no' && !mayGoOn(result);
      if (over && attempt < policy.retries && !isRefusal(result)) continue;
      throw over ? failure(result) : withAdvice(failure(result), lookUpOf(operation.id)?.advice);
    }
  }

  async function pause(operation: Named, ms: number, { signal }: CallOptions): Promise<void> {
    await host.sleep(ms, signal).catch((cause: unknown) => {
      throw signal?.aborted ? new AbortedError(operation.id) : cause;
    });
  }

  /** Looks whether a call whose answer was lost has happened. What cannot be read tells nothing. */
  async function look(operation: Named, args: Values, call: CallOptions, since: number, deadline: number): Promise<Finding> {
    const lookUp = lookUpOf(operation.id);
    if (!lookUp) return 'unclear';
    const list: Named = operationById(lookUp.list);
    const records: unknown[] = [];
    try {
      const left = { ...call, totalTimeoutMs: deadline - host.now() };
      const first = await listPage(list, partsOf(list, listArguments(lookUp, args)), left);
      for (let page: Page<unknown> | null = first; page !== null; page = await page.next()) records.push(...page.items);
    } catch (error) {
      if (error instanceof AbortedError) throw error;
      return 'unclear';
    }
    const skew = clockSkew ?? 0;
    return find(lookUp, records, args, { from: since + skew, to: host.now() + skew, known: clockSkew !== null });
  }

  /** Only the API has a quota: what renews a token must not wait for it. */
  async function takeTurn(operation: Named, call: CallOptions, deadline: number, policy: RetryPolicy, attempt: number): Promise<Turn | null> {
    if (!pacer || operation.base !== 'api') return null;
    return pacer.turn({
      stream: call.stream,
      signal: call.signal,
      deadline: Number.isFinite(deadline) ? deadline : undefined,
      maxPauseMs: policy.maxRetryAfterMs,
      mayProbe: attempt < policy.retries,
    });
  }

  /** Milliseconds until the next attempt, or null where there is none: not by the policy, or not before the deadline. */
  function untilNext(operation: Named, failed: FailedAttempt, attempt: number, policy: RetryPolicy, deadline: number): number | null {
    const delay = nextDelay(operation, failed, attempt, policy, host);
    return delay !== null && host.now() + delay < deadline ? delay : null;
  }

  function report(operation: Named, attempt: number, result: Attempt, retryInMs: number | null): void {
    options.onAttempt?.({
      operation: operation.id,
      attempt: attempt + 1,
      durationMs: result.durationMs,
      outcome: result.answer?.status ?? ('error' in result ? result.error.failure : 'network'),
      retryInMs,
    });
  }

  async function tryOnce(operation: Named, request: HostRequest): Promise<Attempt> {
    if (request.signal?.aborted) throw new AbortedError(operation.id);
    const started = host.now();
    try {
      const answer = await host.send(request);
      const now = host.now();
      clockSkew = clockSkewMs(answer.headers, now) ?? clockSkew;
      return { ...read(operation, answer), durationMs: now - started };
    } catch (error) {
      if (error instanceof TransportError) return { error, durationMs: host.now() - started };
      throw error; // a host may refuse with an error of its own, for example a credential that must be reconnected
    }
  }

  function checkAnswer(operation: Named, status: number, value: unknown): unknown {
    const checked = options.validator?.answer(operation.id, value) ?? { value };
    if ('problems' in checked) throw new InvalidAnswerError(operation.id, status, checked.problems);
    return checked.value;
  }

  function listPage(operation: Named, parts: RequestParts, call: CallOptions): Promise<Page<unknown>> {
    return send(operation, parts, call).then((answer) => {
      const record = asRecord(answer);
      if (!Array.isArray(record['data'])) throw new InvalidAnswerError(operation.id, 200, ['"data" is not a list']);
      const paging = readPaging(record);
      const next = continuation(paging);
      return new Page(record['data'] as unknown[], paging, () => {
        if (next === null) return null;
        const reason = deadEnd(askedFor(parts), next);
        if (reason !== null) return Promise.reject(new InvalidAnswerError(operation.id, 200, [reason]));
        return listPage(operation, { ...parts, query: { ...withoutPlace(parts.query), ...next } }, call);
      });
    });
  }

  return {
    host,
    async call(id, args, call = {}) {
      const operation: Named = operationById(id);
      return (await send(operation, partsOf(operation, args), call, withPublication(operation, args))) as Answer<typeof id>;
    },
    list(id, args, call = {}) {
      const operation: Named = operationById(id);
      const one = { ...call, stream: call.stream ?? {} };
      return new PagePromise(async () => listPage(operation, partsOf(operation, args), one) as Promise<Page<Item<typeof id>>>);
    },
    address(id, args) {
      const operation: Named = operationById(id);
      return urlOf(operation, partsOf(operation, args));
    },
  };
}

function authorized(request: HostRequest, token: string | undefined): HostRequest {
  return token ? { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } } : request;
}

function root(url: string): string {
  return url.replace(/\/+$/, '');
}

function policyOver(policy: RetryPolicy, layer: Partial<RetryPolicy> | false | undefined): RetryPolicy {
  if (layer === undefined) return policy;
  return layer === false ? { ...policy, retries: 0 } : { ...policy, ...layer };
}

/**
 * A success that cannot be read – cut off, empty where something was promised, a proxy's page in its place – counts as an
 * answer that was lost: the work may well have been done, so what may be repeated is, and the next answer is often whole.
 */
function read(operation: Named, answer: HostAnswer): Success | Failure {
  if (answer.status < 200 || answer.status > 299) return { answer };
  try {
    return { answer, value: readSuccess(operation, answer) };
  } catch (error) {
    if (!(error instanceof InvalidAnswerError)) throw error;
    return { answer, error: new TransportError('network', { code: 'UNREADABLE' }), unreadable: error };
  }
}

/** Whether to look if a call that must happen once has happened: its answer was lost, or it is refused after one was. */
function shouldLook(operation: Named, failed: Failure, lostSince: number | null): boolean {
  if (operation.retry !== 'once' || !lookUpOf(operation.id)) return false;
  if (lostSince !== null && isRefusal(failed)) return true;
  if ('error' in failed) return !failed.error.notSent && failed.error.failure !== 'aborted';
  return failed.answer.status >= 500 && failed.answer.status !== 503;
}

/** A deletion that finds nothing after its first answer was lost: what was asked for is done, very likely by the first. */
function alreadyGone(operation: Named, failed: Failure, before: Failure): boolean {
  const maybeDone = 'error' in before ? !before.error.notSent : before.answer.status >= 500;
  return operation.method === 'DELETE' && maybeDone && !('error' in failed) && failed.answer.status === 404;
}

/** The answers to what is there already: after a lost answer it may be there by our own doing. */
function isRefusal(failed: Failure): boolean {
  return !('error' in failed) && (failed.answer.status === 400 || failed.answer.status === 409);
}

/** Whether the service may still be at work after the answer was given up. */
function mayGoOn(failed: Failure): boolean {
  return 'error' in failed ? failed.error.failure === 'timeout' : failed.answer.status === 504;
}

function asIfHarmless(operation: Named): Named {
  return { ...operation, retry: 'upsert' };
}

/** The error of a call that waited for its turn, and in vain. */
function held(operation: Named, cause: unknown, totalMs: number): unknown {
  if (cause instanceof PausedError) return new RateLimitError(operation.id, heldBack(cause.pauseMs));
  if (!(cause instanceof TransportError)) return cause;
  return cause.failure === 'timeout' ? new TimeoutError(operation.id, totalMs, { notSent: true }) : lost(operation, cause, totalMs);
}

function lost(operation: Named, error: TransportError, timeoutMs: number): Error {
  if (error.failure === 'aborted') return new AbortedError(operation.id);
  if (error.failure === 'timeout') return new TimeoutError(operation.id, timeoutMs);
  return new NetworkError(operation.id, error);
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
