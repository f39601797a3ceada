/**
 * Subscription: Bulk Import. Every input item is one subscription; core's importer sends them in calls of up to a
 * thousand. Records the outcome of each item.
 */
import {
  type ImportProgress,
  type ImportResult,
  importSubscriptions,
  type SourceRow,
} from '@newsletter-kit/core/import';
import { type IDataObject, type INodeProperties, type Logger, NodeOperationError } from 'n8n-workflow';
import { collection } from '../../parameters/properties.ts';
import { readKinds } from '../../parameters/customFields.ts';
import { ParameterMismatch, readFields } from '../../parameters/read.ts';
import { type NodeFailure, toNodeFailure } from '../../transport/failure.ts';
import { groupBy } from '../concurrency.ts';
import type { BatchOperation, ItemOutcome, OperationContext } from '../definition.ts';
import { itemReader, mappingFields, type ReadItem } from './bulkImportRequest.ts';

const notice: INodeProperties = {
  displayName:
    'All input items go to the service together, up to 1000 in a request. The service processes them later and does not report the outcome of each: "accepted" means that the service received the item. An item with an invalid value, or with the address of an earlier item, is left out and returned with the reason; with On Error set to the error output, it is returned there.',
  name: 'asynchronous',
  type: 'notice',
  default: '',
};

const batchSize: INodeProperties = {
  displayName: 'Batch Size',
  name: 'batchSize',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 1000 },
  default: 1000,
  description: 'How many items go into one request. If a request fails, its items fail and the others continue.',
};

export const bulkImport: BatchOperation = {
  name: 'Bulk Import',
  description: 'Create or update many subscriptions, one for each input item, in requests of up to 1000',
  action: 'Import many subscriptions in bulk',
  properties: [notice, ...mappingFields, ...collection('options', 'Options', 'Add option', [batchSize])],
  async executeAll(items, continueOnFail) {
    const outcomes: ItemOutcome[] = [];
    // Duplicates and rate limits are per publication.
    for (const ofOne of groupBy(items, ({ engine }) => engine)) {
      for (const outcome of await importAll(ofOne)) outcomes.push(outcome);
    }
    const failed = outcomes.filter((outcome) => 'error' in outcome);
    const [first] = items;
    if (failed.length > 0 && !continueOnFail && first) throw importFailure(first, outcomes.length, failed);
    return outcomes;
  },
};

/** Sends every item, unless the service refuses all of them or stops answering. */
async function importAll(items: readonly OperationContext[]): Promise<readonly ItemOutcome[]> {
  const [first] = items;
  if (first === undefined) return [];
  const { node, engine, notice: show } = first;
  const { logger } = node;
  const outcomes = new Outcomes(items);
  const hasErrorOutput = node.getNode().onError === 'continueErrorOutput';
  const toFailure = convertOnce((error) => toNodeFailure(node.getNode(), error, { parameters: mappingFields }));
  const { batchSize: limit } = readFields(first, 'options', [batchSize]);
  const signal = node.getExecutionCancelSignal();

  const result = await importSubscriptions({
    engine,
    source: { rows: rows(items, outcomes, toFailure), total: items.length },
    ...(typeof limit === 'number' && { batchSize: Math.floor(limit) }),
    ...(signal && { signal }),
    onAccepted: ({ rows: of, importId }) => outcomes.accepted(of, importId),
    onFailed: ({ rows: of, error }) => outcomes.failed(of, toFailure(error)),
    onRejected: ({ row, kind, reason }) =>
      outcomes.rejected(row, kind === 'duplicate' ? 'duplicate' : 'rejected', reason),
    onProgress: progressLogger(logger),
  });
  outcomes.notTried(
    toFailure(result.error ?? new ParameterMismatch('The execution was stopped before the item was sent')),
  );
  logResult(result, logger);
  noticeSkipped(result, outcomes, hasErrorOutput, show);
  await noticeRenamed(first, outcomes);
  return outcomes.inOrder(hasErrorOutput);
}

/** Reads the items one by one, on demand of the importer, so that 20,000 items are not in memory twice. */
async function* rows(
  items: readonly OperationContext[],
  outcomes: Outcomes,
  toFailure: (error: unknown) => NodeFailure,
): AsyncGenerator<SourceRow> {
  const [first] = items;
  if (first === undefined) return;
  const read = itemReader(first);
  for (const [index, item] of items.entries()) {
    const row = index + 1;
    try {
      const parsed = await read(item);
      outcomes.read(row, parsed);
      yield { row, subscription: parsed.subscription };
    } catch (error) {
      if (error instanceof ParameterMismatch) yield { row, problem: error.message };
      else outcomes.failed([row], toFailure(error)); // such as an expression of this item
    }
  }
}

