/**
 * One call: waits for its turn, sends the request, and depending on the result retries it, looks its record up after a
 * lost response, or ends.
 */
import {
  answered,
  errorBody,
  errorOf,
  errorOfWaiting,
  readResponse,
  type Answered,
  type Attempt,
  type AttemptFailure,
} from './answer.ts';
import type { Deviation } from './deviations.ts';
import { AbortedError, ConfigurationError, withAdvice, type CallName } from './errors.ts';
import { TransportError, type HostAnswer, type HostRequest } from './host.ts';
import {
  isAlreadyDeleted,
  isConflict,
  lookUp,
  mayHaveSucceeded,
  mayStillSucceed,
  type LookUpContext,
} from './lost-response.ts';
import type { Pacer, Turn } from './pacer.ts';
import type { PreparedCall, RequestSettings } from './prepare.ts';
import { nextDelay, policyOver, type RetryPolicy } from './retry.ts';
import { tokenProblem, type TokenSource } from './token.ts';

/** What all calls of an engine share. */
export interface CallContext extends RequestSettings, LookUpContext {
  readonly tokens: TokenSource | null;
  readonly pacer: Pacer | null;
  /** Policy of a call that has none of its own. */
  readonly retry: RetryPolicy;
  /** Total timeout in milliseconds of a call that has none of its own; Infinity for no limit. */
  readonly totalTimeoutMs: number;
  readonly onAttempt: ((event: AttemptEvent) => void) | undefined;
  /** Tells what is not as the specification has it. */
  readonly tell: (deviation: Deviation) => void;
  /** Whether the service has answered any call yet. */
  hasAnswered: boolean;
}

/** One attempt, for logs and metrics. Holds no secret and no address. */
export interface AttemptEvent {
  /** The operation; for `client.request` the method and path, addresses removed. */
  readonly operation: CallName;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly durationMs: number;
  /** The status answered, or how the attempt failed. */
  readonly outcome: number | TransportError['failure'];
  /** Milliseconds until it is repeated; null where it is not. */
  readonly retryInMs: number | null;
}

/** Most token refreshes for one call, so that a service that refuses every token ends the call. */
const maxRefreshes = 3;

/** One call, from its first attempt to its data or its error. */
export class Call {
  readonly #context: CallContext;
  readonly #call: PreparedCall;
  readonly #policy: RetryPolicy;
  readonly #totalMs: number;
  /** When the total timeout ends, by the host's monotonic clock. */
  readonly #deadline: number;
  /** What the next attempt sends, without authorization. */
  #request: HostRequest;
  /** The token of the last attempt. */
  #token: string | undefined;
  /** How often the token was refreshed for this call; from then on the call uses that token. */
  #refreshes = 0;
  /** The attempts so far; each has failed. */
  readonly #failures: AttemptFailure[] = [];
  /** When the attempt was sent whose response was lost first; only for a non-idempotent call. */
  #lostSince: number | null = null;

  constructor(context: CallContext, call: PreparedCall) {
    const { retry, totalTimeoutMs = context.totalTimeoutMs } = call.options;
    this.#context = context;
    this.#call = call;
    this.#policy = policyOver(context.retry, retry);
    this.#totalMs = totalTimeoutMs;
    this.#deadline = context.host.monotonic() + totalTimeoutMs;
    this.#request = call.request;
  }

