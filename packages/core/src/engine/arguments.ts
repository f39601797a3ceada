/** Types of a call: the operation that is called, its arguments in one flat object, and the options of the call. */
import type { OperationId } from '../contract/index.ts';
import type { Operation } from '../contract/types.ts';
import type { Answer, OperationTypes } from '../schema/types.ts';
import type { CallName, RequestMethod } from './errors.ts';
import type { Signal } from './host.ts';
import type { RetryPolicy } from './retry.ts';

/** Arguments of one operation. Repeatable query parameters stand without their `[]`. */
export type Arguments<Id extends OperationId> = OperationTypes[Id]['params'];

/** Ids of the operations that answer a list. */
export type ListId = Extract<OperationId, `${string}.list${string}`>;

/** Item of a list operation. */
export type Item<Id extends ListId> = Answer<Id>['data'][number];

/** A value of a query parameter. */
export type QueryValue = string | number | boolean | null | undefined;

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, also while it waits for a retry. */
  readonly signal?: Signal | undefined;
  /** Milliseconds until one attempt counts as lost. Default 30,000, or the client's. */
  readonly timeoutMs?: number | undefined;
  /**
   * Milliseconds until the call must have ended, all waits and retries included. Default: the client's, or no limit.
   */
  readonly totalTimeoutMs?: number | undefined;
  /**
   * Calls that name the same object wait for the quota in one line; lines take turns. Each list is a line of its own,
   * all other calls are one together unless they say otherwise.
   */
  readonly stream?: object | undefined;
  /**
   * Lets other calls of the same key go first, and spreads over the quota's window; the pages of a list too. Default
   * false.
   *
   * A background call is sent only while no other call waits, and never in the last free place of `concurrency`. Where
   * headers state the quota, background calls spread over the rest of its window and leave a reserve: 5 % of the
   * window's calls, at least two, and what other calls will use if they go on as in this window. Other calls are
   * therefore sent at once; at the start of a window they may wait for one answer, which states the new quota. While
   * other calls use up the whole quota, background calls wait.
   */
  readonly background?: boolean | undefined;
  /**
   * Fields added to the body, sent unchanged, for fields that the service accepts and the contract does not describe.
   * They replace fields of the same name.
   */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** Parameters added to the query, sent as they are under the names given here; a list repeats its name. */
  readonly extraQuery?: Readonly<Record<string, QueryValue | readonly QueryValue[]>> | undefined;
  /** Headers added to the request. They replace those of the client, save `Authorization` where it has a token. */
  readonly extraHeaders?: Readonly<Record<string, string>> | undefined;
  /** Retry policy of this call, over the client's; `false` for a single attempt. */
  readonly retry?: Partial<RetryPolicy> | false | undefined;
}

/** An operation of the contract, or a request of `client.request` described in the same terms. */
export interface CalledOperation extends Omit<Operation, 'id' | 'method'> {
  readonly id: CallName;
  readonly method: RequestMethod;
}
