/**
 * Sends one call: waits for its turn, sends the request, and depending on the result retries it, looks its record up
 * after a lost response, or ends.
 */
import type { Head } from './api-promise.ts';
import type { CallOptions, CalledOperation } from './request.ts';
import {
  attemptEvent,
  sendOnce,
  type Attempt,
  type AttemptEvent,
  errorOf,
  errorOfWaiting,
  type AttemptFailure,
} from './attempt.ts';
import { AbortedError, ConfigurationError, withAdvice } from './errors.ts';
import type { Host, HostRequest } from './host.ts';
import {
  lookUpOf,
  type LostResponses,
  isAlreadyDeleted,
  isConflict,
  mayStillSucceed,
  mayHaveSucceeded,
} from './lost-response.ts';
import type { Pacer, Turn } from './pacer.ts';
import { nextDelay, type RetryPolicy } from './retry.ts';
import { tokenProblem, type TokenSource } from './token.ts';

/** The parts that all calls of an engine share. */
export interface CallSender {
  readonly host: Host;
  readonly tokens: TokenSource | null;
  readonly pacer: Pacer | null;
  readonly lostResponses: LostResponses;
  readonly onAttempt: ((event: AttemptEvent) => void) | undefined;
  /** Whether the service has answered any call yet. */
  hasAnswered: boolean;
}

/** One call. */
export interface OutgoingCall {
  readonly operation: CalledOperation;
  readonly args: Readonly<Record<string, unknown>>;
  /** Without authorization. */
  readonly request: HostRequest;
  readonly options: CallOptions;
  readonly policy: RetryPolicy;
  /** Total timeout of the call in milliseconds; Infinity for no limit. */
  readonly totalMs: number;
  /** When the total timeout ends, by the host's monotonic clock. */
  readonly deadline: number;
}

/** A call in progress. */
export interface CallInProgress extends Omit<OutgoingCall, 'request'> {
  /** What the next attempt sends, without authorization. */
  request: HostRequest;
  /** The token of the last attempt. */
  token: string | undefined;
  /** How often the token was refreshed for this call; from then on the call uses that token. */
  refreshes: number;
  lastFailure: AttemptFailure | null;
  /** When the attempt was sent whose response was lost first; only for a non-idempotent call. */
  lostSince: number | null;
}

/** The data of a call, and the status and headers it came with. */
export interface Delivered {
  /** Without headers where no response carried the data. */
  readonly head: Head;
  readonly value: unknown;
}

