/**
 * A rule answers one operation of the contract. Its schemas, its paging and the keys that may use it follow from the
 * contract, so a new endpoint needs one rule and nothing else.
 */
import { type Operation, operation, type OperationById, type OperationId } from '@newsletter-kit/core/contract';
import { type OperationSchemas, schemas } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import { recordsInMemory, type Position, type PagedRows } from '../store/database.ts';
import type { PublicationRow } from '../store/workspace.ts';
import type { World } from '../world/world.ts';
import { apiError } from '../http/errors.ts';
import { type Listing, pageOf, type PagingQuery, wholeList } from './paging.ts';
import { check } from '../http/validation.ts';

/** Path parameters by name, decoded. */
export type PathParams = Readonly<Record<string, string>>;

/** What the rule of a workspace operation gets beside query and body. */
export interface WorkspaceCall {
  readonly world: World;
  readonly params: PathParams;
  /** Ids of the publications that the token is restricted to; null where it reaches all. */
  readonly within: readonly string[] | null;
  /** Adds a sentence to the request log: which rule applied. No addresses, no tokens. */
  readonly explain: (reason: string) => void;
}

/** What the rule of a publication's operation gets: the publication as well. */
export interface RuleCall extends WorkspaceCall {
  readonly publication: PublicationRow;
}

export interface Reply {
  /** Left out where the answer has no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request created a record. */
  readonly created?: boolean;
  /** Counts the whole list behind a page by cursor. */
  readonly total?: () => number;
}

/** An operation that the sandbox answers. */
export interface Rule {
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

/** Differences from what the contract says. */
export interface RuleOptions {
  /** Default: operations without a publication in their path. */
  readonly wholeWorkspace?: boolean;
  readonly admit?: (world: World) => void;
}

/** The schema of a side that the operation does not have. */
const nothing = z.unknown();

type Schemas = typeof schemas;
type OutputOf<Id extends OperationId, Side extends 'query' | 'body'> =
  Schemas[Id] extends Readonly<Record<Side, infer Schema extends z.core.$ZodType>> ? z.output<Schema> : unknown;
type CallOf<Id extends OperationId> = OperationById<Id>['path'] extends `${string}{publicationId}${string}`
  ? RuleCall
  : WorkspaceCall;

/**
 * The rule of an operation. Query and body are checked by core's schemas first; names that the schemas do not know are
 * ignored and noted.
 */
export function rule<Id extends OperationId>(
  id: Id,
  work: (call: CallOf<Id>, query: OutputOf<Id, 'query'>, body: OutputOf<Id, 'body'>) => Reply,
  options: RuleOptions = {},
): Rule {
  const { query, body }: OperationSchemas = schemas[id];
  // The output types are those of the two schemas just read; TypeScript can't follow an id through the table.
  return ruleWithSchemas(
    id,
    { query, body },
    work as (call: CallOf<Id>, query: unknown, body: unknown) => Reply,
    options,
  );
}

/** As {@link rule}, with schemas that differ from core's. */
export function ruleWithSchemas<Id extends OperationId, Query extends z.core.$ZodType, Body extends z.core.$ZodType>(
  id: Id,
  sides: { readonly query?: Query | undefined; readonly body?: Body | undefined },
  work: (call: CallOf<Id>, query: z.output<Query>, body: z.output<Body>) => Reply,
  { wholeWorkspace, admit }: RuleOptions = {},
): Rule {
  const ofPublication = operation(id).path.includes('{publicationId}');
  return {
    id,
    wholeWorkspace: wholeWorkspace ?? !ofPublication,
    admit,
    answer(call, query, body) {
      if (ofPublication && !call.publication) throw new Error(`${id} was called without a publication.`);
      const read = (schema: z.core.$ZodType | undefined, input: unknown): unknown =>
        checked(schema ?? nothing, input, call);
      return work(call, read(sides.query, query) as z.output<Query>, read(sides.body, body) as z.output<Body>);
    },
  };
}

/**
 * A list as its rule describes it.
 *
 * @param rows - all rows, or a query of the store that reads a page
 * @param record - converts a row to the record in the answer
 */
export const listOf = <Row extends Position>(
  rows: PagedRows<Row> | readonly Row[],
  record: (row: Row) => unknown,
  options: Pick<Listing<Row>, 'direction' | 'total'> = {},
): Omit<Listing<Row>, 'list'> => ({ ...options, rows: 'total' in rows ? rows : recordsInMemory(rows), record });

/** The rule of a list. The contract says how it is paginated; without a `limit` it is answered whole. */
export function listRule<Id extends OperationId, Row extends Position>(
  id: Id,
  describe: (call: CallOf<Id>, query: OutputOf<Id, 'query'>) => Omit<Listing<Row>, 'list'>,
  options: RuleOptions = {},
): Rule {
  const { query: names, pagination }: Operation = operation(id);
  return rule(
    id,
    (call, query) => {
      const listing = { ...describe(call, query), list: listName(id) };
      return names.includes('limit')
        ? pageOf(pagination, query as PagingQuery, listing)
        : wholeList(schemas[id].answer, listing);
    },
    options,
  );
}

/** `automations.listEmails` → `automations_emails`. */
const listName = (id: string): string =>
  id.replace(/\.list/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The reply with one record. */
export const oneRecord = (data: unknown): Reply => ({ body: { data } });

/** @throws ApiError 404 where there is no row; `description` completes "There is no …" */
export function orNotFound<Row>(row: Row | undefined, description: string): Row {
  if (row === undefined) throw apiError(404, 'NOT_FOUND', `There is no ${description}.`);
  return row;
}

function checked(schema: z.core.$ZodType, input: unknown, { explain }: WorkspaceCall): unknown {
  const { value, ignored } = check(schema, input);
  for (const key of ignored) explain(`"${key}" is not known here and was ignored.`);
  return value;
}