/** Converts an error once: all rows of a failed call share it. */
function convertOnce(convert: (error: unknown) => NodeFailure): (error: unknown) => NodeFailure {
  const converted = new Map<unknown, NodeFailure>();
  return (error) => {
    const known = converted.get(error) ?? convert(error);
    converted.set(error, known);
    return known;
  };
}

function progressLogger(logger: Logger): (progress: ImportProgress) => void {
  let reported = 0;
  return ({ accepted, rejected, duplicates, failed, total }) => {
    const settled = accepted + rejected + duplicates + failed;
    if (settled === reported) return;
    reported = settled;
    logger.info(
      `Newsletter: bulk import has processed ${settled} of ${total ?? settled} items; ${accepted} accepted, ${failed} failed`,
    );
  };
}

function logResult({ accepted, read, importIds }: ImportResult, logger: Logger): void {
  logger.info(
    `Newsletter: bulk import has ended; ${accepted} of ${read} items accepted in ${importIds.length} imports`,
  );
}

/** Shows notices about items, values and fields that were not imported. */
function noticeSkipped(
  { rejected, duplicates, read }: ImportResult,
  { dropped, unused }: Outcomes,
  hasErrorOutput: boolean,
  show: (message: string) => void,
): void {
  if (rejected + duplicates > 0) {
    const where = hasErrorOutput
      ? 'They are at the error output, with the reason in "error".'
      : 'See "status" and "reason" of each item.';
    show(
      `${rejected + duplicates} of ${read} items were not imported (${rejected} rejected, ${duplicates} with an address that an earlier item has). ${where}`,
    );
  }
  if (dropped.size > 0)
    show(
      `The publication has no custom field ${quoted(dropped, 'or')}; the values were left out. If a field was renamed, choose it again in Custom Fields. Custom Field: Create makes a new one.`,
    );
  if (unused.size > 0)
    show(
      `No field of a subscription and no custom field is named like the input fields ${quoted(unused, 'and')}; they were left out.`,
    );
}

/** Shows a notice where a custom field was renamed or deleted during the import: the service drops its values. */
async function noticeRenamed({ engine, call, notice: show }: OperationContext, { sent }: Outcomes): Promise<void> {
  if (sent.size === 0) return;
  // The items have their outcomes already: without an answer, there is nothing to add.
  const kinds = await readKinds(engine, call).catch(() => null);
  const gone = [...sent].filter((name) => kinds !== null && !kinds.has(name));
  if (gone.length > 0)
    show(
      `The custom field ${quoted(gone, 'and')} was renamed or deleted while the import ran; accepted items may lack its value. Import them again with its new name.`,
    );
}

/** The error of the node after all items were tried. */
function importFailure(first: OperationContext, count: number, failed: readonly ItemOutcome[]): NodeOperationError {
  const [one] = failed;
  const error = one && 'error' in one ? one.error : undefined;
  const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'unknown';
  return new NodeOperationError(
    first.node.getNode(),
    `${failed.length} of ${count} items were not imported: ${reason}`,
    {
      description:
        'The other items were processed. Running the node again sends all of them again, which only updates existing subscriptions. To get the outcome of each item instead of this message, set On Error in the Settings of this node to continue.',
    },
  );
}

/** An accepted call. */
interface AcceptedBatch {
  readonly importId: string | null;
  readonly firstRow: number;
}

type RowOutcome =
  | { readonly batch: AcceptedBatch }
  | { readonly status: 'rejected' | 'duplicate'; readonly reason: string }
  | { readonly error: NodeFailure };

/** The outcome of each item, with only the fields that the output needs. Rows are numbered from 1, as the items. */
class Outcomes {
  readonly #items: readonly OperationContext[];
  readonly #emails: (string | undefined)[] = [];
  readonly #outcomes: (RowOutcome | undefined)[] = [];
  readonly #batches: AcceptedBatch[] = [];
  #last: { readonly row: number } & Pick<ReadItem, 'nameOf'> = { row: 0, nameOf: (field) => field };
  readonly #droppedOf: (readonly string[] | undefined)[] = [];
  /** Custom fields of items that the publication does not have. */
  readonly dropped = new Set<string>();
  /** Input fields that match no field. */
  readonly unused = new Set<string>();
  /** Custom fields that items were sent with. */
  readonly sent = new Set<string>();

