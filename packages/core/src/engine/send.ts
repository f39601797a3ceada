/**
 * Carries one call through: waits for its turn, sends it, and by the result repeats it, looks its record up after a
 * lost response, or ends.
 */
import type { Head } from './api-promise.ts';
import type { CallOptions, CalledOperation } from './arguments.ts';
import {
  attemptEvent,
  sendOnce,
  type Attempt,
  type AttemptEvent,
  errorOf,
  errorOfWaiting,
  type Failure,
} from './attempt.ts';
import { AbortedError, ConfigurationError, withAdvice } from './errors.ts';
import type { Host, HostRequest } from './host.ts';
import { lookUpOf, type LostResponses, alreadyGone, isRefusal, mayGoOn, mayHaveHappened } from './lost-response.ts';
import type { Pacer, Turn } from './pacer.ts';
import { nextDelay, type RetryPolicy } from './retry.ts';
import { tokenMistake, type TokenSource } from './token.ts';

/** What all calls of an engine have in common. */
export interface Sender {
  readonly host: Host;
  readonly tokens: TokenSource | null;
  readonly pacer: Pacer | null;
  readonly lostResponses: LostResponses;
  readonly onAttempt: ((event: AttemptEvent) => void) | undefined;
  /** Whether the service has answered any call yet. */
  hasAnswered: boolean;
}

/** One call. */
export interface Call {
  readonly operation: CalledOperation;
  readonly args: Readonly<Record<string, unknown>>;
  /** Without authorization. */
  readonly request: HostRequest;
  readonly options: CallOptions;
  readonly policy: RetryPolicy;
  /** Milliseconds for all of it; Infinity for no limit. */
  readonly totalMs: number;
  /** When they are over, by the host's monotonic clock. */
  readonly deadline: number;
}

/** A call under way. */
export interface Course extends Call {
  /** The token of the last attempt. */
  token: string | undefined;
  /** How often its token was renewed for this call; from then on the call uses that token. */
  renewals: number;
  lastFailure: Failure | null;
  /** When a non-idempotent call was sent whose response was the first to be lost. */
  lostSince: number | null;
}

/** The data of a call, and the status and headers it came with. */
export interface Delivered {
  /** Without headers where no answer said it. */
  readonly head: Head;
  readonly value: unknown;
}

/** Carries a call through. @throws the error of its last attempt */
export async function send(sender: Sender, { operation, ...rest }: Call): Promise<Delivered> {
  const call: Course = { operation, ...rest, token: undefined, renewals: 0, lastFailure: null, lostSince: null };
  for (let attempt = 0; ; attempt += 1) {
    const result = await attemptSigned(sender, call, attempt);
    if ('value' in result) {
      report(sender, call, result, attempt, null);
      const { status, headers } = result.answer;
      return { head: { status, headers }, value: result.value };
    }
    if (call.lastFailure && alreadyGone(operation, result, call.lastFailure)) {
      report(sender, call, result, attempt, null);
      return { head: { status: operation.success, headers: {} }, value: null };
    }
    const repeatIn = untilNext(sender, call, operation, result, attempt);
    report(sender, call, result, attempt, repeatIn);
    call.lastFailure = result;
    if (repeatIn !== null) await pause(sender, call, repeatIn);
    else {
      const found = await recoverLost(sender, call, result, attempt);
      if (found) return found;
    }
  }
}

/** Most renewals for one call: a service that refuses every token must not be asked forever. */
const mostRenewals = 3;

/**
 * One attempt of the policy. Where the service refuses the token and there is a way to renew it, the request is sent
 * again with another token: a 401 provably did nothing, so this holds for non-idempotent operations too. A renewed
 * token may be invalidated while the request is on its way, so it is renewed again, as long as another one comes back.
 */
async function attemptSigned(sender: Sender, call: Course, attempt: number): Promise<Attempt> {
  const { tokens } = sender;
  for (;;) {
    const result = await sendInTurn(sender, call);
    const refused = call.token;
    if (result.answer?.status !== 401 || !tokens?.refresh || !refused || call.renewals >= mostRenewals) return result;
    const renewed = await tokens.refresh(refused).catch((error: unknown) => {
      report(sender, call, result, attempt, null);
      throw error;
    });
    if (renewed === refused) return result;
    report(sender, call, result, attempt, 0);
    call.token = renewed;
    call.renewals += 1;
  }
}

