/** What answers an operation: the schemas of its query and body, and the work itself. */
import type { OperationId } from '@newsletter-kit/core/contract';
import * as z from 'zod';
import type { PublicationRow } from '../store/workspace.ts';
import type { World } from '../world/world.ts';
import type { PathParams } from './router.ts';
import { check } from './validation.ts';

/** What the handler of a workspace operation gets beside query and body. */
export interface WorkspaceCall {
  readonly world: World;
  readonly params: PathParams;
  /** Ids of the publications that the token is restricted to; null where it reaches all. */
  readonly within: readonly string[] | null;
  /** Adds a sentence to the request log: which rule applied. No addresses, no tokens. */
  readonly explain: (reason: string) => void;
}

/** What every other handler gets: the publication as well. */
export interface Call extends WorkspaceCall {
  readonly publication: PublicationRow;
}

export interface Reply {
  /** Left out where the answer has no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether something new came to be. */
  readonly created?: boolean;
  /** Counts the whole list behind a page by cursor. */
  readonly total?: () => number;
}

/** An operation that is built. */
export interface Handler {
  readonly id: OperationId;
  /** Whether only tokens that reach every publication may use it. */
  readonly wholeWorkspace: boolean;
  /** Refuses a feature that the organization does not have. @throws ApiError 403 */
  readonly admit?: ((world: World) => void) | undefined;
  readonly answer: (
    call: WorkspaceCall & { readonly publication: PublicationRow | null },
    query: unknown,
    body: unknown,
  ) => Reply;
}

/** The schema of a side that the operation does not have. */
export const nothing = z.unknown();

interface Sides<Query extends z.ZodType, Body extends z.ZodType> {
  readonly query: Query;
  readonly body: Body;
}

/**
 * Ties an operation of a publication to its work. Query and body reach `work` checked; what the schemas do not know is
 * ignored and noted.
 *
 * @param schema - core's schemas of this operation, {@link nothing} for a side it does not have
 */
export function handler<Query extends z.ZodType, Body extends z.ZodType>(
  id: OperationId,
  schema: Sides<Query, Body>,
  work: (call: Call, query: z.output<Query>, body: z.output<Body>) => Reply,
  { wholeWorkspace = false, admit }: Partial<Pick<Handler, 'wholeWorkspace' | 'admit'>> = {},
): Handler {
  return {
    id,
    wholeWorkspace,
    admit,
    answer(call, query, body) {
      const { publication } = call;
      if (!publication) throw new Error(`${id} was called without a publication.`);
      return work({ ...call, publication }, read(schema.query, query, call), read(schema.body, body, call));
    },
  };
}

/** Ties an operation of the workspace to its work, as {@link handler} does for a publication. */
export function workspaceHandler<Query extends z.ZodType, Body extends z.ZodType>(
  id: OperationId,
  schema: Sides<Query, Body>,
  work: (call: WorkspaceCall, query: z.output<Query>, body: z.output<Body>) => Reply,
  { wholeWorkspace = true, admit }: Partial<Pick<Handler, 'wholeWorkspace' | 'admit'>> = {},
): Handler {
  return {
    id,
    wholeWorkspace,
    admit,
    answer: (call, query, body) => work(call, read(schema.query, query, call), read(schema.body, body, call)),
  };
}

function read<Schema extends z.ZodType>(schema: Schema, input: unknown, { explain }: WorkspaceCall): z.output<Schema> {
  const { value, ignored } = check(schema, input);
  for (const key of ignored) explain(`"${key}" is not known here and was ignored.`);
  return value;
}
