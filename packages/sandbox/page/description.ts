/** The types of the OpenAPI description that the documentation reads. */

export interface Description {
  readonly openapi: string;
  readonly info: { readonly title: string };
  readonly servers: readonly Server[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly securitySchemes: {
      readonly oauth2: {
        readonly flows: {
          readonly authorizationCode: {
            readonly authorizationUrl: string;
            readonly tokenUrl: string;
            readonly scopes: Readonly<Record<string, string>>;
          };
        };
      };
    };
  };
}

interface Server {
  readonly url: string;
}

/** Operations by their method; beside them the servers that replace those of the description. */
export type PathItem = Readonly<Record<string, OperationObject>> & { readonly servers?: readonly Server[] };

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly security: readonly { readonly oauth2?: readonly string[] }[];
  readonly 'x-retry': 'safe' | 'upsert' | 'once';
  readonly 'x-specification': string;
  readonly 'x-assumed'?: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: string;
}

export interface MediaType {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

export interface ResponseObject {
  readonly $ref?: string;
  readonly description: string;
  readonly content?: Readonly<Record<string, MediaType>>;
  readonly headers?: Readonly<Record<string, { readonly description: string }>>;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** An operation with its place. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  /** The base URL. */
  readonly server: string;
  readonly object: OperationObject;
}

/** Every operation of a description. */
export function operationsOf({ servers, paths }: Description): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, { servers: own, ...methods }]) =>
    Object.entries(methods as Readonly<Record<string, OperationObject>>).map(([method, object]) => ({
      method,
      path,
      server: (own ?? servers)[0]?.url ?? '',
      object,
    })),
  );
}

/** Follows a reference to a schema. */
export function resolveSchema(schema: Schema, { components }: Description): Schema {
  return schema.$ref === undefined ? schema : (components.schemas[lastPart(schema.$ref)] ?? {});
}

/** The name that a reference ends with. */
export function lastPart(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
