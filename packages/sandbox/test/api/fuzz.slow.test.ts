/**
 * Fuzzing over the contract. 3,000 requests by default; more of them with
 * `FUZZ_RUNS=100000 npm test -- packages/sandbox/test/api/fuzz`, which takes some minutes. `TEST_SEED` repeats a run.
 */
import { operations } from '@newsletter-kit/core/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { apiKeys, createSandbox, publicationId, type Sandbox } from '../../src/index.ts';
import { errorsOf, noon, publicationPath, send } from '../caller.ts';
import { strictly } from '../strictly.ts';
import { bodyExamples } from '../../src/openapi/examples.ts';
import { apiOperations, exerciseOf, type ApiId } from './exercises.ts';
import { known, type Known } from './known.ts';

const runs = Number(process.env['FUZZ_RUNS'] ?? 3000);
vi.setConfig({ testTimeout: 240_000 + runs * 20 });

let sandbox: Sandbox;
let there: Known;
/** Words that mean something here: ids that exist, cursors that were given, values of every set. */
let words: readonly string[] = [];

beforeAll(async () => {
  sandbox = strictly(createSandbox({ seed: 'demo', now: () => noon }));
  there = await known(sandbox);
  const page = await send(sandbox, 'GET', `${publicationPath}/subscriptions?limit=1`);
  const back = await send(sandbox, 'GET', `${publicationPath}/subscriptions?limit=1&direction=desc`);
  const cursors = [page, back].map(({ body }) => (body as { next_cursor: string }).next_cursor);
  const forged = [
    '1:subscriptions:asc:999999999999:999999999999999',
    '1:subscriptions:asc:-1:-1',
    '1:journeys:asc:1:1',
    '1:subscriptions:asc:1e3:1',
    "1:subscriptions:asc:1:1' OR 1",
  ];
  words = [
    ...Object.values(there).map((value) => (typeof value === 'string' ? value : value.id)),
    ...cursors,
    ...forged.map((text) => Buffer.from(text).toString('base64url')),
    ...new Set(operations.flatMap(({ expand }) => [...expand])),
    'ada.lovelace@example.com',
    'ADA.LOVELACE@EXAMPLE.COM',
    'Johanna',
    'Émile Nakamura',
    'Topics',
    'Patron',
    'all',
    'active',
    'api',
    'created',
    'asc',
    'desc',
    'on',
    'off',
    'not_set',
    'free',
    'premium',
    'date',
    'list',
    'inactive',
    'completed',
    'dynamic_content',
    '2026/02/29',
    '2024/02/29',
    '0',
    '1',
    '100',
    '101',
    '-1',
    '1e2',
    '0x10',
    ' 5 ',
    '١٠',
    'NaN',
    '9007199254740993',
    '1e999',
    '\u0000',
    '\ud800',
    '%00',
    '../..',
    "'; DROP TABLE subscriptions; --",
    '__proto__',
    'constructor',
    'toString',
  ];
});
afterAll(() => sandbox.close());

const word = fc.nat().map((n) => words[n % words.length] ?? '');
const text = fc.oneof(
  { weight: 5, arbitrary: word },
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.nat({ max: 12 }).map((n) => 'x'.repeat(2 ** n)),
);

/** A value for a key of a body: of its own kind now and then, of any kind else. */
const leaf = fc.oneof(
  text,
  fc.boolean(),
  fc.constant(null),
  fc.integer(),
  fc.double(),
  fc.constantFrom(-0, 1e308, Number.MAX_SAFE_INTEGER),
);
const entry = fc.record(
  { name: text, value: fc.oneof(leaf, fc.array(text, { maxLength: 3 })), delete: fc.boolean() },
  { requiredKeys: [] },
);
const bodyKeys = [...new Set(apiOperations.flatMap(({ body }): readonly string[] => body?.fields ?? []))];
const itemKeys = [
  ...bodyKeys,
  'subscription_id',
  'unsubscribe',
  'unsubscribe_newsletter_list_ids',
  'stripe_customer_id',
  '__proto__',
  'constructor',
];
const item = fc.oneof(
  leaf,
  fc
    .record({ email: text, subscription_id: text }, { requiredKeys: [] })
    .chain((base) =>
      fc
        .dictionary(
          fc.constantFrom(...itemKeys),
          fc.oneof(leaf, fc.array(text, { maxLength: 3 }), fc.array(entry, { maxLength: 3 })),
        )
        .map((more) => ({ ...more, ...base })),
    ),
);
const value = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 3 }),
  fc.array(entry, { maxLength: 3 }),
  fc.array(item, { maxLength: 4 }),
  fc.jsonValue({ maxDepth: 3 }),
);

const address = fc.oneof(
  fc.constantFrom(
    'ada.lovelace@example.com',
    'grace@example.org',
    'zoë@example.com',
    'tim@example.net',
    'vint@example.net',
  ),
  fc.nat({ max: 300 }).map((n) => `reader+${n}@example.com`),
);
/** A body as it succeeds, with these fields otherwise. */
interface OtherFields {
  readonly usual: object;
  readonly some: object;
}

/** A body with the keys that an operation takes, right or wrong, and a few that it does not; or any text. */
const bodyOf = (fields: readonly string[]): fc.Arbitrary<string | OtherFields> => {
  const usual = fc.record({
    email: fc.oneof({ weight: 2, arbitrary: address }, fc.emailAddress(), word),
    display: text,
  });
  const keys = fc.constantFrom(...(fields.length > 0 ? fields : itemKeys));
  const some = fc.dictionary(fc.oneof({ weight: 6, arbitrary: keys }, text), value, { maxKeys: 4 });
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ usual: fc.record({ email: address, display: text }), some: fc.constant({}) }) },
    { weight: 8, arbitrary: fc.record({ usual, some }) },
    fc.jsonValue().map((json) => JSON.stringify(json)),
    text,
    fc.constantFrom(
      '',
      '{',
      '[]',
      'null',
      '{"email":',
      '{"email":"a@b.example","email":5}',
      '\ufeff{}',
      '['.repeat(5000),
      '{"subscriptions":'.repeat(2000),
    ),
  );
};

