import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { operations, type OperationId } from '@newsletter-kit/core/contract';
import { describe, expect, test } from 'vitest';
import { apiKeys, publicationId, type Sandbox } from '../../src/index.ts';
import { fresh } from '../caller.ts';
import { bodyExamples } from '../../src/openapi/examples.ts';
import { describedOperations, read, type Document } from './reading.ts';

/** A compiler of the document's schemas: strict about the schemas themselves, with the named ones at hand. */
function compiler(document: Document) {
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
function responseSchema(document: Document, id: OperationId, status: number): object | undefined {
  const found = describedOperations(document).find(({ object }) =>
    [object, ...(object['x-operations'] ?? [])].some(({ operationId }) => operationId === id),
  );
  const response = found?.object.responses[String(status)];
  if (!response) throw new Error(`${id} does not document ${status}.`);
  const name = response.$ref?.split('/').at(-1);
  return (name === undefined ? response : document.components.responses[name])?.content?.['application/json'].schema;
}

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

/** Asks an operation with a key, everything expanded; ids in the path are those of a record of the list before it. */
async function ask(
  sandbox: Sandbox,
  id: OperationId,
  body: unknown = bodyExamples[id],
): Promise<{ readonly status: number; readonly body: unknown } | undefined> {
  const operation = operations.find((each) => each.id === id);
  if (!operation) throw new Error(`There is no ${id}.`);
  const path = await filled(sandbox, operation.path);
  if (path === undefined) return undefined;
  const expand = operation.expand.map((value) => `expand[]=${value}`).join('&');
  const answer = await sandbox.fetch(`http://sandbox.test/v2${path}?${expand}`, {
    method: operation.method,
    headers: {
      Authorization: `Bearer ${apiKeys.workspace}`,
      ...(operation.body && { 'Content-Type': 'application/json' }),
    },
    ...(operation.body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

interface Listed {
  readonly id: string;
  readonly trigger_events?: readonly string[];
}

async function filled(sandbox: Sandbox, template: string): Promise<string | undefined> {
  let path = template.replace('{publicationId}', publicationId);
  for (const [parameter] of path.matchAll(/\{\w+\}/g)) {
    const list = path.slice(0, path.indexOf(parameter) - 1);
    const answer = await sandbox.fetch(`http://sandbox.test/v2${list}`, {
      headers: { Authorization: `Bearer ${apiKeys.workspace}` },
    });
    const { data = [] } = (await answer.json()) as { readonly data?: readonly Listed[] };
    // Only an automation with an API trigger can be enrolled into.
    const chosen = data.find((one) => one.trigger_events?.includes('api') ?? true);
    if (!chosen) return undefined;
    path = path.replace(parameter, chosen.id);
  }
  return path;
}

describe('answers of the sandbox are valid under the document', () => {
  const ofApi = operations.filter(({ base }) => base === 'api');

  test.each(ofApi.map(({ id }) => id))('%s', async (id) => {
    const sandbox = fresh({ seed: 'demo' });
    const document = await read(sandbox);
    const compile = compiler(document);
    // Journeys are enrolled, deletions asked for and jobs begun first, so that there is one to read.
    for (const before of ['subscriptions.create', 'subscriptions.bulkUpdate', 'deletionRequests.create'] as const)
      if (before !== id) await ask(sandbox, before);
    const answered = await ask(sandbox, id);
    expect(answered, 'the demo seed has a record for every path').toBeDefined();
    const schema = responseSchema(document, id, answered?.status ?? 0);
    expect(answered?.status).toBe(operations.find((operation) => operation.id === id)?.success);
    if (!schema) {
      expect(answered?.body).toBeUndefined();
      return;
    }
    const fits = compile(schema);
    expect(fits(answered?.body), JSON.stringify({ errors: fits.errors, answered })).toBe(true);
  });

  test('an error answer is valid under the document', async () => {
    const sandbox = fresh();
    const compile = compiler(await read(sandbox));
    const answered = await ask(sandbox, 'subscriptions.create', { email: 5 });
    expect(answered?.status).toBe(400);
    const fits = compile(responseSchema(await read(sandbox), 'subscriptions.create', 400) ?? {});
    expect(fits(answered?.body)).toBe(true);
    expect(fits({ status: 400, statusText: 'bad_request' })).toBe(false);
  });
});
