/** What an operation answers, in OpenAPI: its success, and a shared response for each documented error. */
import {
  missingScope,
  statuses,
  words,
  type Operation,
  type OperationId,
  type OperationWords,
  type StatusWords,
} from '@newsletter-kit/core/contract';
import { errorBody, oauthError } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import type { SchemaWriter } from './json-schema.ts';
import type { KnownOperation } from './operation.ts';

const header = (description: string) => ({ description, schema: { type: 'string' } });

/** Sent with pages that were asked for by number. */
const offsetHeaders = {
  'X-Pagination-Warning': header('Says that offset pagination is deprecated. Sent when `page` is.'),
  'X-Pagination-Migration-Guide': header('Says how to use cursors instead. Sent when `page` is.'),
};

const wordsOf: Readonly<Record<OperationId, OperationWords>> = words;
const allStatuses: Readonly<Record<number, StatusWords>> = statuses;

/** The response objects of one operation, by status. */
export function responsesOf(
  operation: KnownOperation,
  answer: z.ZodType,
  writer: SchemaWriter,
): Record<string, unknown> {
  const responses: Record<string, unknown> = { [operation.success]: success(operation, answer, writer) };
  for (const status of errorsOf(operation)) {
    const own = ownWords(operation, status);
    responses[status] =
      own === undefined
        ? { $ref: `#/components/responses/${errorName(operation, status)}` }
        : errorResponse(operation, status, own, writer);
  }
  return responses;
}

/** The shared error responses that `operations` refer to. */
export function errorResponses(operations: readonly KnownOperation[], writer: SchemaWriter): Record<string, unknown> {
  const responses: Record<string, unknown> = {};
  for (const operation of operations) {
    for (const status of errorsOf(operation)) {
      if (ownWords(operation, status) !== undefined) continue;
      const { description = `Status ${status}.`, lists, oauth } = allStatuses[status] ?? {};
      const shared = (operation.base === 'app' ? oauth : isPaged(operation) ? lists : undefined) ?? description;
      responses[errorName(operation, status)] ??= errorResponse(operation, status, shared, writer);
    }
  }
  return responses;
}

/** The statuses the specification lists, and 403 for a missing scope. */
function errorsOf({ errors, scope }: Operation): readonly number[] {
  return scope === null || errors.includes(403) ? errors : [...errors, 403].sort((a, b) => a - b);
}

/** What a status means for this operation alone. */
function ownWords({ id, errors }: KnownOperation, status: number): string | undefined {
  return errors.includes(status) ? wordsOf[id].errors?.[status] : missingScope;
}

const isPaged = ({ pagination }: Operation): boolean => pagination !== 'none';

function success(operation: KnownOperation, answer: z.ZodType, writer: SchemaWriter): object {
  if (operation.success === 302) {
    return {
      description: 'Redirects to `redirect_uri` with `code` and `state`, or with an error.',
      headers: { Location: header('The `redirect_uri` with its new parameters.') },
    };
  }
  if (answer instanceof z.ZodNull) return { description: 'Done. There is no body.' };
  return {
    description: wordsOf[operation.id].returns,
    ...(operation.query.includes('page') && { headers: offsetHeaders }),
    content: { 'application/json': { schema: writer.write(answer, 'output') } },
  };
}

function errorName(operation: Operation, status: number): string {
  const name = allStatuses[status]?.name ?? `Status${status}`;
  if (operation.base === 'app') return `OAuth${name}`;
  return isPaged(operation) && allStatuses[status]?.lists !== undefined ? `${name}OfList` : name;
}

function errorResponse({ base }: Operation, status: number, description: string, writer: SchemaWriter): object {
  const { statusText = '' } = allStatuses[status] ?? {};
  const content =
    base === 'app'
      ? { schema: writer.write(oauthError, 'output') }
      : {
          schema: writer.write(errorBody, 'output'),
          example: { status, statusText, errors: [{ message: description, code: statusText.toUpperCase() }] },
        };
  return { description, content: { 'application/json': content } };
}
