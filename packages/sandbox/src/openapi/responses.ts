/** What an operation answers, in OpenAPI: its success, and a shared response for each documented error. */
import type { Operation } from '@newsletter-kit/core/contract';
import { errorBody, oauthError } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import type { SchemaWriter } from './json-schema.ts';
import { errorStatuses } from './words.ts';

const header = (description: string) => ({ description, schema: { type: 'string' } });

/** Sent with pages that were asked for by number. */
const offsetHeaders = {
  'X-Pagination-Warning': header('With page: that offset pagination is deprecated.'),
  'X-Pagination-Migration-Guide': header('With page: how to use cursors instead.'),
};

/** The response objects of one operation, by status. */
export function responsesOf(operation: Operation, answer: z.ZodType, writer: SchemaWriter): Record<string, unknown> {
  const responses: Record<string, unknown> = { [operation.success]: success(operation, answer, writer) };
  for (const status of operation.errors)
    responses[status] = { $ref: `#/components/responses/${errorName(operation, status)}` };
  return responses;
}

/** The shared error responses that `operations` refer to. */
export function errorResponses(operations: readonly Operation[], writer: SchemaWriter): Record<string, unknown> {
  const responses: Record<string, unknown> = {};
  for (const operation of operations) {
    for (const status of operation.errors)
      responses[errorName(operation, status)] ??= errorResponse(operation, status, writer);
  }
  return responses;
}

function success(operation: Operation, answer: z.ZodType, writer: SchemaWriter): object {
  if (operation.success === 302) {
    return {
      description: 'Back to the redirect_uri, with code and state or with an error.',
      headers: { Location: header('Where to go on.') },
    };
  }
  if (answer instanceof z.ZodNull) return { description: 'Done. There is no body.' };
  return {
    description: operation.doc,
    ...(operation.query.includes('page') && { headers: offsetHeaders }),
    content: { 'application/json': { schema: writer.write(answer, 'output') } },
  };
}

function errorName(operation: Operation, status: number): string {
  return `${operation.base === 'app' ? 'OAuth' : ''}${errorStatuses[status]?.name ?? `Status${status}`}`;
}

function errorResponse({ base }: Operation, status: number, writer: SchemaWriter): object {
  const { description, statusText } = errorStatuses[status] ?? { description: `Status ${status}.`, statusText: '' };
  const content =
    base === 'app'
      ? { schema: writer.write(oauthError, 'output') }
      : {
          schema: writer.write(errorBody, 'output'),
          example: { status, statusText, errors: [{ message: description, code: statusText.toUpperCase() }] },
        };
  return {
    description: base === 'app' ? (oauthDescriptions[status] ?? description) : description,
    content: { 'application/json': content },
  };
}

/** RFC 6749, section 5.2, and RFC 7009. */
const oauthDescriptions: Readonly<Record<number, string>> = {
  400: 'The request, its grant or its scope is not valid.',
  401: 'The client, or the token in use, is unknown.',
  403: 'The token belongs to another client.',
};