function textOf(id: ApiId, body: string | OtherFields): string {
  if (typeof body === 'string') return body.toWellFormed();
  const good = exerciseOf(id).success(there).body as object | undefined;
  return JSON.stringify({ ...bodyExamples[id], ...good, ...body.usual, ...body.some }).toWellFormed();
}

const contentTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/vnd.api+json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data',
  '',
  'a'.repeat(500),
] as const;
const headers = fc.record(
  {
    'Content-Type': fc.oneof(
      { weight: 12, arbitrary: fc.constant('application/json') },
      fc.constantFrom(...contentTypes),
    ),
    Authorization: fc.oneof(
      { weight: 12, arbitrary: fc.constant(`Bearer ${apiKeys.workspace}`) },
      fc.constantFrom(`Bearer ${apiKeys.restricted}`, 'Bearer wrong', 'Basic eDp4', 'Bearer', ''),
    ),
    Accept: fc.constantFrom('*/*', 'text/html', 'application/xml'),
    'X-HTTP-Method-Override': fc.constantFrom('DELETE', 'GET'),
    'Accept-Encoding': fc.constant('br'),
  },
  { requiredKeys: ['Authorization', 'Content-Type'] },
);

/** What a request is made of, the paths still templates. */
const request = fc.constantFrom(...apiOperations).chain((operation) =>
  fc.record({
    id: fc.constant(operation.id),
    method: fc.oneof(
      { weight: 9, arbitrary: fc.constant<string>(operation.method) },
      fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'),
    ),
    path: fc.constant(operation.path),
    publication: fc.oneof({ weight: 15, arbitrary: fc.constant(publicationId) }, text),
    // Null: an id that exists.
    segment: fc.option(text, { freq: 2 }),
    tail: fc.oneof(
      { weight: 20, arbitrary: fc.constant('') },
      fc.constantFrom('/', '//', '/x', '%', '%E0%A4', ';a=b', '#x'),
      fc.webPath(),
    ),
    parameters: fc.array(
      fc.tuple(
        fc.oneof(
          { weight: 8, arbitrary: fc.constantFrom(...(operation.query.length > 0 ? operation.query : ['limit'])) },
          text,
        ),
        text,
      ),
      { maxLength: 3 },
    ),
    broken: fc.oneof(
      { weight: 20, arbitrary: fc.constant('') },
      fc.constantFrom('&%', '&limit=%ff', '&=', '&&&', '&expand[]', '&a[b][c]=1'),
    ),
    body: bodyOf(operation.body?.fields ?? []),
    headers,
    advance: fc.oneof({ weight: 30, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 20 * 86_400_000 })),
  }),
);

const encode = (part: string): string => encodeURIComponent(part.toWellFormed());
const documented = new Map<string, readonly number[]>(
  apiOperations.map(({ id, success, errors }) => [id, [success, ...errors]]),
);
/** Not of the API itself, but of HTTP: a method that the path does not take, a body that is too large. */
const beside = [405, 413];

test(`every answer to a random request is documented, and never a 500 (${runs} requests)`, async () => {
  const seen = new Map<number, number>();
  let requests = 0;
  await fc.assert(
    fc.asyncProperty(
      request,
      async ({ id, method, path, publication, segment, tail, parameters, broken, body, headers: sent, advance }) => {
        // What requests deleted comes back, under the same ids.
        if ((requests += 1) % 500 === 0) sandbox.reset();
        if (advance > 0) sandbox.clock.advance(advance);
        const { params = {} } = exerciseOf(id).success(there);
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
          encode(name === 'publicationId' ? publication : (segment ?? params[name] ?? '')),
        );
        const query = parameters.map(([name, given]) => `${encode(name)}=${encode(given)}`).join('&');
        const bodiless = method === 'GET' || method === 'HEAD';
        const answered = await send(
          sandbox,
          method,
          `${filled}${tail}?${query}${broken}`,
          bodiless ? undefined : textOf(id, body),
          sent,
        );
        seen.set(answered.status, (seen.get(answered.status) ?? 0) + 1);
        const log = sandbox.requests().at(-1);
        expect(log?.status).toBe(answered.status);
        if (log?.operation == null) expect([404, 405]).toContain(answered.status);
        else
          expect([...(documented.get(log.operation) ?? []).filter((status) => status !== 500), ...beside]).toContain(
            answered.status,
          );
        if (answered.status >= 400 && method !== 'HEAD') errorsOf(answered);
      },
    ),
    { numRuns: runs },
  );
  // Each kind of answer was met, or the requests were not what they should be.
  for (const status of runs > 3000 ? [200, 201, 204, 400, 401, 403, 404, 405, 409] : [200, 400, 401, 404, 405])
    expect(seen.get(status) ?? 0, `${status} in ${JSON.stringify([...seen])}`).toBeGreaterThan(0);
  expect((await send(sandbox, 'GET', `${publicationPath}/subscriptions?page=1`)).status).toBe(200);
  if (runs > 3000)
    process.stdout.write(`${JSON.stringify(Object.fromEntries([...seen].toSorted(([a], [b]) => a - b)))}\n`);
});
