/** The action node as a tool of an AI agent, and the nodes in n8n's workflow builder. */
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { IBuilderHint, INodeTypeDescription } from 'n8n-workflow';
import { newsletterType, start } from './harness/nodes.ts';
import type { NodeDraft } from './harness/rest.ts';
import { n8n, test } from './harness/test.ts';

const agent: NodeDraft = {
  name: 'Agent',
  type: '@n8n/n8n-nodes-langchain.agent',
  typeVersion: 2.2,
  parameters: { promptType: 'define', text: 'Work' },
};
const tool = 'Newsletter';

/** An expression that the agent fills in. */
const fromAgent = (name: string): string => `={{ $fromAI('${name}', 'An address', 'string') }}`;

describe('as a tool of an agent', () => {
  test('the node reads the subscription that the agent names', async ({ credentials, api }) => {
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
    const [kept] = await Array.fromAsync(api.subscriptions.list({ email: 'ada.lovelace@example.com' }));
    expect(run.error).toBeUndefined();
    expect(JSON.stringify(run.output(tool))).toContain(kept?.id ?? 'no id');
  });
});

/** Answers with these tool calls, one list after the other, and then with a text, as OpenAI's API does. */
async function serveModel(turns: readonly (readonly object[])[]): Promise<{ readonly url: string; close(): void }> {
  const left = [...turns];
  const server = createServer((request, response) => {
    request.resume();
    const calls = left.shift()?.map((input, index) => ({
      id: `call_${left.length}_${index}`,
      type: 'function',
      function: { name: tool, arguments: JSON.stringify(input) },
    }));
    const message = { role: 'assistant', content: calls ? null : 'Done', ...(calls && { tool_calls: calls }) };
    const choices = [{ index: 0, message, finish_reason: calls ? 'tool_calls' : 'stop' }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'answer', object: 'chat.completion', created: 0, model: 'of-a-test', choices }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close: () => void server.close() };
}

// Until version 2 an agent runs its tools itself, from version 3 on n8n runs them for it.
test.for([2.2, 3])(
  'an agent of version %d that calls the tool again with the same input gets it carried out again',
  async (typeVersion, { credentials, sandboxOnPort }) => {
    const input = { email: 'twice@example.com' };
    const served = await serveModel([[input, input], [input]]);
    try {
      const openAiApi = {
        id: await n8n.createCredential('openAiApi', { apiKey: 'of a test', url: served.url }),
        name: 'Of a test',
      };
      const parameters = { resource: 'subscription', operation: 'createOrUpdate', email: fromAgent('email') };
      const workflow = await n8n.createWorkflow(
        [start, { ...agent, typeVersion }],
        [{ name: tool, type: `${newsletterType}Tool`, parameters, credentials }],
        [{ name: 'Model', type: '@n8n/n8n-nodes-langchain.lmChatOpenAi', credentials: { openAiApi } }],
      );
      const run = await n8n.run(workflow);
      expect(run.error).toBeUndefined();
      expect(run.output(agent.name)).toEqual([{ output: 'Done' }]);
      expect(sandboxOnPort.requests().filter(({ operation }) => operation === 'subscriptions.create')).toHaveLength(3);
    } finally {
      served.close();
    }
  },
);

describe("n8n's workflow builder", () => {
  // The functions by which n8n's agents search nodes and read their types, with the nodes of this n8n.
  const fromN8n = createRequire(realpathSync(inject('newsletter').program.command));
  let types: readonly INodeTypeDescription[];
  beforeAll(async () => {
    types = await n8n.nodeTypes();
  });

  it.each([
    ['new newsletter subscriber', 'newsletterTrigger'],
    ['beehiiv', 'newsletter'],
    ['email marketing', 'newsletter'],
    ['signup form', 'newsletterSignupTrigger'],
    ['contact sync', 'newsletterSync'],
  ])('finds for "%s" the node %s, with its hint and related nodes', (query, name) => {
    const { NodeTypeParser, searchCodeBuilderNodes } = fromN8n('@n8n/ai-utilities/node-catalog') as {
      NodeTypeParser: new (types: readonly INodeTypeDescription[]) => object;
      searchCodeBuilderNodes(parser: object, queries: readonly string[]): { results: string };
    };
    const { results } = searchCodeBuilderNodes(new NodeTypeParser(types), [query]);
    const found = results.split(/^- /m).find((each) => each.startsWith(`n8n-nodes-newsletter-kit.${name}`)) ?? '';
    expect(found).toContain('@builderHint ');
    expect(found).toContain('@relatedNodes');
  });

  it('gets the patterns of an operation with its type', () => {
    const { generateNodeTypeFile } = fromN8n('@n8n/workflow-sdk') as {
      generateNodeTypeFile(type: INodeTypeDescription): string;
    };
    const [type] = types.filter(({ name }) => name === newsletterType);
    const patterns = (type?.builderHint satisfies IBuilderHint | undefined)?.extraTypeDefContent ?? [];
    const properties = type?.properties.filter((property) => property.type !== 'hidden') ?? [];
    const code = type ? generateNodeTypeFile({ ...type, properties }) : '';
    expect(patterns).toHaveLength(2);
    for (const { content } of patterns)
      expect(code).toContain(/<pattern title="[^"]+">/.exec(content)?.[0] ?? 'no pattern');
  });

  it('offers an agent the action node as a tool, and not the sync', () => {
    const tool = (name: string) => types.find((type) => type.name === `n8n-nodes-newsletter-kit.${name}Tool`);
    expect(tool('newsletter')).toMatchObject({
      description: expect.stringContaining('Find, create and update'),
      codex: { alias: expect.arrayContaining(['beehiiv']) },
    });
    expect(tool('newsletter')?.hidden).toBeUndefined();
    expect(tool('newsletterSync')?.hidden).toBe(true);
  });
});
