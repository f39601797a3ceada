/** The vocabulary in which every operation of the API is written down as plain data. */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Whether, and when, a call may be repeated:
 * - `safe` – reads; repeating changes nothing.
 * - `upsert` – writes that end in the same state however often they arrive.
 * - `once` – a second arrival does harm; repeat only when the first provably did not happen.
 */
export type RetryClass = 'safe' | 'upsert' | 'once';

/** How a list is cut into pages. `none`: one answer holds it all (or the answer is no list). */
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
