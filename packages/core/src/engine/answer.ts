/**
 * Reads what the service answered: a value, or the right error. Survives HTML, empty and cut-off bodies on any status.
 * Pure.
 */
import { isRecord } from '../is-record.ts';
import { responseInfo } from './api-promise.ts';
import {
  apiError,
  InvalidAnswerError,
  isOperationId,
  type ApiError,
  type CallName,
  type ServiceMessage,
} from './errors.ts';
import type { Named } from './failure.ts';
import type { HostAnswer } from './host.ts';
import { retryAfterMs } from './limits.ts';
import { redact } from './redact.ts';

/** Answers that stand by themselves, not in `data`; a service that wraps them like all others means the same. */
const unwrapped: ReadonlySet<CallName> = new Set(['subscriptions.bulkCreate']);

/** Answers for which the specification shows no content although their status allows a body. */
const withoutContent: ReadonlySet<CallName> = new Set([
  'subscriptions.updateStatus',
  'subscriptions.updateStatusPut',
  'oauth.revoke',
]);

/**
 * The parsed body of a success; null where the contract promises none. An HTML page in place of the body (a sign-in
 * page, a proxy's notice) is an error for every operation, also for those without a body.
 *
 * @throws InvalidAnswerError where the body is missing, cut off, no JSON or no JSON of this operation
 */
export function readSuccess(operation: Named, answer: HostAnswer): unknown {
  const { id, base, success } = operation;
  const isRaw = !isOperationId(id);
  const hasContent = success !== 204 && !withoutContent.has(id);
  const nothing = id === 'oauth.revoke' ? {} : null;
  if (answer.body.trim() === '') {
    if (isRaw || !hasContent) return nothing;
    throw new InvalidAnswerError(id, answer.status, ['the body is empty']);
  }
  const value = parseSuccess(id, answer);
  if (isRaw) return value;
  if (!isRecord(value)) {
    if (value === null && !hasContent) return nothing;
    throw new InvalidAnswerError(id, answer.status, ['the body is no JSON object']);
  }
  if (!hasContent) return nothing;
  if (unwrapped.has(id)) return isRecord(value['data']) ? value['data'] : value;
  if (base === 'api' && !('data' in value)) throw new InvalidAnswerError(id, answer.status, ['"data" is missing']);
  return value;
}

function parseSuccess(id: CallName, { status, headers, body }: HostAnswer): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    const kind = headers['content-type'] ?? 'no content type';
    const problem = `the body is not JSON (${kind}, ${body.length} characters)`;
    throw new InvalidAnswerError(id, status, [problem], withoutQuotation(error));
  }
}

/** A SyntaxError without the part of the body that V8 quotes: it may hold a token. */
function withoutQuotation(error: unknown): SyntaxError | undefined {
  if (!(error instanceof SyntaxError)) return undefined;
  return new SyntaxError(error.message.replace(/,? *(\.\.\.)?"[^]*"(\.\.\.)? is not valid JSON/, ' in the body'));
}

/** The error an answer of another status stands for. */
export function readError(operation: Named, answer: HostAnswer, nowMs: number, secrets: readonly string[]): ApiError {
  const body = parse(answer.body);
  return apiError(operation.id, {
    status: answer.status,
    statusText: typeof body['statusText'] === 'string' ? body['statusText'] : '',
    errors: serviceMessages(body).map(({ message, code }) => ({
      message: redact(message, secrets),
      code: redact(code, secrets),
    })),
    retryAfterMs: retryAfterMs(answer, nowMs),
    requestId: responseInfo(answer).requestId,
  });
}

/** The messages of an API error body, or of an OAuth one (RFC 6749, `error` and `error_description`). */
function serviceMessages(body: Readonly<Record<string, unknown>>): ServiceMessage[] {
  if (Array.isArray(body['errors'])) {
    return (body['errors'] as unknown[])
      .filter(isRecord)
      .map(({ message, code }) => ({ message: text(message), code: text(code) }));
  }
  if (typeof body['error'] !== 'string') return [];
  return [{ message: text(body['error_description']) || body['error'], code: body['error'] }];
}

function parse(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : {};
  } catch {
    return {}; // an error page is no JSON; its status says enough
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