async function sendInTurn(sender: Sender, call: Course): Promise<Attempt> {
  const { host, tokens, lostResponses } = sender;
  const turn = await takeTurn(sender, call);
  try {
    if (call.renewals === 0) call.token = await tokens?.get();
    const mistake = call.token === undefined ? null : tokenMistake(call.token);
    if (mistake !== null) throw new ConfigurationError(call.operation.id, mistake);
    const result = await sendOnce(host, call.operation, signed(call, host.monotonic()));
    if (result.answer) {
      sender.hasAnswered = true;
      lostResponses.noteClock(result.answer);
    }
    // Neither a withdrawn call nor a wrong setting is trouble of the service.
    const isTrouble = result.error?.failure !== 'aborted' && result.error?.mistake === null;
    turn?.done(result.answer ?? (isTrouble ? null : undefined));
    return result;
  } finally {
    turn?.done(); // where there is no result at all
  }
}

/** Only the API has a quota: what renews a token must not wait for it. */
async function takeTurn(sender: Sender, call: Course): Promise<Turn | null> {
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

function signed({ request, token, deadline }: Course, now: number): HostRequest {
  const timeoutMs = Math.min(request.timeoutMs, deadline - now);
  const headers = token ? { ...request.headers, authorization: `Bearer ${token}` } : request.headers;
  return { ...request, headers, timeoutMs };
}

/**
 * Before a non-idempotent call is repeated, looks up whether its record exists.
 *
 * @returns the record it made, or null where there is none and the call may be sent again
 * @throws the error of the attempt where the call has failed, or where the look-up gives no conclusion
 */
async function recoverLost(
  sender: Sender,
  call: Course,
  failed: Attempt & Failure,
  attempt: number,
): Promise<Delivered | null> {
  const { operation, policy } = call;
  if (!shouldLook(call, failed)) throw errorNow(sender, call, failed);
  // Waits as long as an idempotent call would before its repetition, so that the service can finish its work.
  await pause(sender, call, untilNext(sender, call, { retry: 'upsert' }, failed, attempt) ?? 0);
  const since = (call.lostSince ??= failed.sentAt);
  const finding = policy.retries > 0 ? await sender.lostResponses.lookUp({ ...call, since }) : 'unclear';
  if (typeof finding === 'object') {
    return { head: { status: operation.success, headers: {} }, value: { data: finding.record } };
  }
  // An absent record proves nothing while the service may still be at work.
  const over = finding === 'absent' && !mayGoOn(failed);
  if (over && attempt < policy.retries && !isRefusal(failed)) return null;
  const error = errorNow(sender, call, failed);
  throw over ? error : withAdvice(error, lookUpOf(operation.id)?.advice);
}

/** Whether the response to a non-idempotent call was lost, or a repetition after a lost one was refused. */
function shouldLook({ operation, lostSince }: Course, failed: Failure): boolean {
  if (operation.retry !== 'once' || !lookUpOf(operation.id)) return false;
  if (failed.error && failed.error.mistake !== null) return false;
  if (lostSince !== null && isRefusal(failed)) return true;
  return mayHaveHappened(failed) && (failed.error !== undefined || failed.answer.status !== 503);
}

/** Milliseconds until the next attempt, or null where there is none: not by the policy, or not before the deadline. */
function untilNext(
  { host, hasAnswered }: Sender,
  { policy, deadline }: Course,
  operation: Pick<CalledOperation, 'retry'>,
  failed: Failure,
  attempt: number,
): number | null {
  // A host name that was never found is more likely misspelt; one that was found before will be found again.
  if (failed.error?.code === 'ENOTFOUND' && !hasAnswered) return null;
  const delay = nextDelay(operation, failed, attempt, policy, host);
  return delay !== null && host.monotonic() + delay < deadline ? delay : null;
}

async function pause({ host }: Sender, { operation, options: { signal } }: Course, ms: number): Promise<void> {
  try {
    await host.sleep(ms, signal);
  } catch (cause) {
    throw signal?.aborted ? new AbortedError(operation.id, signal.reason) : cause;
  }
}

function errorNow({ host }: Sender, { operation, request, totalMs, token }: Course, failed: Failure): Error {
  return errorOf(failed, {
    operation,
    token,
    url: request.url,
    timeoutMs: Math.min(request.timeoutMs, totalMs),
    now: host.now(),
  });
}

function report(
  { onAttempt }: Sender,
  { operation }: Course,
  result: Attempt,
  attempt: number,
  retryInMs: number | null,
): void {
  onAttempt?.(attemptEvent(operation, result, attempt + 1, retryInMs));
}
