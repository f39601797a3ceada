/** The action node in workflows that a person runs by hand. */
import { createClient } from '@newsletter-kit/core';
import { describe, expect, inject, it } from 'vitest';
import { Rest, type Execution } from './harness/rest.ts';

const { n8nUrl, cookie, credential } = inject('newsletter');
const n8n = new Rest(n8nUrl, cookie);
const api = createClient({ baseUrl: credential.baseUrl, token: credential.apiKey, publicationId: credential.publicationId });

async function runToEnd(workflow: string, trigger: string): Promise<Execution> {
  const id = await n8n.runManually(workflow, trigger);
  let execution: Execution | undefined;
  await expect.poll(async () => (execution = await n8n.execution(id)), { timeout: 30_000, interval: 250 }).toBeDefined();
  if (!execution) throw new Error(`Execution ${id} did not end.`);
  return execution;
}

describe('Subscription: Create', () => {
  it('creates what the rows say, custom fields typed by their kind, and reports the row that is wrong', async () => {
    const execution = await runToEnd('addSubscriptions', 'Start');
    expect(execution.error).toBeUndefined();
    const [mary, wrong, kaethe] = execution.output('Add');
    expect(execution.pairs('Add')).toEqual([0, 1, 2]);
    expect(mary).toMatchObject({ id: expect.stringMatching(/^sub_/), email: 'Mary.Somerville+letters@example.com', utm_source: 'rows', created: expect.any(Number) });
    expect(wrong).toEqual({ error: expect.stringMatching(/address|email/i) });
    expect(kaethe).toMatchObject({ email: 'käthe@bücher.example', utm_campaign: 'Küste' });
    expect(execution.hints('Add')).toEqual([]);

    const { items } = await api.subscriptions.list({ email: 'mary.somerville+letters@example.com', expand: ['custom_fields'] });
    expect(items[0]).toMatchObject({
      utm_campaign: 'Frühjahr & Flut 🌊',
      custom_fields: expect.arrayContaining([
        { name: 'Topics', kind: 'list', value: ['history', 'boats'] },
        { name: 'Birthday', kind: 'date', value: '1780-12-26' },
      ]),
    });
  });

  it('offers the custom fields of the publication in the editor, each with an input of its kind', async () => {
    const [node] = (await n8n.workflow('addSubscriptions')).nodes.filter(({ name }) => name === 'Add');
    const { fields } = await n8n.mapperFields({
      path: 'parameters.customFields',
      methodName: 'getCustomFields',
      nodeTypeAndVersion: { name: node?.['type'], version: 1 },
      currentNodeParameters: node?.['parameters'],
      credentials: node?.['credentials'],
    });
    expect(fields).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'Topics', type: 'array' }),
        expect.objectContaining({ id: 'Birthday', type: 'dateTime' }),
      ]),
    );
  });
});
