import type { IExecuteFunctions } from 'n8n-workflow';

/** n8n runs a tool under a node type of its own, whose name ends in Tool; newer versions say so themselves. */
export function usedByAgent(node: IExecuteFunctions): boolean {
  const asked: Partial<Pick<typeof node, 'isToolExecution'>> = node;
  return asked.isToolExecution?.() === true || node.getNode().type.endsWith('Tool');
}