  /** Sends the call to its end. @throws the error of its last attempt */
  async run(): Promise<Answered> {
    for (;;) {
      const result = await this.#attempt();
      if ('value' in result) {
        this.#report(result, null);
        const { status, headers } = result.answer;
        return answered(this.#call, result.value, { status, headers }, this.#context.validator);
      }
      const before = this.#failures.at(-1);
      if (before && isAlreadyDeleted(this.#call.operation, result, before)) {
        this.#report(result, null);
        return this.#withoutResponse(null);
      }
      const delay = this.#retryDelay(result);
      this.#report(result, delay);
      if (delay === null) {
        const found = await this.#recoverLostResponse(result);
        if (found) return found;
      } else {
        if (mayHaveSucceeded(result)) this.#request = withoutReactivation(this.#request);
        await this.#pause(delay);
      }
      this.#failures.push(result);
    }
  }

  /**
   * One attempt of the retry policy: turn, token, request. Where the service answers 401 and the token source can
   * refresh, the request is sent again with the new token. A 401 changed nothing, so this is safe for non-idempotent
   * operations too. A refreshed token may be invalidated before it arrives, so it is refreshed again, as long as a
   * different one comes back.
   */
  async #attempt(): Promise<Attempt> {
    const { host, tokens } = this.#context;
    for (;;) {
      const turn = await this.#takeTurn();
      let result: Attempt;
      try {
        if (this.#refreshes === 0) {
          const token = tokens?.get();
          this.#token = typeof token === 'object' ? await token : token;
        }
        result = await this.#send();
        if (result.answer) {
          const { headers } = result.answer;
          this.#context.hasAnswered = true;
          if (headers['date'] !== undefined) this.#context.dated = { headers, at: host.now() };
        }
        // An aborted call and a wrong setting are no failure of the service.
        const isServiceFailure = result.error?.failure !== 'aborted' && result.error?.misconfiguration === null;
        turn?.done(result.answer ?? (isServiceFailure ? null : undefined));
      } finally {
        turn?.done(); // ends the turn where an error was thrown
      }
      const { answer } = result;
      if (answer?.status !== 401 || !(await this.#refreshToken(result, answer))) return result;
    }
  }

  /** Waits for a turn of the pacer. Only the API is rate limited: a token refresh does not wait. */
  async #takeTurn(): Promise<Turn | null> {
    const { operation, options } = this.#call;
    const { pacer } = this.#context;
    if (!pacer || operation.base !== 'api') return null;
    try {
      return await pacer.turn({
        stream: options.stream,
        background: options.background,
        signal: options.signal,
        deadline: Number.isFinite(this.#deadline) ? this.#deadline : undefined,
        maxPauseMs: this.#policy.maxRetryAfterMs,
      });
    } catch (cause) {
      const failed = this.#failures.at(-1);
      throw failed && !options.signal?.aborted
        ? this.#errorOf(failed)
        : errorOfWaiting(operation, cause, this.#totalMs);
    }
  }

  /**
   * Sends the request once.
   *
   * @throws ConfigurationError where the token cannot be sent, AbortedError where the caller's signal has aborted, and
   *   any error of the host that is no TransportError, for example that a credential must be connected again
   */
  async #send(): Promise<Attempt> {
    const { host } = this.#context;
    const { operation } = this.#call;
    const request = this.#request;
    const token = this.#token;
    const problem = token === undefined ? null : tokenProblem(token);
    if (problem !== null) throw new ConfigurationError(operation.id, problem);
    if (request.signal?.aborted) throw new AbortedError(operation.id, request.signal.reason);
    const sentAt = host.monotonic();
    const headers = token ? { ...request.headers, authorization: `Bearer ${token}` } : request.headers;
    try {
      const timeoutMs = Math.min(request.timeoutMs, this.#deadline - sentAt);
      const answer = await host.send({ ...request, headers, timeoutMs });
      const durationMs = host.monotonic() - sentAt;
      return { ...readResponse(operation, answer), sentAt, durationMs };
    } catch (error) {
      if (error instanceof TransportError) return { error, sentAt, durationMs: host.monotonic() - sentAt };
      throw error;
    }
  }

  /** Refreshes a token that was refused. @returns whether there is another one */
  async #refreshToken(result: Attempt, answer: HostAnswer): Promise<boolean> {
    const { tokens } = this.#context;
    const refused = this.#token;
    if (!tokens?.refresh || !refused || this.#refreshes >= maxRefreshes) return false;
    // What refuses in place of the API knows nothing of tokens.
    if (errorBody(this.#call.operation, answer) === undefined) return false;
    const refreshed = await tokens.refresh(refused).catch((error: unknown) => {
      this.#report(result, null);
      throw error;
    });
    if (refreshed === refused) return false;
    this.#report(result, 0);
    this.#token = refreshed;
    this.#refreshes += 1;
    return true;
  }

  /** Milliseconds until the retry; null where the retry policy or the deadline allows none. */
  #retryDelay(failed: AttemptFailure, operation: Pick<PreparedCall['operation'], 'retry'> = this.#call.operation) {
    const { host, hasAnswered } = this.#context;
    // A host name that was never resolved is probably misspelt; one that was resolved before will be resolved again.
    if (failed.error?.code === 'ENOTFOUND' && !hasAnswered) return null;
    const delay = nextDelay(operation, failed, this.#failures.length, this.#policy, host);
    return delay !== null && host.monotonic() + delay < this.#deadline ? delay : null;
  }

  /**
   * After a lost response to a non-idempotent call: looks up whether its record exists before the call is repeated.
   *
   * @returns the record the call made, or null where there is none and the call may be sent again
   * @throws the error of the attempt where the call has failed, or where the lookup is inconclusive
   */
  async #recoverLostResponse(failed: Attempt & AttemptFailure): Promise<Answered | null> {
    if (!this.#needsLookup(failed)) throw this.#errorOf(failed);
    // Waits as long as an idempotent call would before its retry, so that the service can finish its work.
    await this.#pause(this.#retryDelay(failed, { retry: 'upsert' }) ?? 0);
    const since = (this.#lostSince ??= failed.sentAt);
    const { retries } = this.#policy;
    const lost = { ...this.#call, deadline: this.#deadline, since };
    const finding = retries > 0 ? await lookUp(this.#context, lost) : 'unclear';
    if (typeof finding === 'object') return this.#withoutResponse({ data: finding.record });
    // An absent record proves nothing while the service may still be processing the call.
    const hasFailed = finding === 'absent' && !mayStillSucceed(failed);
    if (hasFailed && this.#failures.length < retries && !isConflict(failed)) return null;
    const error = this.#errorOf(failed);
    throw hasFailed ? error : withAdvice(error, this.#call.operation.lookUp?.advice);
  }

  /** Whether the response to a non-idempotent call was lost, or a retry after a lost one was refused. */
  #needsLookup(failed: AttemptFailure): boolean {
    if (!this.#call.operation.lookUp) return false;
    if (failed.error && failed.error.misconfiguration !== null) return false;
    if (this.#lostSince !== null && isConflict(failed)) return true;
    return mayHaveSucceeded(failed) && (failed.error !== undefined || failed.answer.status !== 503);
  }

  async #pause(ms: number): Promise<void> {
    const { operation, options } = this.#call;
    try {
      await this.#context.host.sleep(ms, options.signal);
    } catch (cause) {
      throw options.signal?.aborted ? new AbortedError(operation.id, options.signal.reason) : cause;
    }
  }

  /** The result of a call whose data came in no response. */
  #withoutResponse(value: unknown): Answered {
    const head = { status: this.#call.operation.success, headers: {} };
    return answered(this.#call, value, head, this.#context.validator);
  }

  #errorOf(failed: AttemptFailure): Error {
    const { url, timeoutMs } = this.#request;
    return errorOf(failed, {
      operation: this.#call.operation,
      token: this.#token,
      url,
      timeoutMs: Math.min(timeoutMs, this.#totalMs),
      now: this.#context.host.now(),
    });
  }

  #report(result: Attempt, retryInMs: number | null): void {
    this.#context.onAttempt?.({
      operation: this.#call.operation.id,
      attempt: this.#failures.length + 1,
      durationMs: result.durationMs,
      outcome: result.error ? (result.answer?.status ?? result.error.failure) : result.answer.status,
      retryInMs,
    });
  }
}

/**
 * The same request, which reactivates nobody. The attempt before may have been carried out although its response was
 * lost, and the person may have unsubscribed since. In a JSON text, the name is unquoted only as a key.
 */
function withoutReactivation(request: HostRequest): HostRequest {
  const { body } = request;
  if (body === undefined) return request;
  return { ...request, body: body.replaceAll('"reactivate_existing":true', '"reactivate_existing":false') };
}
