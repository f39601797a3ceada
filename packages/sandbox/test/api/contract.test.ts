/**
 * The contract, walked: every operation of the API is brought to succeed and to answer each error status it documents.
 */
import { operation } from '@newsletter-kit/core/contract';
import { schemas } from '@newsletter-kit/core/schema';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { apiKeys, createSandbox } from '../../src/index.ts';
import { errorsOf, noon, type Answered } from '../caller.ts';
import { app } from '../oauth/app.ts';
import { compiler, read, responseSchema, type Document } from '../openapi/reading.ts';
import { strictly } from '../strictly.ts';
import { apiOperations, exerciseOf, ids, none, world, type ApiId, type World } from './exercises.ts';

let made: World;
let start = '';
let document: Document;
let compile: ReturnType<typeof compiler>;
beforeAll(async () => {
  made = await world(strictly(createSandbox({ seed: 'demo', now: () => noon })));
  start = made.sandbox.snapshots.take().id;
  document = await read(made.sandbox);
  compile = compiler(document);
});
beforeEach(() => {
  const { snapshots, faults, rateLimit } = made.sandbox;
  snapshots.restore(start);
  faults.clear();
  rateLimit.use('spec');
});
afterAll(() => made.sandbox.close());

test('every operation below {base_url} can be exercised', () => {
  expect(ids.map((id) => typeof exerciseOf(id).success)).toEqual(ids.map(() => 'function'));
});

test.each(ids)('%s succeeds with the documented status, and its answer is what schema and document say', async (id) => {
  const { there, call } = made;
  const { success, expand } = operation(id);
  const query = expand.map((value: string) => `expand[]=${value}`).join('&');
  const answered = await call(id, { ...exerciseOf(id).success(there), ...(query && { query: `?${query}` }) });
  expect(answered.status, JSON.stringify(answered.body)).toBe(success);
  const parsed = schemas[id].answer.safeParse(answered.body);
  expect(parsed.success, JSON.stringify(parsed.error?.issues)).toBe(true);
  const described = responseSchema(document, id, success);
  if (!described) return expect(answered.body).toBeNull();
  const fits = compile(described);
  expect(fits(answered.body), JSON.stringify(fits.errors)).toBe(true);
});

test('an error answer is valid under the document', async () => {
  const answered = await made.call('subscriptions.create', { body: { email: 5 } });
  const fits = compile(responseSchema(document, 'subscriptions.create', 400) ?? {});
  expect([answered.status, fits(answered.body)]).toEqual([400, true]);
  expect(fits({ status: 400, statusText: 'bad_request' })).toBe(false);
});

/**
 * No request leads here: 500 never happens, and the specification does not say when it would. Only a fault causes it.
 */
const onlyByFault: readonly (readonly [ApiId, number])[] = [
  ...ids.map((id) => [id, 500] as const),
  // No scope is named for authors, so every token may read them; and the publication fields have nothing in their path
  // that could be missing.
  ['authors.list', 403],
  ['authors.get', 403],
  ['publicationFields.list', 404],
];

/** How each error status comes about. */
const causes: Readonly<Record<number, (id: ApiId, made: World) => Promise<Answered>>> = {
  400: (id, { call, there }) => call(id, exerciseOf(id).bad?.(there) ?? {}),
  401: (id, { call, there }) =>
    call(id, { ...exerciseOf(id).success(there), headers: { Authorization: 'Bearer wrong' } }),
  async 403(id, { sandbox, call, there }) {
    const request = exerciseOf(id).success(there);
    if (operation(id).path.includes('data_privacy') || id === 'publicationFields.list') {
      return call(id, { ...request, headers: { Authorization: `Bearer ${apiKeys.restricted}` } });
    }
    const { access_token } = await app(sandbox, { scope: 'subscriptions:read' }).connect();
    return call(id, { ...request, headers: { Authorization: `Bearer ${access_token}` } });
  },
  async 404(id, { call, there }) {
    const request = exerciseOf(id).success(there);
    const elsewhere = await call(id, { ...request, params: { ...request.params, publicationId: `pub_${none}` } });
    const [last] = Object.keys(request.params ?? {}).slice(-1);
    if (last === undefined) return elsewhere;
    expect(elsewhere.status).toBe(404);
    return call(id, { ...request, params: { ...request.params, [last]: none } });
  },
  async 409(id, { call, there }) {
    await call(id, exerciseOf(id).success(there));
    return call(id, exerciseOf(id).success(there));
  },
  async 429(id, { sandbox, call, there }) {
    sandbox.rateLimit.use({ limit: 0, windowSeconds: 60 });
    return call(id, exerciseOf(id).success(there));
  },
};

const documented = apiOperations.flatMap(({ id, errors }) => errors.map((status: number) => [id, status] as const));
const byFault = ([id, status]: readonly [ApiId, number]): boolean =>
  onlyByFault.some(([faulty, its]) => faulty === id && its === status);

test.each(documented)('%s answers %i in the error body', async (id, status) => {
  const { sandbox, there, call } = made;
  if (byFault([id, status])) sandbox.faults.add({ match: id, effect: { status } });
  const answered = byFault([id, status])
    ? await call(id, exerciseOf(id).success(there))
    : await causes[status]?.(id, made);
  expect(answered?.status).toBe(status);
  if (answered) errorsOf(answered);
  expect(sandbox.requests().at(-1)).toMatchObject({ operation: id, status });
});

test('an operation that documents no 400 answers none to an unreadable query', async () => {
  const { sandbox, call, there } = made;
  for (const { id, errors } of apiOperations) {
    if (errors.some((status: number) => status === 400)) continue;
    sandbox.snapshots.restore(start);
    for (const query of ['?x=%E0%A4', '?expand[]=everything', '?limit=0&page=0&cursor=x']) {
      expect((await call(id, { ...exerciseOf(id).success(there), query })).status, `${id} ${query}`).toBe(
        operation(id).success,
      );
    }
  }
});
