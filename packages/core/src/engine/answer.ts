/** A response: its value, or the error it stands for. */
import { isErrorBody, pageTitle } from '../facts/api-answer.ts';
import { isRecord } from '../is-record.ts';
import { parseJson } from '../parse-json.ts';
import { responseInfo, type Head } from './api-promise.ts';
import { messagesIn, textOrEmpty, unknownStatuses, type Deviation, type FieldDeviation } from './deviations.ts';
import { isListId, type CalledOperation, type Validator } from './options.ts';
import {
  AbortedError,
  InvalidAnswerError,
  type CallName,
  apiError,
  isOperationId,
  type ApiError,
  type ServiceMessage,
  ConfigurationError,
  ForeignAnswerError,
  heldBack,
  NetworkError,
  RateLimitError,
  RedirectError,
  TimeoutError,
} from './errors.ts';
import { TransportError, type HostAnswer } from './host.ts';
import { PausedError } from './pacer.ts';
import type { PreparedCall } from './prepare.ts';
import { retryAfterMs } from './rate-limit.ts';
import { redact } from './redact.ts';

/** The result of one attempt. Times are by the host's monotonic clock. */
export type Attempt = { readonly sentAt: number; readonly durationMs: number } & (AttemptSuccess | AttemptFailure);

interface AttemptSuccess {
  readonly answer: HostAnswer;
  readonly value: unknown;
  readonly error?: never;
}

/**
 * Reads a response. A success that cannot be read – cut off, empty although the contract promises a body, a proxy's
 * page in its place – counts as a lost response: the service may have carried the call out, and a retry often succeeds.
 */
export function readResponse(operation: CalledOperation, answer: HostAnswer): AttemptSuccess | AttemptFailure {
  if (answer.status < 200 || answer.status > 299) return { answer };
  try {
    return { answer, value: readSuccess(operation, answer) };
  } catch (error) {
    if (!(error instanceof InvalidAnswerError)) throw error;
    return { answer, error: new TransportError('network'), unreadable: error };
  }
}

/**
 * The parsed body of a success; null where the contract promises none. An HTML page in place of the body (a sign-in
 * page, a proxy's notice) is an error for every operation, also for those without a body.
 *
 * @throws InvalidAnswerError where the body is missing, cut off, no JSON or no JSON of this operation
 */
function readSuccess(operation: CalledOperation, answer: HostAnswer): unknown {
  const { id, content } = operation;
  const isRaw = !isOperationId(id);
  const hasContent = content === 'data' || content === 'object';
  const emptyValue = content === 'empty' ? {} : null;
  if (answer.body.trim() === '') {
    if (isRaw || !hasContent) return emptyValue;
    throw new InvalidAnswerError(id, answer.status, ['the body is empty']);
  }
  const value = parseSuccess(id, answer);
  if (isRaw) return value;
  if (!isRecord(value)) {
    if (value === null && !hasContent) return emptyValue;
    throw new InvalidAnswerError(id, answer.status, ['the body is no JSON object']);
  }
  if (!hasContent) return emptyValue;
  // A service that wraps the object all the same is read, too.
  if (content === 'object') return isRecord(value['data']) ? value['data'] : value;
  if (!('data' in value)) throw new InvalidAnswerError(id, answer.status, ['"data" is missing']);
  return value;
}

function parseSuccess(id: CallName, { status, headers, body }: HostAnswer): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    const kind = headers['content-type'] ?? 'no content type';
    const what = /^\s*</.test(body) ? 'a page of something between you and the service' : 'not JSON';
    const problem = `the body is ${what} (${kind}, ${body.length} characters)`;
    throw new InvalidAnswerError(id, status, [problem], withoutQuotation(error));
  }
}

