/** Runs the chosen operation for the input items, and keeps every record tied to the item it came from. */
import type { Engine } from '@newsletter-kit/core/engine';
import { type IExecuteFunctions, type INodeExecutionData, NodeOperationError } from 'n8n-workflow';
import { publicationOf } from '../parameters/publication.ts';
import { readForm } from '../records/output.ts';
import { present } from '../records/present.ts';
import { openEngine } from '../transport/engine.ts';
import { type NodeFailure, toNodeFailure } from '../transport/failure.ts';
import { toLines, workInLines } from './concurrency.ts';
import type {
  BatchOperation,
  ItemOperation,
  ItemOutcome,
  OperationContext,
  OperationDefinition,
  ResourceDefinition,
} from './definition.ts';

/** Opens what an operation works with for the item of this index. */
type Open = (itemIndex: number) => Promise<OperationContext>;

/** @throws NodeApiError or NodeOperationError, unless the node is set to continue on fail */
export async function dispatch(
  node: IExecuteFunctions,
  resources: Readonly<Record<string, ResourceDefinition>>,
): Promise<INodeExecutionData[]> {
  const { operation, workspace } = chosen(node, resources);
  const goOn = node.continueOnFail();
  const notices = new Set<string>();
  const open = opener(node, notices, workspace);
  const indexes = [...node.getInputData().keys()];
  const outcomes =
    'executeAll' in operation
      ? await together(operation, indexes, open, goOn)
      : await itemByItem(node, operation, indexes, open, goOn);

  const output = outcomes.map((outcome): INodeExecutionData => {
    const pairedItem = { item: outcome.itemIndex };
    if ('json' in outcome) return { json: outcome.json, pairedItem };
    const error = toNodeFailure(node.getNode(), outcome.error, {
      itemIndex: outcome.itemIndex,
      parameters: operation.properties,
    });
    if (!goOn) throw error;
    // At the error output n8n puts what came in beside the message, but takes it away again where the item bears an
    // error itself.
    return {
      json: { error: isVersion1(node) ? error.message : withRemedy(error) },
      ...(node.getNode().onError !== 'continueErrorOutput' && { error }),
      pairedItem,
    };
  });
  showNotices(node, notices);
  return output;
}

/** The message of a failed item. n8n passes on no description beside it, so the remedy stands in the same text. */
function withRemedy({ message, description }: NodeFailure): string {
  return description ? `${message.replace(/\.$/, '')}. ${description}` : message;
}

/** Starts no other item after the first failure, unless it is to go on. The outcomes are in the order of the items. */
async function itemByItem(
  node: IExecuteFunctions,
  operation: ItemOperation,
  indexes: readonly number[],
  open: Open,
  goOn: boolean,
): Promise<readonly ItemOutcome[]> {
  const outcomes = new Map<number, readonly ItemOutcome[]>();
  const subjects = subjectsOf(node, operation, indexes);
  const lines =
    operation.about === undefined
      ? [indexes]
      : toLines(indexes, (itemIndex) => keyOf(subjects.get(itemIndex), itemIndex));
  await workInLines(lines, async (itemIndex) => {
    try {
      const known = subjects.get(itemIndex);
      const context = { ...(await open(itemIndex)), ...(known && { known }) };
      const { record: shape } = operation;
      const form = shape && readForm(context, shape);
      const records = await operation.execute(context);
      outcomes.set(
        itemIndex,
        records.map((record) => ({ itemIndex, json: form ? present(record, shape, form) : record })),
      );
      return true;
    } catch (error) {
      outcomes.set(itemIndex, [{ itemIndex, error }]);
      return goOn;
    }
  });
  return indexes.flatMap((itemIndex) => outcomes.get(itemIndex) ?? []);
}

type Subject = ReadonlyMap<string, unknown>;

/** The parameter that says what an item is about, under its name, by the index of the item. */
function subjectsOf(
  node: IExecuteFunctions,
  { about }: ItemOperation,
  indexes: readonly number[],
): ReadonlyMap<number, Subject> {
  const subjects = new Map<number, Subject>();
  if (about === undefined) return subjects;
  for (const itemIndex of indexes) {
    try {
      subjects.set(itemIndex, new Map([[about.name, node.getNodeParameter(about.name, itemIndex, about.default)]]));
    } catch {
      // An expression that fails: the operation evaluates it again, and says so.
    }
  }
  return subjects;
}

/** The same for items about the same record; of an item that says nothing, its own. */
function keyOf(subject: Subject | undefined, itemIndex: number): string {
  return subject === undefined ? String(itemIndex) : JSON.stringify([...subject]).toLowerCase();
}

/** In the order of the items, whatever the order they were worked on. */
async function together(
  operation: BatchOperation,
  indexes: readonly number[],
  open: Open,
  goOn: boolean,
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
  if (failed.length > 0 && !goOn) return failed;
  return [...failed, ...(await operation.executeAll(contexts, goOn))].toSorted((a, b) => a.itemIndex - b.itemIndex);
}

/**
 * One engine a publication, so that what it learns of the service's limits serves all items.
 *
 * @param workspace - whether no publication is named: n8n refuses to read a locator that is not shown
 */
function opener(node: IExecuteFunctions, notices: Set<string>, workspace: boolean): Open {
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

function chosen(
  node: IExecuteFunctions,
  resources: Readonly<Record<string, ResourceDefinition>>,
): { operation: OperationDefinition; workspace: boolean } {
  const resource = String(node.getNodeParameter('resource', 0));
  const name = String(node.getNodeParameter('operation', 0));
  const newest = resources[resource]?.operations[name];
  if (newest !== undefined) {
    const { name: title, description, action, version1 } = newest;
    const operation = isVersion1(node) && version1 ? { name: title, description, action, ...version1 } : newest;
    return { operation, workspace: resources[resource]?.workspace === true };
  }
  throw new NodeOperationError(
    node.getNode(),
    `This version of the node has no operation "${name}" for "${resource}"`,
    {
      description: 'Choose a Resource and an Operation from the lists, or update the package.',
    },
  );
}

function isVersion1(node: IExecuteFunctions): boolean {
  return node.getNode().typeVersion === 1;
}

/** Older versions of n8n have no hints. */
function showNotices(node: Partial<Pick<IExecuteFunctions, 'addExecutionHints'>>, notices: ReadonlySet<string>): void {
  for (const message of notices) node.addExecutionHints?.({ message, type: 'warning', location: 'outputPane' });
}
