/** Holds every answer of a sandbox to the strict reading of the specification. */
import { operations, type OperationId } from '@newsletter-kit/core/contract';
import { errorBody, oauthError, schemas, type OperationSchemas } from '@newsletter-kit/core/schema';
import { expect } from 'vitest';
import * as z from 'zod';
import type { Sandbox } from '../src/index.ts';

const all: Readonly<Record<OperationId, OperationSchemas>> = schemas;

const routes = operations.map(({ id, method, path, base }) => ({
  id,
  method: method as string,
  base,
  pattern: new RegExp(`^${base === 'api' ? '/v2' : ''}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/**
 * The same sandbox, whose `fetch` fails a test where an answer is not what the schemas say: a success by the schema of
 * its operation, an error by that of the error body. Answers under a fault or another assumption may differ on purpose,
 * and are left alone.
 */
export function strictly(sandbox: Sandbox): Sandbox {
  const plain = (): boolean =>
    sandbox.faults.list().length === 0 && sandbox.assumptions.list().every((each) => each.value === each.default);
  return {
    ...sandbox,
    async fetch(input, init) {
      const request = input instanceof Request && init === undefined ? input : new Request(input, init);
      const { method, url } = request;
      const before = plain();
      const answer = await sandbox.fetch(request);
      if (method !== 'HEAD' && before && plain()) await check(method, new URL(url).pathname, answer.clone());
      return answer;
    },
  };
}

async function check(method: string, path: string, answer: Response): Promise<void> {
  const found = routes.filter((route) => route.method === method && route.pattern.test(path));
  const isApi = path.startsWith('/v2/');
  if (found.length === 0 && !isApi) return;
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
  // The pages of the authorization endpoint, and what it redirects to.
  if (!isApi && !isJson) return;
  const text = await answer.text();
  const body: unknown = text === '' ? null : JSON.parse(text);
  const schemasOfAnswer: z.core.$ZodType[] =
    answer.status < 400 ? found.map(({ id }) => all[id].answer) : [isApi ? errorBody : oauthError];
  const problems = schemasOfAnswer.map((schema) => z.safeParse(schema, body).error?.issues ?? []);
  expect(
    problems.some((issues) => issues.length === 0),
    `${method} ${path} answered ${answer.status} ${text.slice(0, 500)}\n${JSON.stringify(problems)}`,
  ).toBe(true);
}