/** Sends a call to its end. @throws the error of its last attempt */
export async function send(sender: CallSender, { operation, ...rest }: OutgoingCall): Promise<Delivered> {
  const call: CallInProgress = {
    operation,
    ...rest,
    token: undefined,
    refreshes: 0,
    lastFailure: null,
    lostSince: null,
  };
  for (let attempt = 0; ; attempt += 1) {
    const result = await sendWithToken(sender, call, attempt);
    if ('value' in result) {
      report(sender, call, result, attempt, null);
      const { status, headers } = result.answer;
      return { head: { status, headers }, value: result.value };
    }
    if (call.lastFailure && isAlreadyDeleted(operation, result, call.lastFailure)) {
      report(sender, call, result, attempt, null);
      return { head: { status: operation.success, headers: {} }, value: null };
    }
    const retryInMs = retryDelay(sender, call, operation, result, attempt);
    report(sender, call, result, attempt, retryInMs);
    call.lastFailure = result;
    if (retryInMs !== null) {
      if (mayHaveSucceeded(result)) call.request = withoutReactivation(call.request);
      await pause(sender, call, retryInMs);
    } else {
      const found = await recoverLostResponse(sender, call, result, attempt);
      if (found) return found;
    }
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

/** Most token refreshes for one call, so that a service that refuses every token ends the call. */
const maxRefreshes = 3;

/**
 * One attempt of the retry policy, with token refresh. Where the service answers 401 and the token source can refresh,
 * the request is sent again with the new token. A 401 changed nothing, so this is safe for non-idempotent operations
 * too. A refreshed token may be invalidated before it arrives, so it is refreshed again, as long as a different one
 * comes back.
 */
async function sendWithToken(sender: CallSender, call: CallInProgress, attempt: number): Promise<Attempt> {
  const { tokens } = sender;
  for (;;) {
    const result = await sendInTurn(sender, call);
    const refused = call.token;
    if (result.answer?.status !== 401 || !tokens?.refresh || !refused || call.refreshes >= maxRefreshes) return result;
    const refreshed = await tokens.refresh(refused).catch((error: unknown) => {
      report(sender, call, result, attempt, null);
      throw error;
    });
    if (refreshed === refused) return result;
    report(sender, call, result, attempt, 0);
    call.token = refreshed;
    call.refreshes += 1;
  }
}

async function sendInTurn(sender: CallSender, call: CallInProgress): Promise<Attempt> {
  const { host, tokens, lostResponses } = sender;
  const turn = await takeTurn(sender, call);
  try {
    if (call.refreshes === 0) call.token = await tokens?.get();
    const problem = call.token === undefined ? null : tokenProblem(call.token);
    if (problem !== null) throw new ConfigurationError(call.operation.id, problem);
    const result = await sendOnce(host, call.operation, signed(call, host.monotonic()));
    if (result.answer) {
      sender.hasAnswered = true;
      lostResponses.noteClock(result.answer);
    }
    // An aborted call and a wrong setting are no failure of the service.
    const isServiceFailure = result.error?.failure !== 'aborted' && result.error?.misconfiguration === null;
    turn?.done(result.answer ?? (isServiceFailure ? null : undefined));
    return result;
  } finally {
    turn?.done(); // ends the turn where an error was thrown
  }
}

/** Waits for a turn of the pacer. Only the API is rate limited: a token refresh does not wait. */
async function takeTurn(sender: CallSender, call: CallInProgress): Promise<Turn | null> {
  const { operation, options, deadline, policy, lastFailure } = call;
  if (!sender.pacer || operation.base !== 'api') return null;
  try {
    return await sender.pacer.turn({
      stream: options.stream,
      background: options.background,
      signal: options.signal,
      deadline: Number.isFinite(deadline) ? deadline : undefined,
      maxPauseMs: policy.maxRetryAfterMs,
    });
  } catch (cause) {
    throw lastFailure && !options.signal?.aborted
      ? errorNow(sender, call, lastFailure)
      : errorOfWaiting(operation, cause, call.totalMs);
  }
}

function signed({ request, token, deadline }: CallInProgress, now: number): HostRequest {
  const timeoutMs = Math.min(request.timeoutMs, deadline - now);
  const headers = token ? { ...request.headers, authorization: `Bearer ${token}` } : request.headers;
  return { ...request, headers, timeoutMs };
}

/**
 * After a lost response to a non-idempotent call: looks up whether its record exists before the call is repeated.
 *
 * @returns the record the call made, or null where there is none and the call may be sent again
 * @throws the error of the attempt where the call has failed, or where the lookup is inconclusive
 */
async function recoverLostResponse(
  sender: CallSender,
  call: CallInProgress,
  failed: Attempt & AttemptFailure,
  attempt: number,
): Promise<Delivered | null> {
  const { operation, policy } = call;
  if (!needsLookup(call, failed)) throw errorNow(sender, call, failed);
  // Waits as long as an idempotent call would before its retry, so that the service can finish its work.
  await pause(sender, call, retryDelay(sender, call, { retry: 'upsert' }, failed, attempt) ?? 0);
  const since = (call.lostSince ??= failed.sentAt);
  const finding = policy.retries > 0 ? await sender.lostResponses.lookUp({ ...call, since }) : 'unclear';
  if (typeof finding === 'object') {
    return { head: { status: operation.success, headers: {} }, value: { data: finding.record } };
  }
  // An absent record proves nothing while the service may still be processing the call.
  const hasFailed = finding === 'absent' && !mayStillSucceed(failed);
  if (hasFailed && attempt < policy.retries && !isConflict(failed)) return null;
  const error = errorNow(sender, call, failed);
  throw hasFailed ? error : withAdvice(error, lookUpOf(operation.id)?.advice);
}

/** Whether the response to a non-idempotent call was lost, or a retry after a lost one was refused. */
function needsLookup({ operation, lostSince }: CallInProgress, failed: AttemptFailure): boolean {
  if (!lookUpOf(operation.id)) return false;
  if (failed.error && failed.error.misconfiguration !== null) return false;
  if (lostSince !== null && isConflict(failed)) return true;
  return mayHaveSucceeded(failed) && (failed.error !== undefined || failed.answer.status !== 503);
}

/** Milliseconds until the retry; null where the retry policy or the deadline allows none. */
function retryDelay(
  { host, hasAnswered }: CallSender,
  { policy, deadline }: CallInProgress,
  operation: Pick<CalledOperation, 'retry'>,
  failed: AttemptFailure,
  attempt: number,
): number | null {
  // A host name that was never resolved is probably misspelt; one that was resolved before will be resolved again.
  if (failed.error?.code === 'ENOTFOUND' && !hasAnswered) return null;
  const delay = nextDelay(operation, failed, attempt, policy, host);
  return delay !== null && host.monotonic() + delay < deadline ? delay : null;
}

async function pause(
  { host }: CallSender,
  { operation, options: { signal } }: CallInProgress,
  ms: number,
): Promise<void> {
  try {
    await host.sleep(ms, signal);
  } catch (cause) {
    throw signal?.aborted ? new AbortedError(operation.id, signal.reason) : cause;
  }
}

function errorNow(
  { host }: CallSender,
  { operation, request, totalMs, token }: CallInProgress,
  failed: AttemptFailure,
): Error {
  return errorOf(failed, {
    operation,
    token,
    url: request.url,
    timeoutMs: Math.min(request.timeoutMs, totalMs),
    now: host.now(),
  });
}

function report(
  { onAttempt }: CallSender,
  { operation }: CallInProgress,
  result: Attempt,
  attempt: number,
  retryInMs: number | null,
): void {
  onAttempt?.(attemptEvent(operation, result, attempt + 1, retryInMs));
}
