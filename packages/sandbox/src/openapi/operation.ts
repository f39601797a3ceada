/** One operation of the contract as an OpenAPI operation object. */
import { assumed, type Operation, type OperationId } from '@newsletter-kit/core/contract';
import { schemas, type OperationSchemas } from '@newsletter-kit/core/schema';
import type * as z from 'zod';
import { bodyExamples } from './examples.ts';
import type { SchemaWriter } from './json-schema.ts';
import { responsesOf } from './responses.ts';
import { pathParameters, queryParameters, resources } from './words.ts';

const all: Readonly<Record<OperationId, OperationSchemas>> = schemas;

/** An operation of the contract under its own id. */
export type KnownOperation = Operation & { readonly id: OperationId };

/** What the methods of OpenAPI's operation object are here. */
export interface OperationObject {
  readonly operationId: string;
  readonly requestBody?: RequestBody;
  readonly [key: string]: unknown;
}

export interface RequestBody {
  readonly required: boolean;
  readonly content: Readonly<
    Record<string, { readonly schema: object; readonly examples: Readonly<Record<string, unknown>> }>
  >;
}

export function describeOperation(operation: KnownOperation, writer: SchemaWriter): OperationObject {
  const { query, body, answer } = all[operation.id];
  const requestBody = body ? { requestBody: bodyOf(operation, body, writer) } : {};
  return {
    operationId: operation.id,
    summary: operation.doc,
    tags: [resources[resourceOf(operation)]?.title ?? resourceOf(operation)],
    security: securityOf(operation),
    parameters: [...pathParametersOf(operation), ...queryParametersOf(operation, query, writer)],
    ...requestBody,
    responses: responsesOf(operation, answer, writer),
    ...(assumed[operation.id].length > 0 && { 'x-assumed': assumed[operation.id] }),
    'x-retry': operation.retry,
  };
}

/** The part of an id before its dot. */
export function resourceOf({ id }: Operation): string {
  return id.slice(0, id.indexOf('.'));
}

function bodyOf(operation: KnownOperation, body: z.ZodObject, writer: SchemaWriter): RequestBody {
  const type = operation.body?.encoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  return {
    required: true,
    content: {
      [type]: {
        schema: writer.write(body, 'input'),
        examples: { [operation.id]: { summary: operation.doc, value: bodyExamples[operation.id] } },
      },
    },
  };
}

function pathParametersOf(operation: Operation): object[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...pathParameters[name],
  }));
}

/** Schemas name a repeatable parameter without its `[]`. */
function queryParametersOf(operation: Operation, query: z.ZodObject | undefined, writer: SchemaWriter): object[] {
  const written = query ? writer.write(query, 'input') : {};
  const properties = (written['properties'] ?? {}) as Readonly<Record<string, object>>;
  const required = (written['required'] ?? []) as readonly string[];
  return operation.query.map((name) => {
    const plain = name.replace(/\[\]$/, '');
    return {
      name,
      in: 'query',
      description: queryParameters[name],
      required: required.includes(plain),
      schema: properties[plain] ?? { type: 'string' },
      ...(name === 'page' && { deprecated: true }),
      ...(plain !== name && { style: 'form', explode: true }),
    };
  });
}

/** A key or a token with the scope; OAuth's own endpoints take the client's credentials in the body instead. */
function securityOf(operation: Operation): object[] {
  if (operation.id === 'oauth.tokenInfo') return [{ oauth2: [] }];
  if (operation.base === 'app') return [];
  return [{ apiKey: [] }, { oauth2: operation.scope === null ? [] : [operation.scope] }];
}
