/** The error body of the API, and the error that becomes one. */
import { STATUS_CODES } from 'node:http';
import type { ServiceMessage as ErrorDetail } from '@newsletter-kit/core/engine';
import { inspect } from 'node:util';
import { isStorageFailure } from '../store/database.ts';
import { Refusal } from '../world/world.ts';

/** Each status the sandbox answers with, as the service spells it in `statusText`. */
const statusTexts = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  429: 'too_many_requests',
  500: 'internal_server_error',
  501: 'not_implemented',
  503: 'service_unavailable',
} as const;

export type ErrorStatus = keyof typeof statusTexts;

/** What to change: a field of body, query, path or header, or the method or path itself. */
export interface Change {
  readonly field: string;
  readonly to: unknown;
}

/** Ends a request with this status and these reasons. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: ErrorStatus;
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;
  /** What would make the request valid; for the request log. */
  readonly changes: readonly Change[];

  constructor(
    status: ErrorStatus,
    details: readonly ErrorDetail[],
    headers: Readonly<Record<string, string>> = {},
    changes: readonly Change[] = [],
  ) {
    super(details.map((detail) => detail.message).join(' '));
    this.status = status;
    this.details = details;
    this.headers = headers;
    this.changes = changes;
  }
}

/** An {@link ApiError} with one reason. */
export function apiError(
  status: ErrorStatus,
  code: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): ApiError {
  return new ApiError(status, [{ message, code }], headers);
}

/** The body: `status`, `statusText`, `errors`. */
export function errorBody(status: ErrorStatus, errors: readonly ErrorDetail[]) {
  return { status, statusText: statusTexts[status], errors };
}

/** An answer with the error body, also for a status that the API itself does not send. */
export function refusal(status: number, error: ErrorDetail, headers: Readonly<Record<string, string>> = {}): Response {
  const known: Readonly<Record<number, string>> = statusTexts;
  const statusText = known[status] ?? (STATUS_CODES[status] ?? 'unknown').toLowerCase().replace(/[^a-z]/g, '_');
  return Response.json({ status, statusText, errors: [error] }, { status, headers });
}

/** Converts any error into an API error. Unexpected errors are printed and answered with 500. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Refusal) return new ApiError(400, error.details);
  if (isStorageFailure(error)) {
    return apiError(
      503,
      'STORAGE_UNAVAILABLE',
      'The sandbox could not write to its database, so it stored nothing of this request. Free some disk space, then send the request again.',
    );
  }
  process.stderr.write(`${inspect(error)}\n`);
  return apiError(
    500,
    'INTERNAL_ERROR',
    'The sandbox failed because of a bug. Its terminal shows the error. Please report it.',
  );
}
