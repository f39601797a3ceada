/** Every operation of the action node, executed in n8n and checked in the sandbox. */
import { describe, expect } from 'vitest';
import { newsletterType } from './harness/nodes.ts';
import type { NodeParameter, NodeType } from './harness/rest.ts';
import { n8n, test, underTest } from './harness/test.ts';
import { executions } from './operations/index.ts';

/** Each operation with its resource, as n8n offers them, except n8n's own "Custom API Call". */
function offered({ properties }: NodeType): readonly string[] {
  return properties
    .filter(({ name }) => name === 'operation')
    .flatMap(({ options, displayOptions }: NodeParameter) =>
      (displayOptions?.show?.['resource'] ?? []).flatMap((resource) =>
        (options ?? []).map(({ value }) => `${String(resource)}: ${String(value)}`),
      ),
    )
    .filter((name) => !name.includes('__CUSTOM_API_CALL__'))
    .toSorted();
}

const table = Object.entries(executions).flatMap(([resource, operations]) =>
  Object.entries(operations).map(([operation, execution]) => ({
    name: `${resource}: ${operation}`,
    resource,
    operation,
    execution,
  })),
);

describe('every operation', () => {
  test('of the node has an execution below', async () => {
    expect(table.map(({ name }) => name).toSorted()).toEqual(offered(await n8n.nodeType(newsletterType)));
  });

  test.for(table)('runs in n8n: $name', async ({ resource, operation, execution }, { sandboxOnPort, api, runNode }) => {
    const world = { api, sandbox: sandboxOnPort };
    const parameters = { resource, operation, ...(await execution.parameters(world)) };
    const items = await execution.items?.(world);
    const run = await runNode({ parameters, ...(items && { items }) });
    expect(run.error).toBeUndefined();
    expect(run.status).toBe('success');
    await execution.seen(world, run.output(underTest));
  });
});
