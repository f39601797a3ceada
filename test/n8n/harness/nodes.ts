/** Nodes for the workflows of tests. */
import { packageName } from '../../../scripts/n8n/pack.ts';
import type { DynamicRequest, NodeDraft } from './rest.ts';

export const newsletterType = `${packageName}.newsletter`;
export const triggerType = `${packageName}.newsletterTrigger`;
export const syncType = `${packageName}.newsletterSync`;

/** The trigger of a manually run workflow. */
export const start: NodeDraft = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

/**
 * Nodes that return one item per row.
 *
 * @param rows - the rows, or an expression that returns them
 */
export function items(rows: readonly unknown[] | string): readonly NodeDraft[] {
  const jsonOutput = typeof rows === 'string' ? `={{ ({ rows: ${rows} }) }}` : JSON.stringify({ rows });
  return [
    {
      name: 'Rows',
      type: 'n8n-nodes-base.set',
      typeVersion: 3.4,
      parameters: { mode: 'raw', jsonOutput, options: {} },
    },
    { name: 'One row an item', type: 'n8n-nodes-base.splitOut', parameters: { fieldToSplitOut: 'rows', options: {} } },
  ];
}

/** The value of a resource locator. */
export function chosen(value: string, mode = 'list'): Readonly<Record<string, unknown>> {
  return { __rl: true, mode, value };
}

/**
 * What the editor sends to read a list, or the fields of the resource mapper.
 *
 * @param methodName - the method of the node
 * @param parameters - those that are set when the list is opened
 */
export function editorRequest(
  methodName: string,
  credentials: DynamicRequest['credentials'],
  parameters: Readonly<Record<string, unknown>> = {},
): DynamicRequest {
  return {
    path: 'parameters.of-a-test',
    methodName,
    nodeTypeAndVersion: { name: newsletterType, version: 1 },
    currentNodeParameters: { authentication: 'apiKey', publicationId: chosen('', 'id'), ...parameters },
    credentials,
  };
}
