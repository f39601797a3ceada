/** Several items at a time: items of one subscription stay in order, and no item starts after a failure. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Run } from './context.ts';
import { workbench } from './workbench.ts';

const bench = workbench();

/** A sandbox with delayed answers, which counts concurrent requests. */
function slowSandbox(takes: (n: number) => number) {
  const seen = { now: 0, most: 0, begun: 0 };
  const sandbox: Run['sandbox'] = {
    async fetch(input, init) {
      seen.most = Math.max(seen.most, ++seen.now);
      await sleep(takes(seen.begun++));
      seen.now -= 1;
      return bench.sandbox.fetch(input, init);
    },
  };
  return { seen, sandbox };
}

/** Creates or updates the subscription of each address; its first name is the number of the item. */
function createAll(addresses: readonly string[], sandbox: Run['sandbox']) {
  const parameters = {
    email: (index: number) => addresses[index],
    customFields: (index: number) => ({ mappingMode: 'defineBelow', value: { 'First Name': `item ${index}` } }),
  };
  return bench.run('subscription', 'createOrUpdate', parameters, {
    sandbox,
    items: addresses.map((email) => ({ email })),
  });
}

/** The first name of an address at the service. */
async function firstNameOf(email: string): Promise<unknown> {
  const [item] = await bench.run('subscription', 'get', {
    subscription: email,
    options: { expand: ['custom_fields'] },
  });
  return (item?.json['custom_fields'] as Readonly<Record<string, unknown>> | undefined)?.['First Name'];
}

it('returns the items in their order; for a repeated address the last item wins', async () => {
  const address = fc.constantFrom('a@example.com', 'A@example.com', 'b@example.com', 'c@example.com', 'd@example.com');
  await fc.assert(
    fc.asyncProperty(
      fc.array(address, { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }),
      async (addresses, delays) => {
        const { sandbox } = slowSandbox((n) => delays[n % delays.length] ?? 0);
        const items = await createAll(addresses, sandbox);
        expect(items.map(({ pairedItem }) => pairedItem)).toEqual(addresses.map((_, item) => ({ item })));
        const last = new Map(addresses.map((email, index) => [email.toLowerCase(), index]));
        for (const [email, index] of last) expect(await firstNameOf(email)).toBe(`item ${index}`);
      },
    ),
    { numRuns: 15 },
  );
});

it('sends several requests at a time, and at most ten', async () => {
  const { seen, sandbox } = slowSandbox(() => 2);
  await createAll(
    Array.from({ length: 60 }, (_, index) => `person.${index}@example.com`),
    sandbox,
  );
  expect(seen.most).toBeGreaterThan(2);
  expect(seen.most).toBeLessThanOrEqual(10);
});

it('starts no item after the first failure', async () => {
  const addresses = Array.from({ length: 60 }, (_, index) =>
    index === 3 ? 'no address' : `person.${index}@example.com`,
  );
  const { seen, sandbox } = slowSandbox((n) => (n < 5 ? 0 : 20));
  await expect(createAll(addresses, sandbox)).rejects.toThrow(/address|email/i);
  expect(seen.begun).toBeLessThan(30);
});