/** A SyntaxError without the part of the body that the platform quotes: it may hold a token. */
function withoutQuotation(error: unknown): SyntaxError | undefined {
  if (!(error instanceof SyntaxError)) return undefined;
  return new SyntaxError(error.message.replace(/(, \.*)?"[^]*/, ' in the body'));
}

/** The data of a call, and what is not as the specification has it: of the request, and of the answer. */
export interface Answered {
  readonly data: unknown;
  /** Without headers where no response carried the data. */
  readonly head: Head;
  readonly sent: readonly Deviation[];
  readonly found: readonly FieldDeviation[];
}

/**
 * Checks the data of a call. `data` alone ends a call: whatever else is odd is told, and given as it came.
 *
 * @param validator - null where nothing else is checked
 * @throws InvalidAnswerError
 */
export function answered(
  { operation: { id, content }, deviations: sent }: PreparedCall,
  data: unknown,
  head: Head,
  validator: Validator | null,
): Answered {
  if (!isOperationId(id)) return { data, head, sent, found: [] };
  const isList = isListId(id);
  const inner = isRecord(data) ? data['data'] : undefined;
  if (content === 'data' && !(isList ? Array.isArray(inner) : isRecord(inner)))
    throw new InvalidAnswerError(id, head.status, [`"data" is not ${isList ? 'a list' : 'an object'}`]);
  // Told with the word, for which the shapes have no room.
  const statuses = id.startsWith('subscriptions.') ? unknownStatuses(inner) : [];
  return { data, head, sent, found: [...statuses, ...(validator?.answer(id, data) ?? [])] };
}

/** The head with the deviations of the call, which are told; of several about one field the first. */
export function tellAll(
  operation: CallName,
  { head, sent, found }: Pick<Answered, 'head' | 'sent' | 'found'>,
  tell: (deviation: Deviation) => void,
): Head {
  if (sent.length + found.length === 0) return head;
  const first = new Map(found.toReversed().map((each) => [each.field, each]));
  const inAnswer = found
    .filter((each) => first.get(each.field) === each)
    .map((each): Deviation => ({ operation, part: 'answer', records: 1, ...each }));
  const deviations = [...sent, ...inAnswer];
  for (const each of deviations) tell(each);
  return { ...head, deviations };
}

/** The error for a response with an error status: the API's, where the body is one of its own. */
function readError(
  operation: CalledOperation,
  answer: HostAnswer,
  nowMs: number,
  secrets: readonly string[],
): ApiError | ForeignAnswerError {
  const { status } = answer;
  const wait = retryAfterMs(answer, nowMs);
  const body = errorBody(operation, answer);
  if (body === undefined)
    return new ForeignAnswerError(operation.id, {
      status,
      page: redact(pageTitle(answer.body), secrets).slice(0, longestTitle) || null,
      server: answer.headers['server']?.slice(0, longestTitle) ?? null,
      retryAfterMs: wait,
    });
  return apiError(operation.id, {
    status,
    statusText: typeof body['statusText'] === 'string' ? body['statusText'] : '',
    errors: serviceMessages(body).map(({ message, code }) => ({
      message: redact(message, secrets),
      code: redact(code, secrets),
    })),
    retryAfterMs: wait,
    requestId: responseInfo(answer).requestId,
  });
}

/** Longest title of a page in an error, in characters. */
const longestTitle = 80;

/**
 * The error body of the API, or an OAuth one (RFC 6749); undefined where somebody else answered. Who answered decides
 * what an error says; its status decides what is done.
 */
export function errorBody(
  { id, base }: Pick<CalledOperation, 'id' | 'base'>,
  { status, body }: Pick<HostAnswer, 'status' | 'body'>,
): Record<string, unknown> | undefined {
  const parsed = parseJson(body);
  const value = isRecord(parsed) ? parsed : {};
  const isOAuth = (base === 'app' || !isOperationId(id)) && typeof value['error'] === 'string';
  return isErrorBody(value, status) || isOAuth ? value : undefined;
}

/** The messages of an API error body, or of an OAuth one. */
function serviceMessages(body: Readonly<Record<string, unknown>>): ServiceMessage[] {
  if (Array.isArray(body['errors'])) return messagesIn(body['errors']);
  if (typeof body['error'] !== 'string') return [];
  return [{ message: textOrEmpty(body['error_description']) || body['error'], code: body['error'] }];
}

/** A failed attempt: an error status, or a lost response (none arrived, or none that can be read). */
export type AttemptFailure =
  | { readonly answer: HostAnswer; readonly error?: never }
  | { readonly error: TransportError; readonly answer?: HostAnswer; readonly unreadable?: InvalidAnswerError };

/** The details of a call that its error depends on. */
interface FailedCall {
  readonly operation: CalledOperation;
  /** The address the request was sent to. */
  readonly url: string;
  /** Timeout of the attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** The token of the request: the service may repeat it in its messages. */
  readonly token: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** The error for a failed attempt. */
export function errorOf(failed: AttemptFailure, { operation, url, timeoutMs, token, now }: FailedCall): Error {
  if (!failed.error) {
    const { status, headers } = failed.answer;
    if (status >= 300 && status < 400)
      return new RedirectError(operation.id, status, redirectOrigin(headers['location'], url), settingOf(operation));
    return readError(operation, failed.answer, now, token ? [token] : []);
  }
  return failed.unreadable ?? transportError(operation, failed.error, timeoutMs);
}

/** The error of a call that got no turn from the pacer. Errors that the engine does not know are returned unchanged. */
export function errorOfWaiting(operation: CalledOperation, cause: unknown, totalMs: number): unknown {
  if (cause instanceof PausedError) return new RateLimitError(operation.id, heldBack(cause.pauseMs));
  if (!(cause instanceof TransportError)) return cause;
  return cause.failure === 'timeout'
    ? new TimeoutError(operation.id, totalMs, { notSent: true, cause })
    : transportError(operation, cause, totalMs);
}

/** The setting that holds the address of an operation. */
function settingOf({ base }: CalledOperation): 'the base URL' | 'the app URL' {
  return base === 'api' ? 'the base URL' : 'the app URL';
}

function transportError(operation: CalledOperation, error: TransportError, timeoutMs: number): Error {
  const { id } = operation;
  const { misconfiguration, code } = error;
  if (misconfiguration !== null)
    return new ConfigurationError(id, misconfiguration.replaceAll('the base URL', settingOf(operation)), {
      code,
      cause: error,
    });
  if (error.failure === 'aborted') return new AbortedError(id, error.cause);
  if (error.failure === 'timeout') return new TimeoutError(id, timeoutMs, { cause: error });
  return new NetworkError(id, error);
}

/** The target of a redirect: scheme, host and port. Path and query may hold an e-mail address. */
function redirectOrigin(location: string | undefined, url: string): string | null {
  if (location === undefined || !URL.canParse(location, url)) return null;
  const { origin } = new URL(location, url);
  return origin === 'null' ? null : origin;
}
