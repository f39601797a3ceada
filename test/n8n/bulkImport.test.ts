/** Bulk Import in n8n: thousands of items, wrong ones among them, and a request that fails. */
import { expect } from 'vitest';
import { test, underTest } from './harness/test.ts';

const parameters = { resource: 'subscription', operation: 'bulkImport' };

/**
 * An expression that makes the rows in n8n: every hundredth has no address, and every thousandth repeats the one
 * before.
 */
const rows = (count: number): string =>
  `Array.from({ length: ${count} }, (_, i) => ({ email: i % 100 === 99 ? 'no address' : 'reader.' + (i % 1000 === 550 ? i - 1 : i) + '@example.com', 'Team size': i, utm_source: 'import' }))`;

const statusOf = (index: number): string =>
  index % 100 === 99 ? 'rejected' : index % 1000 === 550 ? 'duplicate' : 'accepted';

test.override({ sandboxOptions: { seed: 'demo', profile: 'unlimited' } });

test('gives one item for each item, in their order, and imports whoever can be', async ({
  sandboxOnPort,
  api,
  runNode,
}) => {
  const run = await runNode({ parameters, items: rows(3_000), within: 90_000 });
  expect(run.error).toBeUndefined();
  const output = run.output(underTest);
  expect(output.map(({ status }) => status)).toEqual(Array.from({ length: 3_000 }, (_, index) => statusOf(index)));
  expect(run.pairs(underTest)).toEqual(output.map((_, index) => index));
  expect(new Set(output.map(({ batch }) => batch))).toEqual(new Set([1, 2, 3, null]));
  expect(run.hints(underTest)).toEqual([
    expect.stringContaining('33 of 3000 items were not imported (30 rejected, 3 '),
  ]);
  expect(sandboxOnPort.requests().filter(({ operation }) => operation === 'subscriptions.bulkCreate')).toHaveLength(3);

  sandboxOnPort.clock.advance('PT1H');
  const { items } = await api.subscriptions.list({ email: 'reader.2998@example.com', expand: ['custom_fields'] });
  expect(items).toMatchObject([{ utm_source: 'import', custom_fields: [{ name: 'Team size', value: 2998 }] }]);
});

test('gives the items of a request that fails to the error output, and the others to the other', async ({
  sandboxOnPort,
  runNode,
}) => {
  sandboxOnPort.faults.add({ match: 'subscriptions.bulkCreate', effect: { status: 403 }, nth: 3, times: 1 });
  const run = await runNode({
    parameters,
    items: rows(3_000),
    settings: { onError: 'continueErrorOutput' },
    within: 90_000,
  });
  expect(run.error).toBeUndefined();
  expect(run.output(underTest)).toHaveLength(3_000 - run.errors(underTest).length);
  expect(run.errors(underTest).length).toBeGreaterThan(900);
  expect(run.errors(underTest).length).toBeLessThanOrEqual(1_000);
});

test('fails only after everything was tried, and says how many were not imported', async ({
  sandboxOnPort,
  runNode,
}) => {
  sandboxOnPort.faults.add({ match: 'subscriptions.bulkCreate', effect: { status: 403 }, nth: 3, times: 1 });
  const run = await runNode({ parameters, items: rows(3_000), within: 90_000 });
  expect(run.status).toBe('error');
  expect(run.error).toMatchObject({
    message: expect.stringMatching(/^\d+ of 3000 items were not imported: /),
    description: expect.stringContaining('On Error'),
  });
  expect(sandboxOnPort.requests().filter(({ operation }) => operation === 'subscriptions.bulkCreate')).toHaveLength(3);
});
