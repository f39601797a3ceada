/** The OpenAPI 3.1 document of the whole contract, for a sandbox at a given address, operation by operation. */
import {
  defaultScope,
  operations,
  resourceOf,
  resources,
  assumed,
  missingScope,
  type Operation,
  type OperationId,
  type OperationWords,
  statuses,
  type StatusWords,
  words,
} from '@newsletter-kit/core/contract';
import { createSchemaWriter, type JsonSchema, type SchemaWriter } from './json-schema.ts';
import { errorBody, oauthError, type OperationSchemas, schemas } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import { bodyExamples } from './examples.ts';
import { publicationId } from '../world/ids.ts';
import { apiPrefix } from '../api/addresses.ts';

type Paths = Record<string, Record<string, unknown>>;

/** Everything but addresses, written once: none of it changes while a sandbox runs. */
interface Description {
  readonly paths: Paths;
  readonly schemas: object;
  readonly responses: object;
}

/** Writes the shared parts, of which each is described where it is first referred to. */
interface ComponentWriter extends SchemaWriter {
  /** The error responses that operations share. */
  readonly responses: Record<string, object>;
}

let described: Description | undefined;

/** @param origin - the sandbox's own address, for example `http://127.0.0.1:4010` */
export function openApiDocument(origin: string) {
  const { paths, schemas, responses } = (described ??= describe());
  return {
    openapi: '3.1.1',
    info: {
      title: 'Newsletter Publishing API',
      version: '2.0.0',
      description:
        'The whole API as the sandbox answers it. Where the specification leaves something open, the description of the operation says what is assumed. `x-retry` says whether a request may be sent again: `safe` reads only, `upsert` ends in the same state however often it arrives, `once` does harm when it arrives twice; `x-extension` marks an operation that services have but the specification does not show.',
    },
    servers: [{ url: origin + apiPrefix, description: 'This sandbox' }],
    tags: Object.values(resources).map(({ title, description }) => ({ name: title, description })),
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        isApp(path) ? { servers: [{ url: origin, description: 'This sandbox' }], ...item } : item,
      ]),
    ),
    components: { schemas, responses, securitySchemes: securitySchemes(origin) },
  };
}

const appPaths = new Set<string>(
  operations.filter((operation) => operation.base === 'app').map((operation) => operation.path),
);
const isApp = (path: string): boolean => appPaths.has(path);

function describe(): Description {
  const writer: ComponentWriter = { ...createSchemaWriter(), responses: {} };
  const paths: Paths = {};
  for (const operation of operations) {
    const item = (paths[operation.path] ??= {});
    const method = operation.method.toLowerCase();
    const own = describeOperation(operation satisfies KnownOperation, writer);
    item[method] = item[method] ? merged(item[method] as OperationObject, own) : own;
  }
  const schemas = Object.fromEntries(Object.entries(writer.components).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { paths, schemas, responses: writer.responses };
}

/**
 * Two operations of the contract that share method and path (the two grants of the token endpoint): OpenAPI has one
 * place for them, so the bodies become a choice and `x-operations` keeps each one's id, summary and description.
 */
function merged(first: OperationObject, second: OperationObject): OperationObject {
  const bodies = [first, second].flatMap(({ requestBody }) => (requestBody ? Object.entries(requestBody.content) : []));
  const [[type] = ['']] = bodies;
  const parts = [first, second].map(({ operationId, summary, description }) => ({ operationId, summary, description }));
  return {
    ...first,
    summary: parts.map(({ summary }) => summary).join(' – or: '),
    description: parts.map(({ description }) => description).join('\n\nOr: '),
    'x-operations': parts,
    requestBody: {
      required: true,
      content: {
        [type]: {
          schema: { oneOf: bodies.map(([, { schema }]) => schema) },
          examples: Object.assign({}, ...bodies.map(([, { examples }]) => examples)) as Record<string, unknown>,
        },
      },
    },
  };
}

function securitySchemes(origin: string): object {
  const scopes = new Map<string, string>([
    [defaultScope, 'Read who the token belongs to; granted when no scope is asked for.'],
  ]);
  for (const { scope, doc } of operations)
    if (scope !== null) scopes.set(scope, scopes.has(scope) ? `${scopes.get(scope)}; ${doc}` : doc);
  return {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description:
        'An API key. Every standard seed has sandbox-key (the whole workspace) and sandbox-key-restricted (one publication).',
    },
    oauth2: {
      type: 'oauth2',
      description: 'Clients of every standard seed: sandbox-app (confidential) and sandbox-public (PKCE).',
      flows: {
        authorizationCode: {
          authorizationUrl: `${origin}/oauth/authorize`,
          tokenUrl: `${origin}/oauth/token`,
          refreshUrl: `${origin}/oauth/token`,
          scopes: Object.fromEntries([...scopes].sort(([a], [b]) => (a < b ? -1 : 1))),
        },
      },
    },
  };
}

const header = (description: string) => ({ description, schema: { type: 'string' } });

/** Sent with pages that were asked for by number. */
const offsetHeaders = {
  'X-Pagination-Warning': header('Says that offset pagination is deprecated. Sent when `page` is.'),
  'X-Pagination-Migration-Guide': header('Says how to use cursors instead. Sent when `page` is.'),
};

const wordsOf: Readonly<Record<OperationId, OperationWords>> = words;
const allStatuses: Readonly<Record<number, StatusWords>> = statuses;

