/** Runs the selected operation for the input items, and links each record to its input item. */
import type { Engine } from '@newsletter-kit/core/engine';
import { addressKey } from '@newsletter-kit/core/signup';
import { type IExecuteFunctions, type INodeExecutionData, NodeOperationError } from 'n8n-workflow';
import { showHint } from '../execution.ts';
import { publicationOf } from '../parameters/connection.ts';
import { present, readOutputForm } from '../records.ts';
import { openEngine } from '../transport/engine.ts';
import { type NodeFailure, toNodeFailure } from '../transport/failure.ts';
import { forEachGroup, groupBy } from './concurrency.ts';
import type {
  BatchOperation,
  ItemOperation,
  ItemOutcome,
  OperationContext,
  OperationDefinition,
  ResourceDefinition,
} from './definition.ts';

/** Creates the context of the item at this index. */
type OpenContext = (itemIndex: number) => Promise<OperationContext>;

/** @throws NodeApiError or NodeOperationError, unless the node is set to continue on fail */
export async function dispatch(
  node: IExecuteFunctions,
  resources: Readonly<Record<string, ResourceDefinition>>,
): Promise<INodeExecutionData[]> {
  const { operation, workspace } = selectedOperation(node, resources);
  const continueOnFail = node.continueOnFail();
  const notices = new Set<string>();
  const open = contextFactory(node, notices, workspace);
  const indexes = [...node.getInputData().keys()];
  const outcomes =
    'executeAll' in operation
      ? await runBatch(operation, indexes, open, continueOnFail)
      : await runItems(node, operation, indexes, open, continueOnFail);

  const output = outcomes.map((outcome): INodeExecutionData => {
    const pairedItem = { item: outcome.itemIndex };
    if ('json' in outcome) return { json: outcome.json, pairedItem };
    const error = toNodeFailure(node.getNode(), outcome.error, {
      itemIndex: outcome.itemIndex,
      parameters: operation.properties,
    });
    if (!continueOnFail) throw error;
    // At the error output n8n adds the input of the item to the message, unless the item carries the error itself.
    return {
      json: { error: withRemedy(error) },
      ...(node.getNode().onError !== 'continueErrorOutput' && { error }),
      pairedItem,
    };
  });
  for (const notice of notices) showHint(node, notice);
  return output;
}

/** The message of a failed item with its remedy: n8n does not pass on the description of an error. */
function withRemedy({ message, description }: NodeFailure): string {
  return description ? `${message.replace(/\.$/, '')}. ${description}` : message;
}

/** Runs an operation item by item; without `continueOnFail`, starts no item after the first failure. */
async function runItems(
  node: IExecuteFunctions,
  operation: ItemOperation,
  indexes: readonly number[],
  open: OpenContext,
  continueOnFail: boolean,
): Promise<readonly ItemOutcome[]> {
  const outcomes = new Map<number, readonly ItemOutcome[]>();
  const evaluated = evaluateRecords(node, operation, indexes);
  const groups =
    operation.recordParameter === undefined
      ? [indexes]
      : groupBy(indexes, (itemIndex) => keyOf(evaluated.get(itemIndex), itemIndex));
  await forEachGroup(groups, async (itemIndex) => {
    try {
      const values = evaluated.get(itemIndex);
      const context = { ...(await open(itemIndex)), ...(values && { evaluated: values }) };
      const { record: shape } = operation;
      const form = shape && readOutputForm(context, shape);
      const records = await operation.execute(context);
      outcomes.set(
        itemIndex,
        records.map((record) => ({ itemIndex, json: form ? present(record, shape, form) : record })),
      );
      return true;
    } catch (error) {
      outcomes.set(itemIndex, [{ itemIndex, error }]);
      return continueOnFail;
    }
  });
  return indexes.flatMap((itemIndex) => outcomes.get(itemIndex) ?? []);
}

type EvaluatedValues = ReadonlyMap<string, unknown>;

/** The value of the operation's record parameter for each item, under the name of the parameter. */
function evaluateRecords(
  node: IExecuteFunctions,
  { recordParameter }: ItemOperation,
  indexes: readonly number[],
): ReadonlyMap<number, EvaluatedValues> {
  const evaluated = new Map<number, EvaluatedValues>();
  if (recordParameter === undefined) return evaluated;
  for (const itemIndex of indexes) {
    try {
      evaluated.set(
        itemIndex,
        new Map([
          [recordParameter.name, node.getNodeParameter(recordParameter.name, itemIndex, recordParameter.default)],
        ]),
      );
    } catch {
      // The operation evaluates a failing expression again, and reports it.
    }
  }
  return evaluated;
}

/** The group of an item: equal for items of the same record, in every spelling of an address. */
function keyOf(values: EvaluatedValues | undefined, itemIndex: number): string {
  const unified = (_name: string, value: unknown): unknown => (typeof value === 'string' ? addressKey(value) : value);
  return values === undefined ? String(itemIndex) : JSON.stringify([...values], unified);
}

/** Runs a batch operation; the outcomes are in the order of the items. */
async function runBatch(
  operation: BatchOperation,
  indexes: readonly number[],
  open: OpenContext,
  continueOnFail: boolean,
): Promise<readonly ItemOutcome[]> {
  const failed: ItemOutcome[] = [];
  const contexts: OperationContext[] = [];
  for (const itemIndex of indexes) {
    try {
      contexts.push(await open(itemIndex));
    } catch (error) {
      failed.push({ itemIndex, error });
    }
  }
  if (failed.length > 0 && !continueOnFail) return failed;
  return [...failed, ...(await operation.executeAll(contexts, continueOnFail))].toSorted(
    (a, b) => a.itemIndex - b.itemIndex,
  );
}

/**
 * Creates contexts with one engine per publication, so that all items share its rate limits.
 *
 * @param workspace - whether the operation takes no publication: n8n refuses to read a hidden locator
 */
function contextFactory(node: IExecuteFunctions, notices: Set<string>, workspace: boolean): OpenContext {
  const engines = new Map<string, Promise<Engine>>();
  return async (itemIndex) => {
    const publicationId = workspace ? '' : publicationOf(node, itemIndex);
    const engine = engines.get(publicationId) ?? openEngine(node, publicationId).then(({ engine: opened }) => opened);
    engines.set(publicationId, engine);
    return {
      node,
      itemIndex,
      engine: await engine,
      call: { signal: node.getExecutionCancelSignal() },
      notice: (message) => void notices.add(message),
    };
  };
}

function selectedOperation(
  node: IExecuteFunctions,
  resources: Readonly<Record<string, ResourceDefinition>>,
): { operation: OperationDefinition; workspace: boolean } {
  const resource = String(node.getNodeParameter('resource', 0));
  const name = String(node.getNodeParameter('operation', 0));
  const operation = resources[resource]?.operations[name];
  if (operation !== undefined) return { operation, workspace: resources[resource]?.workspace === true };
  throw new NodeOperationError(
    node.getNode(),
    `This version of the node has no operation "${name}" for "${resource}"`,
    {
      description: 'Choose a Resource and an Operation from the lists, or update the package.',
    },
  );
}
