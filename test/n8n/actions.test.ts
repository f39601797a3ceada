/** The action node in manually run workflows. */
import { createClient } from '@newsletter-kit/core';
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { describe, expect, inject, it } from 'vitest';
import { n8n, test, underTest } from './harness/test.ts';

const { credential } = inject('newsletter');

const api = createClient({
  baseUrl: credential.baseUrl,
  token: credential.apiKey,
  publicationId: credential.publicationId,
});

describe('the example with rows of subscribers', () => {
  it('creates a subscription per row with custom fields by kind, and reports the invalid row', async () => {
    const execution = await n8n.run('addSubscriptions');
    expect(execution.error).toBeUndefined();
    const [mary, wrong, kaethe] = execution.output('Add');
    expect(execution.pairs('Add')).toEqual([0, 1, 2]);
    expect(mary).toMatchObject({
      id: expect.stringMatching(/^sub_/),
      email: 'Mary.Somerville+letters@example.com',
      utm_source: 'rows',
      outcome: 'created',
      created: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
    });
    expect(wrong).toEqual({ error: expect.stringMatching(/address|email/i) });
    expect(kaethe).toMatchObject({ email: 'käthe@bücher.example', utm_campaign: 'Küste' });
    expect(execution.hints('Add')).toEqual([]);

    const { items } = await api.subscriptions.list({
      email: 'mary.somerville+letters@example.com',
      expand: ['custom_fields'],
    });
    expect(items[0]).toMatchObject({
      utm_campaign: 'Frühjahr & Flut 🌊',
      custom_fields: expect.arrayContaining([
        { name: 'Topics', kind: 'list', value: ['history', 'boats'] },
        { name: 'Birthday', kind: 'date', value: '1780-12-26' },
      ]),
    });
  });
});

describe('items that fail, with Retry On Fail', () => {
  const people = ['first@example.com', 'not an address', 'third@example.com'].map((email) => ({ email }));
  const parameters = { resource: 'subscription', operation: 'create', email: '={{ $json.email }}' };
  const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
  const reason = expect.stringMatching(/address|email/i);
  const created = ({ requests }: SandboxOnPort) =>
    requests().filter(({ operation, status }) => operation === 'subscriptions.create' && status === 200);

  test('go to the error output with their input and the reason; each other is carried out once', async ({
    sandboxOnPort,
    runNode,
  }) => {
    const run = await runNode({ parameters, items: people, settings: { ...retrying, onError: 'continueErrorOutput' } });
    expect(run.status).toBe('success');
    expect(run.output(underTest).map(({ email }) => email)).toEqual(['first@example.com', 'third@example.com']);
    expect(run.errors(underTest)).toEqual([{ email: 'not an address', error: reason }]);
    expect(created(sandboxOnPort)).toHaveLength(2);
  });

  test('stay in their place with Continue', async ({ runNode }) => {
    const settings = { ...retrying, onError: 'continueRegularOutput' };
    const run = await runNode({ parameters, items: people, settings });
    expect(run.output(underTest)).toMatchObject([
      { email: 'first@example.com' },
      { error: reason },
      { email: 'third@example.com' },
    ]);
  });

  test('fail the execution without an error output, with the number of the item', async ({ runNode }) => {
    const run = await runNode({ parameters, items: people, settings: retrying });
    expect(run.status).toBe('error');
    expect(run.error).toMatchObject({ httpCode: '400', context: { itemIndex: 1 } });
  });

  test('are carried out by a later try, and the others not again', async ({ sandboxOnPort: sandbox, runNode }) => {
    sandbox.faults.add({ match: 'subscriptions.create', effect: { status: 403 }, nth: 2 });
    const [first, , third] = people;
    const run = await runNode({ parameters, items: [first, third], settings: retrying });
    expect(run.error).toBeUndefined();
    expect(run.output(underTest)).toMatchObject([first, third]);
    expect(created(sandbox)).toHaveLength(2);
  });
});

test('a field that the service dropped is a hint above the output', async ({ runNode }) => {
  const customFields = { mappingMode: 'defineBelow', value: { 'Shoe size': '39' }, schema: [] };
  const execution = await runNode({
    parameters: { resource: 'subscription', operation: 'create', email: 'new@example.com', customFields },
  });
  expect(execution.error).toBeUndefined();
  expect(execution.output(underTest)[0]).toMatchObject({
    warnings: [{ message: expect.stringContaining('Shoe size') }],
  });
  expect(execution.hints(underTest)).toEqual([expect.stringMatching(/warning of the service: .*Shoe size/)]);
});
