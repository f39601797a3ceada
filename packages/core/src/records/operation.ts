/**
 * What the file of a resource says. The engine's table of operations, the types and methods of the client, `api.md`,
 * the OpenAPI document and the nodes follow from it; `scripts/operations.ts` has the rules by which they do.
 */
import type * as z from 'zod/mini';
import type { LookUp, Method, RetryClass } from '../contract/types.ts';

/** A resource, the part of an operation's id before the dot. */
export interface ResourceRecord {
  readonly title: string;
  readonly description: string;
  /** The part of the specification that the operations come from. */
  readonly section: string;
  /** What an OAuth token must reach, without `:read` or `:write`; null where the specification names no scope. */
  readonly scope: string | null;
  /** OAuth: relative to {app_url}, bodies are forms, errors follow RFC 6749. Left out for the API. */
  readonly base?: 'app';
  /** Documented error statuses, ascending; 400, 401, 404, 429 and 500 where left out. */
  readonly errors?: readonly number[];
  /** By the part of the id after the dot. */
  readonly operations: Readonly<Record<string, OperationRecord>>;
}

/** Method and path as the specification writes them. A read can always be repeated. */
type RequestLine =
  | { readonly request: `GET /${string}`; readonly retry?: undefined }
  | { readonly request: `${Exclude<Method, 'GET'>} /${string}`; readonly retry: RetryClass };

/** One operation of the API. */
export type OperationRecord = RequestLine & {
  /** One line: what it does. */
  readonly doc: string;
  /** What the operation does, and what a caller has to know. */
  readonly description: string;
  /** Content of the answer, where its schema does not say it. */
  readonly returns?: string;
  /** A further part of the specification; that about paging follows from the query. */
  readonly section?: string;
  /** Arguments of a call that succeeds, as TypeScript. */
  readonly example?: string;
  /** What the specification leaves open, and how it is filled here. */
  readonly open?: readonly string[];

  /** Null where the specification names no scope for this operation of the resource. */
  readonly scope?: null;
  /** The documented success status; 200 where left out. */
  readonly success?: 201 | 204 | 302;
  /** Documented error statuses, ascending, where they differ from those of the resource. */
  readonly errors?: readonly number[];
  /** What an error status means here, where it says more than `statuses` of the contract. */
  readonly errorTexts?: Readonly<Partial<Record<number, string>>>;
  /** What to do about an error status, where that is more than for other operations; a sentence each. */
  readonly remedies?: Readonly<Partial<Record<number, string>>>;
  /** A second method that does the same; its id ends in `Put`. */
  readonly twin?: 'PUT';
  /** How to find the record of a call whose answer was lost. */
  readonly lookUp?: Omit<LookUp, 'list'>;
  /** Present on operations that exist at services but not in the specification. */
  readonly extension?: true;

  /** Descriptions of the parameters in the path, but for `publicationId`. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: z.ZodMiniObject;
  readonly body?: z.ZodMiniObject;
  /** Names in the body of which at least one is required. */
  readonly anyOf?: readonly string[];
  /** The strict reading: what the specification requires is required, enums are closed, no other key is allowed. */
  readonly answer: z.ZodMiniType;
  /** For a list that is not paged although its answer carries the fields of a page. */
  readonly pagination?: 'none';
};
