import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { publicationId } from '../../src/index.ts';
import { customFieldsPath, errorsOf, fresh, send, subscriptionsPath } from '../caller.ts';

// Hundreds of runs; a busy machine takes its time.
vi.setConfig({ testTimeout: 60_000 });

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.constantFrom('ada@example.com', 'Ada@EXAMPLE.com', 'on', 'date', '\u0000', '\ud800'));
const keys = ['email', 'utm_source', 'custom_fields', 'premium_tiers', 'newsletter_list_ids', 'tier', 'display', 'kind', 'reactivate_existing', 'referral_code', '__proto__', 'constructor'];
const value = fc.oneof(text, fc.jsonValue({ maxDepth: 3 }), fc.array(fc.record({ name: text, value: fc.jsonValue({ maxDepth: 1 }) }, { requiredKeys: [] })));
const body = fc.oneof(
  text,
  fc.jsonValue().map((json) => JSON.stringify(json)),
  fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), value).map((fields) => JSON.stringify({ email: 'ada@example.com', display: 'City', kind: 'string', ...fields })),
);
const parameter = fc.tuple(fc.oneof(fc.constantFrom('limit', 'cursor', 'page', 'email', 'status', 'expand[]', 'premium_tiers[]', 'premium_tier_ids[]', 'creation_date', 'direction'), text), text);

test('whatever is sent, the answer is a success or a documented error, never a 500', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'HEAD', 'PUT', 'DELETE'),
      fc.oneof(fc.constantFrom(subscriptionsPath, customFieldsPath), text.map((id) => `/publications/${encodeURIComponent(id.toWellFormed())}/subscriptions`), fc.webPath()),
      fc.array(parameter, { maxLength: 4 }),
      body,
      async (method, path, parameters, sent) => {
        const query = parameters.map(([name, given]) => `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(given.toWellFormed())}`).join('&');
        const answered = await send(sandbox, method, `${path}?${query}`, method === 'GET' || method === 'HEAD' ? undefined : sent, { 'Content-Type': 'application/json' });
        seen.add(answered.status);
        expect([200, 400, 404, 405]).toContain(answered.status);
        if (answered.status !== 200 && method !== 'HEAD') errorsOf(answered);
      },
    ),
    { numRuns: 3000 },
  );
  expect([...seen].toSorted()).toEqual([200, 400, 404, 405]);
  expect((await send(sandbox, 'GET', `/publications/${publicationId}/subscriptions?page=1`)).status).toBe(200);
});
