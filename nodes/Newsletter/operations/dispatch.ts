/** Runs the selected operation for the input items, and links each record to its input item. */
import type { Engine } from '@newsletter-kit/core/engine';
import { addressKey } from '@newsletter-kit/core/signup';
import { type IDataObject, type IExecuteFunctions, type INodeExecutionData, NodeOperationError } from 'n8n-workflow';
import { showHint } from '../execution.ts';
import { publicationOf } from '../parameters/connection.ts';
import { readParameter } from '../parameters/read.ts';
import { present, readOutputForm } from '../records.ts';
import { openEngine } from '../transport/engine.ts';
import { mayPass, type NodeFailure, toNodeFailure } from '../transport/failure.ts';
import { forEachGroup, groupBy } from './concurrency.ts';
import type {
  BatchOperation,
  EarlierTries,
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
      : await runItems(node, operation, indexes, open);

  for (const notice of notices) showHint(node, notice);
  return toOutput(node, failuresOf(node, outcomes, failureConverter(node, operation, resources)), {
    remembers: 'execute' in operation || operation.independent === true,
  });
}

/** The outcome of an item as n8n takes it. */
type Outcome = { readonly itemIndex: number } & ({ readonly json: IDataObject } | { readonly failure: NodeFailure });

/** Converts the errors of items. @throws the first one, unless the node is set to continue on fail */
function failuresOf(
  node: IExecuteFunctions,
  outcomes: readonly ItemOutcome[],
  toFailure: (outcome: FailedItem) => NodeFailure,
): readonly Outcome[] {
  return outcomes.map((outcome): Outcome => {
    if (!('error' in outcome)) return outcome;
    const failure = toFailure(outcome);
    if (!node.continueOnFail()) throw failure;
    addRemedy(failure);
    return { itemIndex: outcome.itemIndex, failure };
  });
}

/**
 * Converts the outcomes to items. With *Retry On Fail*, n8n runs the whole node again where the first item has an
 * `error` in its `json`: where every item failed, and where one failed for a reason that may pass, which then comes
 * first.
 *
 * @param remembers - whether another try leaves out the items that have succeeded
 */
function toOutput(
  node: IExecuteFunctions,
  outcomes: readonly Outcome[],
  { remembers }: { readonly remembers: boolean },
): INodeExecutionData[] {
  const hasErrorOutput = node.getNode().onError === 'continueErrorOutput';
  const again = remembers && triesAgain(node) ? outcomes.find((one) => 'failure' in one && mayPass(one.failure)) : null;
  const rank = (one: Outcome): number => (one === again ? -1 : Number(hasErrorOutput && 'failure' in one));
  const mayRunAgain = again || outcomes.every((one) => 'failure' in one);
  // n8n distributes the items to the two outputs in this order.
  return outcomes
    .toSorted((a, b) => rank(a) - rank(b))
    .map((outcome): INodeExecutionData => {
      const pairedItem = { item: outcome.itemIndex };
      if (!('failure' in outcome)) return { json: outcome.json, pairedItem };
      const { failure: error } = outcome;
      const json = { error: error.message };
      // n8n adds the input of the item at the error output, unless the item carries the error itself; at the regular
      // output it puts the message of the error into the item.
      return hasErrorOutput ? { json, pairedItem } : { json: mayRunAgain ? json : {}, error, pairedItem };
    });
}

/** Whether n8n tries again where this try fails: it takes two to five, and three without a choice. */
function triesAgain(node: IExecuteFunctions): boolean {
  const { retryOnFail, maxTries } = node.getNode();
  const earlier = earlierTriesOf(node, 0);
  earlier.tries = (earlier.tries ?? 0) + 1;
  return retryOnFail === true && earlier.tries < Math.min(5, Math.max(2, maxTries || 3));
}

type FailedItem = Extract<ItemOutcome, { readonly error: unknown }>;

/** Converts the errors of items, with the labels of the operation's own parameters before those of others. */
function failureConverter(
  node: IExecuteFunctions,
  operation: OperationDefinition,
  resources: Readonly<Record<string, ResourceDefinition>>,
): (outcome: FailedItem) => NodeFailure {
  const record = 'recordParameter' in operation ? operation.recordParameter : undefined;
  // The API has two names for what the parameter of a subscription names.
  const named = record ? ['email', 'subscription_id'].map((name) => ({ ...record, name })) : [];
  const parameters = [...named, ...operation.properties];
  const others = Object.values(resources).flatMap(({ operations }) =>
    Object.values(operations).flatMap(({ properties }) => properties),
  );
  return ({ itemIndex, error }) => toNodeFailure(node.getNode(), error, { itemIndex, parameters, others });
}

/** Adds the remedy to the message of a failed item: n8n does not pass on the description. Items may share an error. */
function addRemedy(error: NodeFailure): void {
  const { message, description } = error;
  if (description && !message.endsWith(description)) error.message = `${message.replace(/\.$/, '')}. ${description}`;
}

