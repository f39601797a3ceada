/** One operation of the contract as an OpenAPI operation object. */
import {
  assumed,
  resources,
  words,
  type Operation,
  type OperationId,
  type OperationWords,
} from '@newsletter-kit/core/contract';
import { schemas, type OperationSchemas } from '@newsletter-kit/core/schema';
import type * as z from 'zod';
import { bodyExamples } from './examples.ts';
import type { SchemaWriter } from './json-schema.ts';
import { responsesOf } from './responses.ts';
import { publicationId } from '../world/fixed.ts';

const all: Readonly<Record<OperationId, OperationSchemas>> = schemas;
const wordsOf: Readonly<Record<OperationId, OperationWords>> = words;
const titles: Readonly<Record<string, { readonly title: string }>> = resources;

/** Examples of path parameters that every standard seed holds. */
const examples: Readonly<Record<string, string>> = { publicationId };

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
    description: wordsOf[operation.id].description,
    tags: [titles[resourceOf(operation)]?.title ?? resourceOf(operation)],
    security: securityOf(operation),
    parameters: [...pathParametersOf(operation), ...queryParametersOf(operation, query, writer)],
    ...requestBody,
    responses: responsesOf(operation, answer, writer),
    ...(assumed[operation.id].length > 0 && { 'x-assumed': assumed[operation.id] }),
    ...(operation.extension && { 'x-extension': true }),
    'x-retry': operation.retry,
    'x-specification': wordsOf[operation.id].section,
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

function pathParametersOf({ id, path }: KnownOperation): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    description: wordsOf[id].parameters[name]?.text,
    required: true,
    schema: { type: 'string' },
    ...(examples[name] !== undefined && { example: examples[name] }),
  }));
}

/** Schemas name a repeatable parameter without its `[]`; the description stands at the parameter. */
function queryParametersOf(operation: KnownOperation, query: z.ZodObject | undefined, writer: SchemaWriter): object[] {
  const written = query ? writer.write(query, 'input') : {};
  const properties = (written['properties'] ?? {}) as Readonly<Record<string, { readonly description?: string }>>;
  const required = (written['required'] ?? []) as readonly string[];
  return operation.query.map((name) => {
    const plain = name.replace(/\[\]$/, '');
    const { description, ...schema } = properties[plain] ?? {};
    return {
      name,
      in: 'query',
      description,
      required: required.includes(plain),
      schema,
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
