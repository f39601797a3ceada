/** Functions of an execution that older versions of n8n lack. */
import type { IExecuteFunctions } from 'n8n-workflow';

/** Shows a warning above the output of the node. Older versions of n8n cannot show any. */
export function showHint(node: Partial<Pick<IExecuteFunctions, 'addExecutionHints'>>, message: string): void {
  node.addExecutionHints?.({ message, type: 'warning', location: 'outputPane' });
}

/** Whether an AI agent runs the node as a tool. In older versions of n8n only the node type tells: it ends in Tool. */
export function usedByAgent(node: IExecuteFunctions): boolean {
  const context: Partial<Pick<typeof node, 'isToolExecution'>> = node;
  return context.isToolExecution?.() === true || node.getNode().type.endsWith('Tool');
}