/** Runs an operation item by item; without `continueOnFail`, starts no item after the first failure. */
async function runItems(
  node: IExecuteFunctions,
  operation: ItemOperation,
  indexes: readonly number[],
  open: OpenContext,
): Promise<readonly ItemOutcome[]> {
  const outcomes = new Map<number, readonly ItemOutcome[]>();
  const records = recordsOf(node, operation);
  /** Groups of which an item has succeeded. */
  const succeeded = new Set<readonly number[]>();
  await forEachGroup(groupsOf(operation, records), async (itemIndex, group) => {
    try {
      const { evaluated } = records[itemIndex] ?? {};
      const context = { ...(await open(itemIndex)), ...(evaluated && { evaluated }) };
      // An item before this one may have created the record.
      if (succeeded.has(group)) delete context.earlier.before;
      const { records: read, notices } = (context.earlier.done ??= await runItem(operation, context));
      for (const notice of notices) context.notice(notice);
      outcomes.set(
        itemIndex,
        read.map((json) => ({ itemIndex, json })),
      );
      succeeded.add(group);
      return true;
    } catch (error) {
      outcomes.set(itemIndex, [{ itemIndex, error }]);
      return node.continueOnFail();
    }
  });
  return indexes.flatMap((itemIndex) => outcomes.get(itemIndex) ?? []);
}

/** Runs the operation for one item. */
async function runItem(
  operation: ItemOperation,
  context: OperationContext,
): Promise<NonNullable<EarlierTries['done']>> {
  const { record: shape } = operation;
  const form = shape && readOutputForm(context, shape);
  const notices: string[] = [];
  const notice = (message: string): void => {
    notices.push(message);
    context.notice(message);
  };
  const records = await operation.execute({ ...context, notice });
  return { records: form ? records.map((record) => present(record, shape, form)) : records, notices };
}

/** By item: n8n passes the same objects to each try of a run, and new ones to every other run. */
const earlierTries = new WeakMap<INodeExecutionData, EarlierTries>();

function earlierTriesOf(node: IExecuteFunctions, itemIndex: number): EarlierTries {
  const item = node.getInputData()[itemIndex];
  const earlier = (item && earlierTries.get(item)) ?? {};
  if (item) earlierTries.set(item, earlier);
  return earlier;
}

/** The record that an item names, and the evaluated parameter; neither where it cannot be read. */
interface NamedRecord {
  readonly evaluated?: ReadonlyMap<string, unknown>;
  readonly name?: string;
}

/** The records of all items, each parameter evaluated once. */
function recordsOf(node: IExecuteFunctions, { recordParameter }: ItemOperation): readonly NamedRecord[] {
  return node.getInputData().map((_, itemIndex) => {
    if (recordParameter === undefined) return {};
    const { name, default: preset } = recordParameter;
    try {
      const evaluated = new Map<string, unknown>([[name, node.getNodeParameter(name, itemIndex, preset)]]);
      return { evaluated, name: String(readParameter({ node, itemIndex, evaluated }, recordParameter)) };
    } catch {
      return {}; // The operation reads the parameter again, and reports what is wrong.
    }
  });
}

/**
 * Groups the items by the record that they name: the last item of a record wins. Where some name people by address and
 * others by ID, all are one group, because two of them may be about the same person.
 */
function groupsOf({ recordParameter }: ItemOperation, records: readonly NamedRecord[]): readonly (readonly number[])[] {
  const indexes = [...records.keys()];
  const isMixed =
    records.some(({ name }) => name?.includes('@')) && records.some(({ name }) => /^sub_[^@]*$/i.test(name ?? ''));
  if (recordParameter === undefined || isMixed) return [indexes];
  return groupBy(indexes, (itemIndex) => addressKey(records[itemIndex]?.name ?? String(itemIndex)));
}

/** Runs a batch operation; the outcomes are in the order of the items. */
async function runBatch(
  operation: BatchOperation,
  indexes: readonly number[],
  open: OpenContext,
  continueOnFail: boolean,
): Promise<readonly ItemOutcome[]> {
  const outcomes: ItemOutcome[] = [];
  const contexts = new Map<number, OperationContext>();
  for (const itemIndex of indexes) {
    try {
      const context = await open(itemIndex);
      const [json] = (operation.independent && context.earlier.done?.records) || [];
      if (json) outcomes.push({ itemIndex, json });
      else contexts.set(itemIndex, context);
    } catch (error) {
      outcomes.push({ itemIndex, error });
    }
  }
  if (outcomes.some((outcome) => 'error' in outcome) && !continueOnFail) return outcomes;
  for (const outcome of await operation.executeAll([...contexts.values()], continueOnFail)) {
    const context = contexts.get(outcome.itemIndex);
    if (context && 'json' in outcome) context.earlier.done = { records: [outcome.json], notices: [] };
    outcomes.push(outcome);
  }
  return outcomes.toSorted((a, b) => a.itemIndex - b.itemIndex);
}

/**
 * Creates contexts with one engine per publication, so that all items share its rate limits.
 *
 * @param workspace - whether the operation takes no publication: n8n refuses to read a hidden locator
 */
function contextFactory(node: IExecuteFunctions, notices: Set<string>, workspace: boolean): OpenContext {
  const engines = new Map<string, Promise<Engine>>();
  return async (itemIndex) => {
    const publicationId = workspace ? '' : publicationOf({ node, itemIndex });
    const engine = engines.get(publicationId) ?? openEngine(node, publicationId).then(({ engine: opened }) => opened);
    engines.set(publicationId, engine);
    return {
      node,
      itemIndex,
      engine: await engine,
      call: { signal: node.getExecutionCancelSignal() },
      earlier: earlierTriesOf(node, itemIndex),
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
