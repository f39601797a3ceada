/**
 * Fuzzed requests: every answer has a documented status, no internal error occurs, and memory does not grow.
 * `FUZZ_REQUESTS` sets how many, `TEST_SEED` repeats a run.
 */
import process from 'node:process';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { createLog } from '../../src/index.ts';
import { heapInUse } from '../heap.ts';
import { runRelay, site } from '../running-relay.ts';

vi.setConfig({ testTimeout: 1_200_000 });

const requests = Number(process.env['FUZZ_REQUESTS'] ?? 100_000);

const email = fc.oneof(
  fc.emailAddress(),
  fc.string(),
  fc.constantFrom(
    'ada@example.com',
    'ada@bücher.example',
    '"a b"@example.com',
    `${'x'.repeat(64)}@${'y'.repeat(63)}.example`,
  ),
);
const name = fc.oneof(
  fc.constantFrom(
    'email',
    'utm_source',
    'referring_site',
    'referral_code',
    'custom_fields',
    'consent',
    'token',
    'proof',
    'hp_field',
    'tier',
    '__proto__',
    'constructor',
    'custom_fields[a]',
    'custom_fields[a][]',
  ),
  fc.string({ maxLength: 12 }),
);
const proof = fc.oneof(
  fc.string(),
  fc.json().map((text) => Buffer.from(text).toString('base64')),
  fc
    .record({ challenge: fc.record({ parameters: fc.object(), signature: fc.string() }), solution: fc.object() })
    .map((payload) => Buffer.from(JSON.stringify(payload)).toString('base64')),
);
const body = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      email: fc.emailAddress(),
      utm_source: fc.string(),
      hp_field: fc.constantFrom('', 'x'),
      custom_fields: fc.constant([{ name: 'First Name', value: 'Ada' }]),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      email,
      token: fc.option(fc.string()),
      proof: fc.option(proof),
      custom_fields: fc.option(fc.array(fc.object({ maxDepth: 2 }), { maxLength: 3 })),
    }),
  },
  { weight: 3, arbitrary: fc.dictionary(name, fc.oneof(email, fc.jsonValue({ maxDepth: 2 }))) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);
const text = fc.oneof(
  { weight: 6, arbitrary: body.map((value) => JSON.stringify(value)) },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.tuple(name, fc.oneof(email, fc.string())))
      .map((pairs) => new URLSearchParams(pairs).toString()),
  },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.string({ minLength: 14, maxLength: 20 }).map((part) => part.repeat(600)) },
);
const headerText = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.ipV4(),
  fc.ipV6(),
  fc.array(fc.oneof(fc.ipV4(), fc.ipV6()), { maxLength: 5 }).map((all) => all.join(',')),
);
const printable = (value: string): string => value.replace(/[^\x20-\x7e]/g, '');
const request = fc
  .record({
    method: fc.oneof(
      { weight: 12, arbitrary: fc.constant('POST') },
      { weight: 1, arbitrary: fc.constantFrom('PUT', 'GET', 'OPTIONS', 'DELETE') },
    ),
    path: fc.oneof(
      { weight: 8, arbitrary: fc.constant('/signup') },
      { weight: 1, arbitrary: fc.webPath() },
      { weight: 1, arbitrary: fc.webPath().map((path) => `/signup${path}`) },
    ),
    text,
    type: fc.oneof(
      {
        weight: 8,
        arbitrary: fc.constantFrom(
          'application/json',
          'application/x-www-form-urlencoded',
          'application/json; charset=utf-8',
        ),
      },
      { weight: 1, arbitrary: fc.string() },
    ),
    origin: fc.oneof(
      { weight: 8, arbitrary: fc.constant(site) },
      { weight: 1, arbitrary: fc.webUrl() },
      { weight: 1, arbitrary: fc.string() },
    ),
    accept: fc.constantFrom('application/json', '*/*', 'text/html'),
    forwarded: headerText,
    key: fc.string({ maxLength: 300 }),
  })
  .map(({ method, path, text, type, origin, accept, forwarded, key }) => {
    const headers = {
      'content-type': printable(type),
      origin: printable(origin),
      accept,
      'x-forwarded-for': printable(forwarded),
      'idempotency-key': printable(key),
      'sec-fetch-site': 'same-origin',
    };
    const url = `http://relay.example${path}`;
    return (): Request => new Request(url, { method, headers, ...(method === 'POST' && { body: text }) });
  });

/** Requests that are generated at a time. */
const batch = 1000;
const { seed = 0 } = fc.readConfigureGlobal();

const statuses = new Set([200, 202, 204, 303, 400, 403, 404, 405, 413, 415, 429]);

it(`${requests} fuzzed requests cause no internal error and no memory growth`, async () => {
  const telling: string[] = [];
  const look = (line: string): void => {
    if (/"level":"(error|fatal)"/.test(line) || /ada@|example\.com/.test(line)) telling.push(line);
  };
  const log = createLog({ level: 'debug', destination: { write: look } });
  const proofs = { RELAY_TRUSTED_PROXIES: '10.0.0.1', RELAY_PROOF: 'attack' };
  const relays = [{ ...proofs, RELAY_FORM_TOKEN: 'true' }, proofs, {}].map((settings) =>
    runRelay({ settings, proof: { effort: 10 }, log }),
  );
  const heap: number[] = [];
  const seen = new Map<number, number>();
  let generated = fc.sample(request, { numRuns: batch, seed });
  for (let n = 0; n < requests; n += 1) {
    if (n > 0 && n % batch === 0) generated = fc.sample(request, { numRuns: batch, seed: seed + n });
    const sent = generated[n % batch]?.();
    const answer = sent && (await relays[n % relays.length]?.fetch(sent, n % 2 ? '10.0.0.1' : `203.0.113.${n & 255}`));
    if (!answer) throw new Error('nothing was sent');
    await answer.text();
    seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
    if (!statuses.has(answer.status))
      throw new Error(
        `TEST_SEED=${seed}: ${answer.status} for ${sent.method} ${sent.url} ${JSON.stringify([...sent.headers])}`,
      );
    if (n % Math.ceil(requests / 10) === 0) {
      heap.push(heapInUse());
    }
  }
  for (const status of [202, 400, 403, 404, 413, 415]) expect(seen.get(status), `${status}`).toBeGreaterThan(0);
  expect(telling).toEqual([]);
  // From the first tenth to the last; the counters of three relays fill up meanwhile, at 12 MB each and no more.
  expect((heap.at(-1) ?? 0) - (heap[1] ?? 0)).toBeLessThan(50);
});
