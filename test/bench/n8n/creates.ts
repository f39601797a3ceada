/**
 * Two thousand subscriptions created by the Newsletter node (Create or Update) and by the HTTP Request node of n8n with
 * the same credential. In turns, so that whatever else the machine does meets both; addresses are new each time.
 */
import { items, newsletterType, start } from '../../n8n/harness/nodes.ts';
import type { NodeDraft } from '../../n8n/harness/rest.ts';
import { median, reportFigures } from '../figure.ts';
import { withN8n } from './started.ts';

const count = 2_000;
const rounds = 5;
const publicationId = 'pub_00000000-0000-4000-8000-000000000001';

await withN8n(async ({ n8n, sandbox: startSandbox, credentials: credentialsFor }) => {
  const sandbox = await startSandbox();
  const credentials = await credentialsFor(sandbox);
  const ways: Readonly<Record<'ours' | 'http', NodeDraft>> = {
    ours: {
      name: 'Measured',
      type: newsletterType,
      parameters: { resource: 'subscription', operation: 'createOrUpdate', email: '={{ $json.email }}' },
      credentials,
    },
    http: {
      name: 'Measured',
      type: 'n8n-nodes-base.httpRequest',
      typeVersion: 4.2,
      parameters: {
        method: 'POST',
        url: `${sandbox.baseUrl}/publications/${publicationId}/subscriptions`,
        authentication: 'predefinedCredentialType',
        nodeCredentialType: 'newsletterApi',
        sendBody: true,
        specifyBody: 'json',
        jsonBody: '={{ JSON.stringify({ email: $json.email }) }}',
        options: {},
      },
      credentials,
    },
  };

  /** Milliseconds that the node worked. */
  const measure = async (node: NodeDraft, prefix: string, length = count): Promise<number> => {
    const rows = `Array.from({ length: ${length} }, (_, index) => ({ email: '${prefix}.' + index + '@example.com' }))`;
    const before = await total();
    const run = await n8n.run(await n8n.createWorkflow([start, ...items(rows), node]), start.name, 300_000);
    if (run.status !== 'success') throw new Error(`The execution ended with ${run.status}: ${run.error?.message}`);
    if ((await total()) - before !== length || run.output(node.name).length !== length)
      throw new Error('Not every subscription was created.');
    return run.took(node.name);
  };
  const total = async (): Promise<number> =>
    (await sandbox.control<{ total: number }>('GET', '/subscriptions?limit=1')).total;

  for (const [name, node] of Object.entries(ways)) await measure(node, `warm.${name}`, 200);
  const took: Record<keyof typeof ways, number[]> = { ours: [], http: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of ['http', 'ours'] as const) took[name].push(await measure(ways[name], `${name}.${round}`));
  }
  const ratio = median(took.ours.map((milliseconds, round) => milliseconds / (took.http[round] ?? Number.NaN)));
  reportFigures({
    creates: {
      value: ratio,
      detail: `medians of ${rounds} rounds of ${count}: HTTP Request ${Math.round(median(took.http))} ms, Newsletter ${Math.round(median(took.ours))} ms`,
    },
  });
});
