/** Types of the contract: an operation of the API, and its reference documentation, as plain data. */

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

/** What a success holds: a record or a list under `data`, another object, an object without fields, or no body. */
export type Content = 'data' | 'object' | 'empty' | 'none';

/** The names an operation takes in its body, and how they are encoded. */
export interface Body {
  readonly encoding: 'json' | 'form';
  readonly fields: readonly string[];
  readonly required: readonly string[];
  /** Names of which at least one is required. */
  readonly anyOf?: readonly string[];
}

/** How to find the record of a call that must not be repeated and whose answer was lost. */
export interface LookUp {
  /** Id of the list that holds it; it takes the arguments that stand in the path of the call. */
  readonly list: `${string}.list`;
  /** Fields of the record that hold an argument of the call, which together identify it. */
  readonly by: readonly string[];
  /** Fields with the time of creation. */
  readonly created: readonly string[];
  /** What to do where the lookup was inconclusive; a sentence. */
  readonly advice: string;
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
  /** What the answer holds then. Some services send more, or a body where none is documented. */
  readonly content: Content;
  /** Documented error statuses, ascending. */
  readonly errors: readonly number[];
  /** What to do about an error status, where that is more than for other operations; a sentence each. */
  readonly remedies?: Readonly<Partial<Record<number, string>>>;
  readonly pagination: Pagination;
  readonly retry: RetryClass;
  readonly lookUp?: LookUp;
  /** Present on operations that exist at the service but not in the specification. */
  readonly extension?: true;
  /** One line: what it does. */
  readonly doc: string;
}

/** Documentation of one parameter or field of a request. */
export interface ParameterWords {
  /** Meaning, unit and limits, in whole sentences. The default value stands in `default`. */
  readonly text: string;
  /** The value the service uses when none is sent. */
  readonly default?: string | number | boolean;
}

/** Documentation of one operation, beyond its one line `doc`. */
export interface OperationWords {
  /** What the operation does, and what a caller has to know. */
  readonly description: string;
  /** Content of the answer. */
  readonly returns: string;
  /** The part of the specification that the operation comes from. */
  readonly section: string;
  /** Path, query and body parameters by name, in the order of the contract; repeatable ones without their `[]`. */
  readonly parameters: Readonly<Record<string, ParameterWords>>;
  /** What an error status means here, where it says more than {@link statuses}. */
  readonly errors?: Readonly<Partial<Record<number, string>>>;
  /** Arguments of a call that succeeds, as TypeScript. */
  readonly example?: string;
}

/** Documentation of one resource. */
export interface ResourceWords {
  readonly title: string;
  readonly description: string;
}