/** The response objects of one operation, by status. */
function responsesOf(
  operation: KnownOperation,
  answer: z.core.$ZodType,
  writer: ComponentWriter,
): Record<string, unknown> {
  const responses: Record<string, unknown> = { [operation.success]: success(operation, answer, writer) };
  for (const status of errorsOf(operation)) {
    const own = ownWords(operation, status);
    responses[status] =
      own === undefined ? sharedError(operation, status, writer) : errorResponse(operation, status, own, writer);
  }
  return responses;
}

/** Refers to the response of an error that means the same for several operations. */
function sharedError(operation: KnownOperation, status: number, writer: ComponentWriter): object {
  const name = errorName(operation, status);
  const { description = `Status ${status}.`, lists, oauth } = allStatuses[status] ?? {};
  const shared = (operation.base === 'app' ? oauth : isPaged(operation) ? lists : undefined) ?? description;
  writer.responses[name] ??= errorResponse(operation, status, shared, writer);
  return { $ref: `#/components/responses/${name}` };
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

function success(operation: KnownOperation, answer: z.core.$ZodType, writer: SchemaWriter): object {
  if (operation.success === 302) {
    return {
      description: 'Redirects to `redirect_uri` with `code` and `state`, or with an error.',
      headers: { Location: header('The `redirect_uri` with its new parameters.') },
    };
  }
  if (answer instanceof z.core.$ZodNull) return { description: 'Done. There is no body.' };
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

const all: Readonly<Record<OperationId, OperationSchemas>> = schemas;

/** An operation of the contract under its own id. */
type KnownOperation = Operation & { readonly id: OperationId };

/** What the methods of OpenAPI's operation object are here. */
interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly requestBody?: RequestBody;
  readonly [key: string]: unknown;
}

interface RequestBody {
  readonly required: boolean;
  readonly content: Readonly<
    Record<string, { readonly schema: object; readonly examples: Readonly<Record<string, unknown>> }>
  >;
}

function describeOperation(operation: KnownOperation, writer: ComponentWriter): OperationObject {
  const { query, body, answer } = all[operation.id];
  const requestBody = body ? { requestBody: bodyOf(operation, body, writer) } : {};
  return {
    operationId: operation.id,
    summary: operation.doc,
    description: descriptionOf(operation),
    tags: [resources[resourceOf(operation.id)].title],
    security: securityOf(operation),
    parameters: [...pathParametersOf(operation), ...queryParametersOf(operation, query, writer)],
    ...requestBody,
    responses: responsesOf(operation, answer, writer),
    ...(operation.extension && { 'x-extension': true }),
    'x-retry': operation.retry,
  };
}

/** What the operation does, what it needs, and what is assumed about it, as CommonMark. */
function descriptionOf({ id, scope }: KnownOperation): string {
  const { description, section } = wordsOf[id];
  const open = assumed[id];
  return [
    description,
    ...(scope === null ? [] : [`An access token needs the scope \`${scope}\`.`]),
    `Specification: ${section}.`,
    ...(open.length === 0
      ? []
      : ['Assumptions where it leaves something open:', open.map((sentence) => `- ${sentence}`).join('\n')]),
  ].join('\n\n');
}

function bodyOf(operation: KnownOperation, body: z.core.$ZodObject, writer: SchemaWriter): RequestBody {
  const isForm = operation.body?.encoding === 'form';
  const schema = writer.write(body, 'input');
  const example = bodyExamples[operation.id] ?? {};
  return {
    required: true,
    content: {
      [isForm ? 'application/x-www-form-urlencoded' : 'application/json']: {
        schema: isForm ? withExamples(schema, example) : schema,
        examples: { [operation.id]: { summary: operation.doc, value: example } },
      },
    },
  };
}

/** A form is shown field by field, each with its own example. */
function withExamples(schema: JsonSchema, example: Readonly<Record<string, unknown>>): JsonSchema {
  const { properties } = schema;
  if (properties === undefined) return schema;
  const fields = Object.entries(properties as Readonly<Record<string, object>>).map(([name, field]) => [
    name,
    name in example ? { ...field, examples: [example[name]] } : field,
  ]);
  return { ...schema, properties: Object.fromEntries(fields) as Record<string, object> };
}

function pathParametersOf({ id, path }: KnownOperation): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    description: wordsOf[id].parameters[name]?.text,
    required: true,
    schema: { type: 'string' },
    // Every standard seed holds it.
    ...(name === 'publicationId' && { example: publicationId }),
  }));
}

/** Schemas name a repeatable parameter without its `[]`; the description stands at the parameter. */
function queryParametersOf(
  operation: KnownOperation,
  query: z.core.$ZodObject | undefined,
  writer: SchemaWriter,
): object[] {
  const written = query ? writer.write(query, 'input') : {};
  const properties = (written['properties'] ?? {}) as Readonly<
    Record<string, { readonly description?: string; readonly default?: unknown }>
  >;
  const required = (written['required'] ?? []) as readonly string[];
  return operation.query.map((name) => {
    const plain = name.replace(/\[\]$/, '');
    const { description, default: fallback, ...schema } = properties[plain] ?? {};
    // A list that takes both answers with a cursor where it gets neither.
    const hasDefault = fallback !== undefined && !(name === 'page' && operation.query.includes('cursor'));
    return {
      name,
      in: 'query',
      description,
      required: required.includes(plain),
      schema: hasDefault ? { default: fallback, ...schema } : schema,
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
