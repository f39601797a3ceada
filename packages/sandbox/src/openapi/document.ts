/** The OpenAPI 3.1 document of the whole contract, for a sandbox at a given address. */
import { defaultScope, operations, resources } from '@newsletter-kit/core/contract';
import { createSchemaWriter } from './json-schema.ts';
import { describeOperation, errorResponses, type KnownOperation, type OperationObject } from './operation.ts';

type Paths = Record<string, Record<string, unknown>>;

/** Everything but addresses, written once: none of it changes while a sandbox runs. */
interface Description {
  readonly paths: Paths;
  readonly schemas: object;
  readonly responses: object;
}

let described: Description | undefined;

/**
 * @param origin - the sandbox's own address, for example `http://127.0.0.1:4010`;
 * @param apiPrefix - where the API lies below it
 */
export function openApiDocument(origin: string, apiPrefix: string) {
  const { paths, schemas, responses } = (described ??= describe());
  return {
    openapi: '3.1.1',
    info: {
      title: 'Newsletter Publishing API',
      version: '2.0.0',
      description:
        'The whole API as the sandbox answers it. `x-assumed` lists what the specification leaves open about an operation and how the sandbox fills it; `x-specification` names the part of the specification; `x-extension` marks an operation that services have but the specification does not show.',
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
  const writer = createSchemaWriter();
  const paths: Paths = {};
  for (const operation of operations) {
    const item = (paths[operation.path] ??= {});
    const method = operation.method.toLowerCase();
    const own = describeOperation(operation satisfies KnownOperation, writer);
    item[method] = item[method] ? merged(item[method] as OperationObject, own) : own;
  }
  const responses = errorResponses(operations, writer);
  const schemas = Object.fromEntries(Object.entries(writer.components).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { paths, schemas, responses };
}

/**
 * Two operations of the contract that share method and path (the two grants of the token endpoint): OpenAPI has one
 * place for them, so the bodies become a choice and `x-operations` keeps each one's id, summary and assumptions.
 */
function merged(first: OperationObject, second: OperationObject): OperationObject {
  const bodies = [first, second].flatMap(({ requestBody }) => (requestBody ? Object.entries(requestBody.content) : []));
  const [[type] = ['']] = bodies;
  const parts = [first, second].map(({ operationId, summary, description, 'x-assumed': assumed }) => ({
    operationId,
    summary,
    description,
    'x-assumed': assumed,
  }));
  return {
    ...first,
    summary: [first, second].map(({ summary }) => String(summary)).join(' – or: '),
    description: [first, second].map(({ description }) => String(description)).join('\n\nOr: '),
    'x-assumed': parts.flatMap((part) => (part['x-assumed'] as readonly string[] | undefined) ?? []),
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
