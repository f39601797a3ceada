/** The action node as a tool of an AI agent. */
import { describe, expect } from 'vitest';
import { newsletterType, start } from './harness/nodes.ts';
import type { NodeDraft } from './harness/rest.ts';
import { n8n, test } from './harness/test.ts';
import { all } from './operations/execution.ts';

const agent: NodeDraft = {
  name: 'Agent',
  type: '@n8n/n8n-nodes-langchain.agent',
  typeVersion: 2.2,
  parameters: { promptType: 'define', text: 'Work' },
};
const tool = 'Newsletter';

/** What an agent fills in. */
const fromAgent = (name: string): string => `={{ $fromAI('${name}', 'An address', 'string') }}`;

describe('as a tool of an agent', () => {
  test('the node reads what the agent asks for', async ({ credentials, api }) => {
    const parameters = {
      resource: 'subscription',
      operation: 'get',
      subscription: { __rl: true, mode: 'email', value: fromAgent('email') },
    };
    const workflow = await n8n.createWorkflow(
      [start, agent],
      [{ name: tool, type: `${newsletterType}Tool`, parameters, credentials }],
    );
    const run = await n8n.useTool(workflow, tool, { email: 'ada.lovelace@example.com' });
    const [kept] = await all(api.subscriptions.list({ email: 'ada.lovelace@example.com' }));
    expect(run.error).toBeUndefined();
    expect(JSON.stringify(run.output(tool))).toContain(kept?.id ?? 'no id');
  });

  test.for([
    { says: 'nothing is requested unless the owner of the node allows it', allowAgents: false },
    { says: 'the deletion is requested where the owner of the node allows it', allowAgents: true },
  ])('data deletion: $says', async ({ allowAgents }, { credentials, api }) => {
    const parameters = {
      resource: 'dataDeletion',
      operation: 'request',
      email: fromAgent('email'),
      emailConfirmation: fromAgent('again'),
      ...(allowAgents && { allowAgents }),
    };
    const workflow = await n8n.createWorkflow(
      [start, agent],
      [{ name: tool, type: `${newsletterType}Tool`, parameters, credentials }],
    );
    const run = await n8n.useTool(workflow, tool, { email: 'grace@example.org', again: 'grace@example.org' });
    const requests = await all(api.deletionRequests.list());
    expect(run.error?.message ?? '').toContain(allowAgents ? '' : 'Allow Agents to Request Deletion');
    expect(run.status).toBe(allowAgents ? 'success' : 'error');
    expect(requests.map(({ email }) => email)).toEqual(allowAgents ? ['grace@example.org'] : []);
  });
});
