/** The error statuses that the specification documents. */

/** When 403 is answered by an operation whose errors the specification lists without it. */
export const missingScope = 'The access token lacks the scope of the operation.';

/** A documented error status. */
export interface StatusWords {
  /** Name of the shared response in the OpenAPI document. */
  readonly name: string;
  /** `statusText` of the error body. Values are not shown in the specification. */
  readonly statusText: string;
  /** When it is answered. */
  readonly description: string;
  /** The class of error that the client throws for it. */
  readonly errorClass: string;
  /** When a list that is paged answers it, where that is more. */
  readonly lists?: string;
  /** When an OAuth endpoint answers it (RFC 6749, section 5.2; RFC 7009). */
  readonly oauth?: string;
}

/** The documented error statuses (specification, Errors). */
export const statuses = {
  400: {
    name: 'BadRequest',
    statusText: 'bad_request',
    description: 'The request is invalid.',
    lists: 'The request is invalid, the page is beyond 100, or the cursor is invalid.',
    errorClass: 'BadRequestError',
    oauth: 'The request, its grant or its scope is invalid.',
  },
  401: {
    name: 'Unauthorized',
    statusText: 'unauthorized',
    description: 'The API key or access token is missing, invalid or expired.',
    errorClass: 'UnauthorizedError',
    oauth: 'The client or the token is unknown, or the client failed to authenticate.',
  },
  403: {
    name: 'Forbidden',
    statusText: 'forbidden',
    description: 'The API key or access token is valid but has no access: the scope or the access right is missing.',
    errorClass: 'ForbiddenError',
    oauth: 'The token belongs to another client.',
  },
  404: {
    name: 'NotFound',
    statusText: 'not_found',
    description: 'The addressed resource does not exist, or the API key cannot reach its publication.',
    errorClass: 'NotFoundError',
  },
  409: {
    name: 'Conflict',
    statusText: 'conflict',
    description: 'The request conflicts with an existing record.',
    errorClass: 'ConflictError',
  },
  429: {
    name: 'TooManyRequests',
    statusText: 'too_many_requests',
    description: 'The rate limit is exceeded.',
    errorClass: 'RateLimitError',
  },
  500: {
    name: 'InternalServerError',
    statusText: 'internal_server_error',
    description: 'The service failed.',
    errorClass: 'ServerError',
  },
} as const satisfies Readonly<Record<number, StatusWords>>;
