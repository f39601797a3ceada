/** Reads `/openapi.json` as a client generator would. */
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
