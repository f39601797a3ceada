/** Functions of an execution that n8n lacks, or some version of it. */
import { isRecord } from '@newsletter-kit/core/engine';
import type { IDataObject, IExecuteFunctions, NodeHintGroup } from 'n8n-workflow';

/**
 * Shows a warning above the output of the node. Older versions of n8n cannot show any.
 *
 * @param group - collapses warnings of one kind into one line; older versions show each of them
 */
export function showHint(
  node: Partial<Pick<IExecuteFunctions, 'addExecutionHints'>>,
  message: string,
  group?: NodeHintGroup,
): void {
  node.addExecutionHints?.({ message, type: 'warning', location: 'outputPane', ...(group && { group }) });
}

/** Whether an AI agent fills in one of these parameters. @param parameters - as stored, with their expressions */
export function filledInByAgent(parameters: unknown): boolean {
  return /\$fromai\b/i.test(JSON.stringify(parameters) ?? '');
}

/** Whether an AI agent runs the node as a tool. In older versions of n8n only the node type tells: it ends in Tool. */
export function usedByAgent(node: IExecuteFunctions): boolean {
  const context: Partial<Pick<typeof node, 'isToolExecution'>> = node;
  return context.isToolExecution?.() === true || node.getNode().type.endsWith('Tool');
}

/** A record stored as one text, since n8n observes every object in static data; null where it is damaged. */
export function storedRecord(text: unknown): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(String(text));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Writes into static data of n8n. @returns whether it is there: a frozen object throws, or ignores the value */
export function keeps(staticData: IDataObject, key: string, value: IDataObject | string): boolean {
  try {
    return Reflect.set(staticData, key, value);
  } catch {
    return false;
  }
}
