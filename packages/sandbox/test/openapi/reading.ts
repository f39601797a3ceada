/** Reads `/openapi.json` as a client generator would. */
import type { OperationId } from '@newsletter-kit/core/contract';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Sandbox } from '../../src/index.ts';

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly description?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly schema: object;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly 'x-operations'?: readonly { readonly operationId: string }[];
}

export interface ResponseObject {
  readonly $ref?: string;
  readonly content?: { readonly 'application/json': { readonly schema: object; readonly example?: unknown } };
}

export interface Document {
  readonly servers: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly securitySchemes: object;
  };
}

export async function read(sandbox: Sandbox, origin = 'http://sandbox.test'): Promise<Document> {
  const answer = await sandbox.fetch(`${origin}/openapi.json`);
  return (await answer.json()) as Document;
}

/** Every operation object with its method and path. */
export function describedOperations({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, { servers: _, ...methods }]) =>
    Object.entries(methods).map(([method, object]) => ({
      method: method.toUpperCase(),
      path,
      object: object as OperationObject,
    })),
  );
}

/** A compiler of the document's schemas: strict about the schemas themselves, with the named ones at hand. */
export function compiler(document: Document) {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    allErrors: true,
    formats: { 'idn-email': true, 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) },
  });
  const within = (schema: object): object =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"openapi.json#/$defs/')) as object;
  ajv.addSchema(within({ $id: 'openapi.json', $defs: document.components.schemas }));
  return (schema: object): ValidateFunction => ajv.compile(within(schema));
}

/** What the response of this status must look like; undefined where it has no body. */
export function responseSchema(document: Document, id: OperationId, status: number): object | undefined {
  const found = describedOperations(document).find(({ object }) =>
    [object, ...(object['x-operations'] ?? [])].some(({ operationId }) => operationId === id),
  );
  const response = found?.object.responses[String(status)];
  if (!response) throw new Error(`${id} does not document ${status}.`);
  const name = response.$ref?.split('/').at(-1);
  return (name === undefined ? response : document.components.responses[name])?.content?.['application/json'].schema;
}
