/** The engine and its interfaces: hosts, errors, pages, the retry policy. Host-free. */
export type { ApiPromise, ResponseInfo, WithResponse } from './api-promise.ts';
export type { AttemptEvent } from './call.ts';
export { checkAnswer, checkRequest, fits } from './check.ts';
export { deviationText, messagesIn, neededFields, readRecords, type Deviation, type ListReader } from './deviations.ts';
export * from './engine.ts';
export {
  AbortedError,
  ApiError,
  BadRequestError,
  ConfigurationError,
  ConflictError,
  ForbiddenError,
  ForeignAnswerError,
  InvalidAnswerError,
  InvalidRequestError,
  NetworkError,
  NewsletterError,
  NotFoundError,
  RateLimitError,
  RedirectError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
  type CallName,
  type ForeignAnswerDetails,
  type RequestMethod,
  type ServiceMessage,
} from './errors.ts';
export * from './host.ts';
export { nearMiss } from './near-miss.ts';
export {
  isListId,
  type Arguments,
  type CallOptions,
  type CheckedRequest,
  type CustomerIdField,
  type Item,
  type ListId,
  type QueryValue,
  type RequestOptions,
  type Validator,
} from './options.ts';
export { createPacer, type Pacer, type PacerOptions, type Turn, type Waiter } from './pacer.ts';
export {
  continuationAt,
  Page,
  PagePromise,
  placeOf,
  readPage,
  startTrail,
  type Continuation,
  type Paging,
  type Trail,
} from './pages.ts';
export * from '../is-record.ts';
export { redact } from './redact.ts';
export { readServiceAddress } from '../service-address.ts';
export { retryAfterMs } from './rate-limit.ts';
export { defaultRetryPolicy, nextDelay, type FailedAttempt, type RetryPolicy } from './retry.ts';
export type { Token, TokenSource } from './token.ts';
