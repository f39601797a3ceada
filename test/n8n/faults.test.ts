/** The service fails now and then, or changes, during an execution. */
import { expect } from 'vitest';
import { waitUntil } from '../support/waits.ts';
import { items, newsletterType, start } from './harness/nodes.ts';
import { n8n, test, underTest } from './harness/test.ts';
import { all, ids } from './operations/execution.ts';

test.override({ sandboxOptions: { seed: 'demo', seedSize: 5_000 } });
const everything = { resource: 'subscription', operation: 'getMany', returnAll: true };

/** The number of answers of the list with this status. */
const answered = (requests: readonly { operation: string | null; status: number }[], status: number): number =>
  requests.filter((request) => request.operation === 'subscriptions.list' && request.status === status).length;

test('Return All returns 5,000 subscriptions exactly once through 429 and 5xx answers', async ({
  sandboxOnPort: sandbox,
  api,
  runNode,
}) => {
  const kept = ids(await all(api.subscriptions.list({ limit: 100 })));
  expect(new Set(kept).size).toBe(5_000);
  const before = sandbox.requests().length;

  sandbox.faults.add({
    match: 'subscriptions.list',
    effect: { status: 503, retryAfter: 1 },
    probability: 0.08,
    seed: 3,
  });
  sandbox.faults.add({
    match: 'subscriptions.list',
    effect: { status: 500, body: 'html' },
    probability: 0.05,
    seed: 5,
  });
  // Late, because the engine slows down to the assumed quota afterwards.
  sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 429, retryAfter: 2 }, nth: 45 });
  sandbox.faults.add({ match: 'subscriptions.list', effect: 'truncate', nth: 11 });
  sandbox.faults.add({ match: 'subscriptions.list', effect: 'reset', nth: 29 });
  const run = await runNode({ parameters: everything, within: 110_000 });

  expect(run.error).toBeUndefined();
  expect(ids(run.output(underTest))).toEqual(kept);
  const requests = sandbox.requests().slice(before);
  for (const status of [429, 500, 503]) expect(answered(requests, status), `answers with ${status}`).toBeGreaterThan(0);
});

test('Return All fails with the reason, and returns no partial list, where a page cannot be read', async ({
  sandboxOnPort: sandbox,
  runNode,
}) => {
  sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 503, retryAfter: 0 }, nth: 4, times: null });
  const run = await runNode({ parameters: everything });
  expect(run.status).toBe('error');
  expect(run.error).toMatchObject({
    httpCode: '503',
    description: expect.stringContaining('not working at the moment'),
  });
  expect(run.output(underTest)).toEqual([]);
});

test('Create or Update names a custom field that is renamed during the execution in each item without its value', async ({
  sandboxOnPort: sandbox,
  api,
  credentials,
}) => {
  const count = 300;
  const name = 'First Name';
  const node = {
    name: underTest,
    type: newsletterType,
    parameters: {
      resource: 'subscription',
      operation: 'createOrUpdate',
      email: '={{ $json.email }}',
      customFields: { mappingMode: 'defineBelow', value: { [name]: 'Ada' } },
    },
    credentials,
  };
  const rows = `Array.from({ length: ${count} }, (_, index) => ({ email: 'renamed.' + index + '@example.com' }))`;
  const workflow = await n8n.createWorkflow([start, ...items(rows), node]);
  const execution = await n8n.runManually(workflow, start.name);
  await waitUntil('twenty are created', async () => {
    const created = sandbox.requests().filter(({ operation }) => operation === 'subscriptions.create');
    return created.length >= 20;
  });
  const { items: fields } = await api.customFields.list();
  await api.customFields.update({ id: fields.find(({ display }) => display === name)?.id ?? '', display: 'Renamed' });
  const run = await n8n.ended(execution);

  expect(run.error).toBeUndefined();
  const output = run.output(underTest);
  expect(output).toHaveLength(count);
  const without = output.filter(({ custom_fields: values }) => Object.keys(values ?? {}).length === 0);
  expect(without.length).toBeGreaterThan(0);
  expect(without.length).toBeLessThan(count);
  for (const { ignored_fields: ignored } of without) expect(ignored).toEqual([`custom_fields.${name}`]);
  expect(run.hints(underTest).join()).toContain('Choose the custom fields anew');
});
