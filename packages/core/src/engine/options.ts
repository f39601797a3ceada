/** What a call takes: its arguments by operation, and its options. */
import type { OperationId } from '../contract/index.ts';
import type { Operation, RetryClass } from '../contract/types.ts';
import type { Answer, OperationTypes } from '../schema/types.ts';
import type { FieldDeviation, ListReader } from './deviations.ts';
import type { CallName, RequestMethod } from './errors.ts';
import type { Signal } from './host.ts';
import type { RetryPolicy } from './retry.ts';

/** Arguments of one operation. Repeatable query parameters stand without their `[]`. */
export type Arguments<Id extends OperationId> = OperationTypes[Id]['params'];

/** Ids of the operations that answer a list. */
export type ListId = Extract<OperationId, `${string}.list${string}`>;

/** Whether an operation answers a list. */
export function isListId(id: OperationId): id is ListId {
  return id.includes('.list');
}

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
  /**
   * For lists: the program that reads the list. Records without the fields it needs are left out, see
   * {@link neededFields}. Default `client`, which needs `id` alone.
   */
  readonly reader?: ListReader | undefined;
  /** Retry policy of this call, over the client's; `false` for a single attempt. */
  readonly retry?: Partial<RetryPolicy> | false | undefined;
}

/** Options of a request that the contract does not describe. */
export interface RequestOptions extends Omit<CallOptions, 'extraBody' | 'extraQuery' | 'extraHeaders'> {
  /**
   * Parameters of the query, under the names on the wire; a list repeats its name, empty values are left out. Others
   * may stand in the path.
   */
  readonly query?: CallOptions['extraQuery'];
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Headers, in place of those of the client; `Authorization` comes from its token where it has one. */
  readonly headers?: CallOptions['extraHeaders'];
  /** The publication for `{publicationId}` in the path. Default: the client's. */
  readonly publicationId?: string | undefined;
  /**
   * Whether the request may be repeated after a failure. Default by method (RFC 9110, section 9.2.2): `safe` for GET
   * and HEAD, `upsert` for PUT and DELETE, `once` for POST and PATCH.
   */
  readonly retryClass?: RetryClass | undefined;
}

/** Names of the customer ID at the payment processor: that of the specification, and that of published clients. */
export type CustomerIdField = 'payments_customer_id' | 'stripe_customer_id';

/** An operation of the contract, or a request of `client.request` described in the same terms. */
export interface CalledOperation extends Omit<Operation, 'id' | 'method'> {
  readonly id: CallName;
  readonly method: RequestMethod;
}

/** The parts of a request, before host and authorization. */
export interface RequestParts {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | null;
}

/** Checks requests and answers; passed in, so that an engine without checks does not carry the shapes. */
export interface Validator {
  /** The request as it should be sent, and what in it is not known; or its problems. */
  request(id: OperationId, parts: Pick<RequestParts, 'query' | 'body'>): CheckedRequest;
  /** What in an answer is not as the specification has it; empty for most. */
  answer(id: OperationId, value: unknown): readonly FieldDeviation[];
}

/** A request that can be sent, or the problems that keep it from being sent. */
export type CheckedRequest =
  | { readonly value: Pick<RequestParts, 'query' | 'body'>; readonly unknown: readonly FieldDeviation[] }
  | { readonly problems: readonly string[] };
