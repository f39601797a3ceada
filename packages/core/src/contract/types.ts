/** Types of the contract: an operation of the API as plain data. */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Whether a call may be retried:
 * - `safe` – reads; repeating changes nothing.
 * - `upsert` – idempotent writes: repeating one gives the same state.
 * - `once` – not idempotent: a retry is allowed only where the first attempt provably was not processed.
 */
export type RetryClass = 'safe' | 'upsert' | 'once';

/** How a list is paged. `none`: one answer holds the whole list, or the answer is no list. */
export type Pagination = 'none' | 'cursor' | 'offset' | 'cursor-or-offset';

/** An OAuth scope as the service spells it, for example `subscriptions:read`. */
export type Scope = `${string}:${'read' | 'write'}`;

/** The names an operation takes in its body, and how they are encoded. */
export interface Body {
  readonly encoding: 'json' | 'form';
  readonly fields: readonly string[];
  readonly required: readonly string[];
  /** Names of which at least one is required. */
  readonly anyOf?: readonly string[];
}

/** One operation of the API. Everything that routes, calls, documents or tests it reads this record. */
export interface Operation {
  /** `resource.verb`, unique; also the path of the typed client method. */
  readonly id: `${string}.${string}`;
  readonly method: Method;
  /** Path template as the specification writes it; parameters in braces. */
  readonly path: `/${string}`;
  /** `api`: relative to {base_url}. `app`: relative to {app_url} (OAuth). */
  readonly base: 'api' | 'app';
  /** The scope an OAuth token needs, or null where the specification names none. */
  readonly scope: Scope | null;
  /** Query parameter names as they stand on the wire; a trailing `[]` marks a repeatable one. */
  readonly query: readonly string[];
  /** Values that `expand[]` takes here. */
  readonly expand: readonly string[];
  readonly body: Body | null;
  /** The documented success status. Clients accept any 2xx. */
  readonly success: 200 | 201 | 204 | 302;
  /** Documented error statuses, ascending. */
  readonly errors: readonly number[];
  readonly pagination: Pagination;
  readonly retry: RetryClass;
  /** Present on operations that exist at the service but not in the specification. */
  readonly extension?: true;
  /** One line: what it does. */
  readonly doc: string;
}
