/** The action node in manually run workflows. */
import { createClient } from '@newsletter-kit/core';
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

describe('Subscription: Create or Update', () => {
  test('creates or updates, and names ignored fields in item and hint', async ({ api, runNode }) => {
    const run = await runNode({
      parameters: {
        resource: 'subscription',
        operation: 'createOrUpdate',
        email: '={{ $json.email }}',
        additionalFields: { tier: 'premium', utm_source: 'spring' },
      },
      items: [{ email: 'new@example.com' }, { email: 'grace@example.org' }],
    });
    expect(run.error).toBeUndefined();
    expect(run.output(underTest)).toMatchObject([
      { outcome: 'created', subscription_tier: 'premium', utm_source: 'spring', ignored_fields: [] },
      { outcome: 'unchanged', subscription_tier: 'premium', ignored_fields: ['utm_source'] },
    ]);
    expect(run.hints(underTest)).toEqual([expect.stringContaining('"UTM Source"')]);
    const { items } = await api.subscriptions.list({ email: 'grace@example.org' });
    expect(items[0]).toMatchObject({ subscription_tier: 'premium' });
  });
});

describe('items that fail', () => {
  const people = ['first@example.com', 'not an address', 'third@example.com'].map((email) => ({ email }));
  const parameters = { resource: 'subscription', operation: 'create', email: '={{ $json.email }}' };

  test('go to the error output with their input and the reason', async ({ runNode }) => {
    const run = await runNode({ parameters, items: people, settings: { onError: 'continueErrorOutput' } });
    expect(run.status).toBe('success');
    expect(run.output(underTest).map(({ email }) => email)).toEqual(['first@example.com', 'third@example.com']);
    expect(run.errors(underTest)).toEqual([
      { email: 'not an address', error: expect.stringMatching(/address|email/i) },
    ]);
  });

  test('fail the execution without an error output, with the number of the item', async ({ runNode }) => {
    const run = await runNode({ parameters, items: people });
    expect(run.status).toBe('error');
    expect(run.error).toMatchObject({ httpCode: '400', context: { itemIndex: 1 } });
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
