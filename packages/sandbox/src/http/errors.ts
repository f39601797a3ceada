/** The error body of the API, and the error that becomes one. */
import { STATUS_CODES } from 'node:http';
import type { ServiceMessage as ErrorDetail } from '@newsletter-kit/core/engine';
import { inspect } from 'node:util';
import { isStorageFailure } from '../store/database.ts';
import { Refusal } from '../world/world.ts';

/** Each error status the sandbox answers with, but for those that a fault names. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 429 | 500 | 503;

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

/** The body: `status`, `statusText` as the service spells it, such as `not_found`, and `errors`. */
export function errorBody(status: number, errors: readonly ErrorDetail[]) {
  const statusText = (STATUS_CODES[status] ?? 'unknown').toLowerCase().replace(/[^a-z]/g, '_');
  return { status, statusText, errors };
}

/** An answer with the error body, also for a status that the API itself does not send. */
export function refusal(status: number, error: ErrorDetail, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(errorBody(status, [error]), { status, headers });
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
