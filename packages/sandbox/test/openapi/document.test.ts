import { Validator } from '@seriousme/openapi-schema-validator';
import { assumed, operations, words, type OperationId } from '@newsletter-kit/core/contract';
import { schemas, type OperationSchemas } from '@newsletter-kit/core/schema';
import { expect, test } from 'vitest';
import { bodyExamples } from '../../src/openapi/examples.ts';
import { fresh } from '../caller.ts';
import { compiler, describedOperations, read } from './reading.ts';

test('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate({ ...(await read(fresh())) });
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
});

test('the document contains every operation of the contract, at its method and path, and nothing else', async () => {
  const described = describedOperations(await read(fresh())).flatMap(({ method, path, object }) =>
    (object['x-operations'] ?? [object]).map(({ operationId }) => `${operationId} ${method} ${path}`),
  );
  expect(described.toSorted()).toEqual(operations.map(({ id, method, path }) => `${id} ${method} ${path}`).toSorted());
});

test('each operation documents its parameters, body, statuses, scope and assumptions', async () => {
  const document = await read(fresh());
  for (const operation of operations) {
    const found = describedOperations(document).find(
      ({ method, path }) => method === operation.method && path === operation.path,
    );
    const object = found?.object;
    const names = object?.parameters.map(({ name }) => name) ?? [];
    expect(names, operation.id).toEqual([
      ...[...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      ...operation.query,
    ]);
    expect(Object.keys(object?.responses ?? {}).map(Number), operation.id).toEqual(
      [...new Set([operation.success, ...operation.errors, ...(operation.scope ? [403] : [])])].toSorted(
        (a, b) => a - b,
      ),
    );
    const lines = object?.description?.split('\n');
    expect(lines, operation.id).toEqual(
      expect.arrayContaining(assumed[operation.id].map((sentence) => `- ${sentence}`)),
    );
    if (operation.scope) expect(object?.description, operation.id).toContain(`the scope \`${operation.scope}\``);
    expect(Object.keys(object?.requestBody?.content ?? {}), operation.id).toEqual(
      operation.body
        ? [operation.body.encoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json']
        : [],
    );
    if (operation.base === 'api')
      expect(object?.security, operation.id).toEqual([
        { apiKey: [] },
        { oauth2: operation.scope === null ? [] : [operation.scope] },
      ]);
  }
});

test('every part has a description from the contract', async () => {
  const document = await read(fresh());
  const undescribed: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      // Names stand below these; each must say what it is.
      if (key === 'properties' || key === 'headers') {
        for (const [name, property] of Object.entries(inner as Readonly<Record<string, object>>))
          if (!('description' in property)) undescribed.push(`${path}.${name}`);
      }
      if (key !== 'example' && key !== 'examples') walk(inner, `${path}.${key}`);
    }
  };
  walk(document, '');
  for (const [name, schema] of Object.entries(document.components.schemas))
    if (!('description' in schema)) undescribed.push(name);
  for (const { object } of describedOperations(document)) {
    if (!object.description) undescribed.push(object.operationId);
    for (const { name, description } of object.parameters)
      if (!description) undescribed.push(`${object.operationId} ${name}`);
  }
  expect(undescribed).toEqual([]);
  const list = describedOperations(document).find(({ object }) => object.operationId === 'subscriptions.list')?.object;
  const { text } = words['subscriptions.list'].parameters.limit;
  expect(list?.parameters.find(({ name }) => name === 'limit')).toMatchObject({
    description: text,
    schema: { default: 10, minimum: 1, maximum: 100 },
  });
  expect(document.components.schemas['SubscriptionRequest']).toMatchObject({
    required: ['email'],
    properties: { reactivate_existing: { default: false } },
  });
});

test('records require what the specification requires', async () => {
  const { schemas: components } = (await read(fresh())).components;
  const required = (name: string) => (components[name] as { readonly required?: readonly string[] }).required ?? [];
  expect(required('Subscription')).toEqual([
    'id',
    'email',
    'status',
    'created',
    'subscription_tier',
    'subscription_premium_tier_names',
    'utm_source',
    'utm_medium',
    'utm_channel',
    'utm_campaign',
    'utm_term',
    'utm_content',
    'referring_site',
    'referral_code',
  ]);
  expect(required('PublicationField')).toEqual([
    'id',
    'name',
    'display',
    'kind',
    'value_source',
    'response_keys',
    'status',
    'created',
    'updated',
  ]);
  expect(required('ErrorBody')).toEqual(['status', 'statusText', 'errors']);
  expect(required('SubscriptionCustomField')).toEqual([]);
});

test('repeatable parameters keep their brackets and are sent once per value', async () => {
  const list = describedOperations(await read(fresh())).find(
    ({ object }) => object.operationId === 'subscriptions.list',
  );
  expect(list?.object.parameters.find(({ name }) => name === 'expand[]')).toMatchObject({
    in: 'query',
    style: 'form',
    explode: true,
    schema: { type: 'array' },
  });
});

test('the servers and the OAuth addresses are those of the request', async () => {
  const sandbox = fresh();
  for (const origin of ['http://127.0.0.1:4010', 'http://localhost:9']) {
    const document = await read(sandbox, origin);
    expect(document.servers).toEqual([expect.objectContaining({ url: `${origin}/v2` })]);
    expect(document.paths['/oauth/token']?.['servers']).toEqual([expect.objectContaining({ url: origin })]);
    expect(JSON.stringify(document.components.securitySchemes)).toContain(`"tokenUrl":"${origin}/oauth/token"`);
  }
});

test('every operation with a body has a valid example', () => {
  const all: Readonly<Record<OperationId, OperationSchemas>> = schemas;
  const withBody = operations.filter(({ id }) => all[id].body);
  expect(Object.keys(bodyExamples).toSorted()).toEqual(withBody.map(({ id }) => id).toSorted());
  for (const { id } of withBody) expect(all[id].body?.safeParse(bodyExamples[id]).error?.issues ?? [], id).toEqual([]);
});

test('every schema compiles, and every error example is valid', async () => {
  const document = await read(fresh());
  const compile = compiler(document);
  for (const schema of Object.values(document.components.schemas)) compile(schema);
  for (const { object } of describedOperations(document)) {
    for (const { schema } of object.parameters) compile(schema);
    for (const { schema } of Object.values(object.requestBody?.content ?? {})) compile(schema);
  }
  for (const [name, { content }] of Object.entries(document.components.responses)) {
    const fits = compile(content?.['application/json'].schema ?? {});
    if (content?.['application/json'].example) expect(fits(content['application/json'].example), name).toBe(true);
  }
});
