/** A page can set the public fields of a SubscriptionRequest and no privileged one. */
import { operation } from '@newsletter-kit/core/contract';
import { attributionFields } from '@newsletter-kit/core/signup';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { settings } from '../../src/index.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { formPost, post, runRelay } from '../running-relay.ts';
import { sandboxApi } from '../sandbox-api.ts';

const publicFields: readonly string[] = ['email', 'custom_fields', ...attributionFields];
const privilegedFields = operation('subscriptions.create').body.fields.filter((name) => !publicFields.includes(name));

const pins = {
  RELAY_DOUBLE_OPT_OVERRIDE: 'on',
  RELAY_SEND_WELCOME_EMAIL: 'false',
  RELAY_TIER: 'free',
};
const pinned = { double_opt_override: 'on', send_welcome_email: false, tier: 'free' };

const value = fc.oneof(
  fc.boolean(),
  fc.constantFrom('on', 'off', 'true', 'premium', 'free', ''),
  fc.string(),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.constant({ value: 'premium' }),
  fc.constant(null),
);
const hostileBody = fc.record(
  Object.fromEntries(
    [...privilegedFields, '__proto__', 'constructor', 'publicationId', 'status', 'tags'].map((name) => [name, value]),
  ),
  { requiredKeys: [] },
);

it('only public fields reach the API, and pinned ones always win', async () => {
  const api = sandboxApi();
  const relay = runRelay({ api: api.fetch, settings: pins });
  relay.start();
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(hostileBody, fc.boolean(), async (body, asForm) => {
      const email = `p${sent++}@example.com`;
      const request = asForm
        ? formPost({
            ...Object.fromEntries(Object.entries(body).map(([name, each]) => [name, JSON.stringify(each)])),
            email,
          })
        : post({ ...body, email });
      expect([202, 303]).toContain((await relay.fetch(request)).status);
      const arrived = await waitUntil('it arrives', () => api.received.find((each) => each['email'] === email) ?? null);
      expect(arrived).toEqual({ email, ...pinned });
    }),
    { numRuns: 150 },
  );
});

it('every privileged field can be pinned, except the one that belongs to a single person', () => {
  const names = settings.map(({ name }) => name);
  expect(privilegedFields.filter((field) => !names.includes(`RELAY_${field.toUpperCase()}`))).toEqual([
    'payments_customer_id',
  ]);
});
