/**
 * Reads what the service answered: a value, or the right error. Survives HTML, empty and cut-off bodies on any status.
 * Pure.
 */
import type { Operation, OperationId } from '../contract/index.ts';
import { isRecord } from '../is-record.ts';
import { apiError, InvalidAnswerError, type ApiError, type ServiceMessage } from './errors.ts';
import type { HostAnswer } from './host.ts';
import { retryAfterMs } from './limits.ts';
import { redact } from './redact.ts';

/** Answers that promise no body although their status would allow one, and what they are read as. */
const withoutBody: Partial<Readonly<Record<OperationId, unknown>>> = {
  'subscriptions.updateStatus': null,
  'subscriptions.updateStatusPut': null,
  'oauth.revoke': {},
};

/** Answers that stand by themselves, not in `data`; a service that wraps them like all others means the same. */
const unwrapped: ReadonlySet<OperationId> = new Set(['subscriptions.bulkCreate']);

/**
 * The parsed body of a success; null where the contract promises none: some services send `{}` then, or a page.
 *
 * @throws InvalidAnswerError where the body is missing, cut off or no JSON
 */
export function readSuccess(operation: Operation & { readonly id: OperationId }, answer: HostAnswer): unknown {
  if (operation.success === 204) return null;
  if (operation.id in withoutBody) return withoutBody[operation.id];
  if (answer.body.trim() === '') throw new InvalidAnswerError(operation.id, answer.status, ['the body is empty']);
  try {
    const value: unknown = JSON.parse(answer.body);
    return unwrapped.has(operation.id) && isRecord(value) && isRecord(value['data']) ? value['data'] : value;
  } catch {
    const kind = answer.headers['content-type'] ?? 'no content type';
    throw new InvalidAnswerError(operation.id, answer.status, [
      `the body is not JSON (${kind}, ${answer.body.length} characters)`,
    ]);
  }
}

/** The error an answer of another status stands for. */
export function readError(
  operation: Operation & { readonly id: OperationId },
  answer: HostAnswer,
  nowMs: number,
  secrets: readonly string[],
): ApiError {
  const body = parse(answer.body);
  return apiError(operation.id, {
    status: answer.status,
    statusText: typeof body['statusText'] === 'string' ? body['statusText'] : '',
    errors: serviceMessages(body).map(({ message, code }) => ({
      message: redact(message, secrets),
      code: redact(code, secrets),
    })),
    retryAfterMs: retryAfterMs(answer, nowMs),
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
