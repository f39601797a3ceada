import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether an AI agent runs the node as a tool. Older versions of n8n only show it by a node type that ends in Tool. */
export function usedByAgent(node: IExecuteFunctions): boolean {
  const asked: Partial<Pick<typeof node, 'isToolExecution'>> = node;
  return asked.isToolExecution?.() === true || node.getNode().type.endsWith('Tool');
}