  constructor(items: readonly OperationContext[]) {
    this.#items = items;
  }

  read(row: number, parsed: ReadItem): void {
    const { subscription, dropped, unused } = parsed;
    this.#last = { row, nameOf: parsed.nameOf };
    if (typeof subscription.email === 'string') this.#emails[row] = subscription.email;
    if (dropped.length > 0) this.#droppedOf[row] = dropped;
    for (const name of dropped) this.dropped.add(name);
    for (const { name = '' } of subscription.custom_fields ?? []) this.sent.add(name);
    for (const name of unused) this.unused.add(name);
  }

  accepted(rows: readonly number[], importId: string | undefined): void {
    const batch = { importId: importId ?? null, firstRow: Math.min(...rows) };
    this.#batches.push(batch);
    this.#set(rows, { batch });
  }

  failed(rows: readonly number[], error: NodeFailure): void {
    this.#set(rows, { error });
  }

  /** The importer uses the API's names of fields, and checks a row before it reads the next one. */
  rejected(row: number, status: 'rejected' | 'duplicate', reason: string): void {
    const { row: last, nameOf } = this.#last;
    const named = row === last ? reason.replace(/^"(\w+)"/, (_, field: string) => `"${nameOf(field)}"`) : reason;
    this.#outcomes[row] = { status, reason: named };
  }

  /** Sets the error of all items without an outcome: they were never sent. */
  notTried(error: NodeFailure): void {
    for (let row = 1; row <= this.#items.length; row += 1) this.#outcomes[row] ??= { error };
  }

  /**
   * One an item, in the order of the items. Batches are numbered in that order too, whichever was answered first.
   *
   * @param hasErrorOutput - whether items that were left out go to the node's error output. n8n takes an item there
   *   that has `error` and nothing else, and adds the input of the item.
   */
  inOrder(hasErrorOutput: boolean): readonly ItemOutcome[] {
    const numbers = new Map(
      this.#batches.toSorted((a, b) => a.firstRow - b.firstRow).map((batch, index) => [batch, index + 1]),
    );
    return this.#items.flatMap(({ itemIndex }, index): ItemOutcome[] => {
      const outcome = this.#outcomes[index + 1];
      if (outcome === undefined) return [];
      if ('error' in outcome) return [{ itemIndex, error: outcome.error }];
      if ('status' in outcome && hasErrorOutput) return [{ itemIndex, json: { error: this.#reason(outcome) } }];
      return [{ itemIndex, json: this.#json(index + 1, outcome, numbers) }];
    });
  }

  #json(
    row: number,
    outcome: Exclude<RowOutcome, { readonly error: NodeFailure }>,
    numbers: ReadonlyMap<AcceptedBatch, number>,
  ): IDataObject {
    const email = this.#emails[row] ?? null;
    const dropped = this.#droppedOf[row];
    if ('batch' in outcome)
      return {
        email,
        status: 'accepted',
        import_id: outcome.batch.importId,
        batch: numbers.get(outcome.batch) ?? null,
        reason: dropped
          ? `The publication has no custom field ${quoted(dropped, 'or')}; the rest of the item was imported`
          : null,
      };
    return { email, status: outcome.status, import_id: null, batch: null, reason: this.#reason(outcome) };
  }

  /** Numbers input items from 0, as n8n does. */
  #reason({ status, reason }: { readonly status: string; readonly reason: string }): string {
    const before = status === 'duplicate' ? Number(/\d+/.exec(reason)?.[0]) : Number.NaN;
    return Number.isNaN(before)
      ? reason
      : `An earlier item has the same address: item ${this.#items[before - 1]?.itemIndex ?? before - 1}`;
  }

  #set(rows: readonly number[], outcome: RowOutcome): void {
    for (const row of rows) this.#outcomes[row] = outcome;
  }
}

const mostQuoted = 10;

/** The first names as a list in a sentence. */
function quoted(names: Iterable<string>, last: 'and' | 'or'): string {
  const all = [...names].map((name) => `"${name}"`);
  const some = all.length > mostQuoted ? [...all.slice(0, mostQuoted), `${all.length - mostQuoted} more`] : all;
  return some.length > 1 ? `${some.slice(0, -1).join(', ')} ${last} ${some.at(-1)}` : some.join('');
}
