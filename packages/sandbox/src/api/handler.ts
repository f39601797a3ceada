/** What answers an operation: the schemas of its query and body, and the work itself. */
import type { OperationId } from '@newsletter-kit/core/contract';
import * as z from 'zod';
import type { PublicationRow } from '../store/workspace.ts';
import type { World } from '../world/world.ts';
import type { PathParams } from './router.ts';
import { check } from './validation.ts';

/** What every handler gets beside query and body. */
export interface Call {
  readonly world: World;
  readonly publication: PublicationRow;
  readonly params: PathParams;
  /** Adds a sentence to the request log: which rule applied. No addresses, no tokens. */
  readonly explain: (reason: string) => void;
}

export interface Reply {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An operation that is built. */
export interface Handler {
  readonly id: OperationId;
  readonly answer: (call: Call, query: unknown, body: unknown) => Reply;
}

/** The schema of a side that the operation does not have. */
export const nothing = z.unknown();

/**
 * Ties an operation to its work. Query and body reach `work` checked; what the schemas do not know is ignored and noted.
 *
 * @param schema - core's schemas of this operation, {@link nothing} for a side it does not have
 */
export function handler<Query extends z.ZodType, Body extends z.ZodType>(
  id: OperationId,
  schema: { readonly query: Query; readonly body: Body },
  work: (call: Call, query: z.output<Query>, body: z.output<Body>) => Reply,
): Handler {
  return {
    id,
    answer(call, query, body) {
      const read = <Schema extends z.ZodType>(side: Schema, input: unknown): z.output<Schema> => {
        const { value, ignored } = check(side, input);
        for (const key of ignored) call.explain(`"${key}" is not known here and was ignored.`);
        return value;
      };
      return work(call, read(schema.query, query), read(schema.body, body));
    },
  };
}
