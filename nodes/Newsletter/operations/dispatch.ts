/** Runs the chosen operation for each input item, and keeps every record tied to the item it came from. */
import type { Engine } from '@newsletter-kit/core/engine';
import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';
import { openEngine } from '../transport/engine.ts';
import { toNodeFailure } from '../transport/failure.ts';
import type { OperationDefinition, ResourceDefinition } from './definition.ts';

/** @throws NodeApiError or NodeOperationError, unless the node is set to continue on fail */
export async function dispatch(
  node: IExecuteFunctions,
  resources: Readonly<Record<string, ResourceDefinition>>,
): Promise<INodeExecutionData[]> {
  const operation = chosen(node, resources);
  const engines = new Map<string, Promise<Engine>>();
  const notices = new Set<string>();
  const output: INodeExecutionData[] = [];

  for (const itemIndex of node.getInputData().keys()) {
    try {
      const publicationId = String(node.getNodeParameter('publicationId', itemIndex, '', { extractValue: true }));
      // One engine a publication, so that what it learns of the service's limits serves all items.
      const engine = engines.get(publicationId) ?? openEngine(node, publicationId).then(({ engine: opened }) => opened);
      engines.set(publicationId, engine);
      const records = await operation.execute({
        node,
        itemIndex,
        engine: await engine,
        notice: (message) => notices.add(message),
      });
      for (const json of records) output.push({ json, pairedItem: { item: itemIndex } });
    } catch (error) {
      const failure = toNodeFailure(node.getNode(), error, itemIndex);
      if (!node.continueOnFail()) throw failure;
      output.push({ json: { error: failure.message }, error: failure, pairedItem: { item: itemIndex } });
    }
  }
  showNotices(node, notices);
  return output;
}

function chosen(node: IExecuteFunctions, resources: Readonly<Record<string, ResourceDefinition>>): OperationDefinition {
  const resource = String(node.getNodeParameter('resource', 0));
  const operation = String(node.getNodeParameter('operation', 0));
  const found = resources[resource]?.operations[operation];
  if (found !== undefined) return found;
  throw new NodeOperationError(node.getNode(), `This version of the node has no operation "${operation}" for "${resource}"`, {
    description: 'Choose a Resource and an Operation from the lists, or update the package.',
  });
}

/** Older versions of n8n have no hints. */
function showNotices(node: Partial<Pick<IExecuteFunctions, 'addExecutionHints'>>, notices: ReadonlySet<string>): void {
  for (const message of notices) node.addExecutionHints?.({ message, type: 'warning', location: 'outputPane' });
}
