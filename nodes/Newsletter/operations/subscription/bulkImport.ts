/**
 * Subscription: Bulk Import. Every input item is one subscription; core's importer sends them in calls of up to a
 * thousand. Records the outcome of each item.
 */
import {
  countPeople,
  forecastImport,
  type ImportProgress,
  type ImportResult,
  importSubscriptions,
  largeImport,
  type Rejection,
  type SourceRow,
  TableError,
} from '@newsletter-kit/core/import';
import { type IDataObject, type INodeProperties, type Logger, NodeOperationError } from 'n8n-workflow';
import { notMapped, readCustomFieldsOf, readKinds } from '../../parameters/customFields.ts';
import { notice, quoted } from '../../parameters/properties.ts';
import { ParameterMismatch } from '../../parameters/read.ts';
import { email } from '../../parameters/subscription.ts';
import { remembered } from '../../remembered.ts';
import { toNodeFailure } from '../../transport/failure.ts';
import { groupBy } from '../concurrency.ts';
import type { BatchOperation, ItemOutcome, OperationContext } from '../definition.ts';
import { addressReader, ItemConsent, type Json, type KeepOut, readKeepOut, tableFailure } from './bulkImportConsent.ts';
import { notationReader } from './bulkImportNotation.ts';
import {
  allowLargeImport,
  importOptions,
  keepOut,
  onlyPreview,
  type ReadOptions,
  readOptions,
} from './bulkImportOptions.ts';
import { itemNumber, Outcomes, reasonOf } from './bulkImportOutcomes.ts';
import { isMappedManually, itemReader, mappingFields } from './bulkImportRequest.ts';

const importNotice = notice({
  displayName:
    'All input items go to the service together, up to 1000 in a request. "accepted" means that it received an item. Those that are invalid, repeat an address or belong to people who have left are not sent, but returned with the reason.',
  name: 'asynchronous',
});

export const bulkImport: BatchOperation = {
  name: 'Bulk Import',
  description: 'Create or update many subscriptions, one for each input item, in requests of up to 1000',
  action: 'Import many subscriptions in bulk',
  properties: [importNotice, ...mappingFields, ...importOptions],
  async executeAll(items, continueOnFail) {
    const [first] = items;
    if (first === undefined) return [];
    const outcomes: ItemOutcome[] = [];
    const imports: Import[] = [];
    try {
      // Duplicates and rate limits are per publication.
      for (const ofOne of groupBy(items, ({ engine }) => engine)) imports.push(await prepare(ofOne));
      for (const one of imports) await checkShare(one);
    } catch (cause) {
      const error = toNodeFailure(first.node.getNode(), cause, { parameters: bulkImport.properties });
      if (continueOnFail) return items.map(({ itemIndex }) => ({ itemIndex, error }));
      throw error;
    }
    for (const one of imports)
      for (const outcome of await (one.options.isPreview ? previewOf(one) : importAll(one))) outcomes.push(outcome);
    const failed = outcomes.filter((outcome) => 'error' in outcome);
    if (failed.length > 0 && !continueOnFail) throw importFailure(first, outcomes.length, failed);
    return outcomes;
  },
};

/** The items for one publication. */
interface Import {
  readonly first: OperationContext;
  readonly items: readonly OperationContext[];
  readonly options: ReadOptions;
  readonly consent: ItemConsent;
  readonly keepOut: KeepOut | undefined;
  /** Gives an item with the values that only their whole field explains. */
  readonly explained: (json: Json) => Json;
}

/**
 * Reads in all items who gets emails, and how their values are written. It sends nothing.
 *
 * @throws ParameterMismatch, NodeOperationError where the items do not tell it, and errors of the request
 */
async function prepare(given: readonly OperationContext[]): Promise<Import> {
  const [first] = given;
  if (first === undefined) throw new ParameterMismatch('There are no items');
  const { node } = first;
  const asked = <Value>(read: () => Value, of?: INodeProperties): Value => {
    try {
      return read();
    } catch (error) {
      throw error instanceof TableError ? tableFailure(node.getNode(), error, of?.displayName) : error;
    }
  };
  const options = asked(() => readOptions(first));
  const input = node.getInputData();
  const items = [...given];
  const jsons = given.map(({ itemIndex }) => input[itemIndex]?.json ?? {});
  const isManual = isMappedManually(first);
  const addressIn = addressReader();
  const addressOf = (index: number): string | undefined => {
    const context = items[index];
    if (!isManual || context === undefined) return addressIn(jsons[index] ?? {});
    try {
      const value: unknown = node.getNodeParameter(email.name, context.itemIndex, email.default);
      items[index] = { ...context, evaluated: new Map([[email.name, value]]) };
      return typeof value === 'string' ? value : undefined;
    } catch {
      return undefined; // reported when the item is read
    }
  };
  const consent = asked(() => new ItemConsent(jsons, addressOf, options));
  const list = asked(() => readKeepOut(options.keepOut, options), keepOut);
  const known = isManual ? undefined : await readCustomFieldsOf(first.engine);
  const explained = known && asked(() => notationReader(jsons, known, options));
  return { first, items, options, consent, keepOut: list, explained: explained ?? ((json) => json) };
}

/** @throws NodeOperationError where the import would change much of its publication; errors of the request */
async function checkShare(one: Import): Promise<void> {
  const { first, items, options, consent } = one;
  if (options.allowsLarge || options.isPreview || items.length <= largeImport.people) return;
  const most = items.filter((_, index) => mayBeSent(consent.refusalOf(index), options)).length;
  if (most <= largeImport.people) return;
  const { engine, call, notice: show } = first;
  const people = await countPeople({ engine, call });
  if (people === undefined)
    show(
      'The service does not say how many subscriptions the publication has, so it was not checked how much of it this import changes.',
    );
  const limit = Math.max(largeImport.people, (people ?? 0) * largeImport.share);
  if (people === undefined || people === 0 || most <= limit) return;
  const { sent } = await forecastImport({ engine, source: rows(one), known: false });
  if (sent > limit)
    throw new NodeOperationError(
      first.node.getNode(),
      `This import would change ${sent} subscriptions, and the publication has ${people}`,
      {
        description: `See with "${onlyPreview.displayName}" in Options what it would do, then turn on "${allowLargeImport.displayName}". Nothing was sent.`,
      },
    );
}

/** Returns one item that says what the import would do. */
async function previewOf(one: Import): Promise<readonly ItemOutcome[]> {
  const { first, items, options, consent } = one;
  const { engine, call, node, notice: show } = first;
  const outcomes = new Outcomes(items, consent);
  const signal = node.getExecutionCancelSignal();
  const forecast = await forecastImport({
    engine,
    source: rows(one, outcomes),
    known: true,
    batchSize: options.batchSize,
    call,
    ...(signal && { signal }),
  });
  const { read, sent, known, left, unconfirmed, duplicates, rejected, leftOut, requests, minutes } = forecast;
  const { confirmations, welcomes, automations } = forecast;
  noticeFields(outcomes, show);
  const examples = (kind: Rejection['kind']): IDataObject[] =>
    (leftOut[kind] ?? []).map(({ row, reason }) => ({
      item: itemNumber(row, items),
      email: outcomes.emailOf(row),
      reason: reasonOf(reason, items),
    }));
  const json: IDataObject = {
    items: read,
    to_send: sent,
    new: known?.fresh ?? 0,
    known: known === undefined ? 0 : known.present + known.returning,
    stay_inactive: known?.away ?? 0,
    left,
    unconfirmed,
    duplicates,
    rejected,
    left_out: {
      left: examples('left'),
      unconfirmed: examples('unconfirmed'),
      duplicates: examples('duplicate'),
      rejected: [...examples('invalid'), ...examples('unclear')].slice(0, 10),
    },
    confirmation_emails: { ...confirmations },
    welcome_emails: { ...welcomes },
    automations: automations.map(({ id, rows: named }) => ({ id, items: named })),
    requests,
    minutes: Math.ceil(minutes),
  };
  return [{ itemIndex: first.itemIndex, json }];
}

/** Sends every item, unless the service refuses all of them or stops answering. */
async function importAll(one: Import): Promise<readonly ItemOutcome[]> {
  const { first, items, options, consent } = one;
  const { node, engine, notice: show } = first;
  const outcomes = new Outcomes(items, consent);
  const hasErrorOutput = node.getNode().onError === 'continueErrorOutput';
  // All rows of a failed call share its error.
  const toFailure = remembered((error) => toNodeFailure(node.getNode(), error, { parameters: mappingFields }));
  const signal = node.getExecutionCancelSignal();

  const result = await importSubscriptions({
    engine,
    source: {
      rows: rows(one, outcomes, (row, error) => outcomes.failed([row], toFailure(error))),
      total: items.length,
    },
    batchSize: options.batchSize,
    ...(signal && { signal }),
    onAccepted: ({ rows: of, importId }) => outcomes.accepted(of, importId),
    onFailed: ({ rows: of, error }) => outcomes.failed(of, toFailure(error)),
    onRejected: (rejection) => outcomes.rejected(rejection),
    onProgress: progressLogger(node.logger),
  });
  outcomes.notTried(
    toFailure(result.error ?? new ParameterMismatch('The execution was stopped before the item was sent')),
  );
  noticeSkipped(result, consent, hasErrorOutput, show);
  noticeFields(outcomes, show);
  await noticeRenamed(first, outcomes);
  return outcomes.inOrder(hasErrorOutput);
}

/** Whether an item is sent as far as its own words say. */
function mayBeSent(refusal: ReturnType<ItemConsent['refusalOf']>, { asksUnconfirmed }: ReadOptions): boolean {
  return refusal === undefined || (asksUnconfirmed && refusal.kind === 'unconfirmed');
}

/**
 * Reads the items one by one, on demand of the importer, so that 20,000 items are not in memory twice.
 *
 * @param onFailed - called with an item that can't be read, such as one whose expression fails, instead of rejecting it
 */
async function* rows(
  { first, items, options, consent, keepOut: list, explained }: Import,
  outcomes?: Outcomes,
  onFailed?: (row: number, error: unknown) => void,
): AsyncGenerator<SourceRow> {
  const read = itemReader(first, consent, explained);
  for (const [index, item] of items.entries()) {
    const row = index + 1;
    const refusal = consent.refusalOf(index);
    if (refusal && !mayBeSent(refusal, options)) {
      yield { row, problem: refusal.reason, kind: refusal.kind };
      continue;
    }
    try {
      const parsed = await read(item);
      outcomes?.read(row, parsed);
      const { subscription } = parsed;
      const kept = typeof subscription.email === 'string' ? await list?.(subscription.email) : undefined;
      if (kept !== undefined) yield { row, problem: kept, kind: 'left' };
      else yield { row, subscription: refusal ? { ...subscription, double_opt_override: 'on' } : subscription };
    } catch (error) {
      if (error instanceof ParameterMismatch) yield { row, problem: error.message };
      else if (onFailed) onFailed(row, error);
      else yield { row, problem: error instanceof Error ? error.message : String(error) };
    }
  }
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

/** Shows a notice about items that were not imported. */
function noticeSkipped(
  { rejected, duplicates, left, unconfirmed, read }: ImportResult,
  { columns, service }: ItemConsent,
  hasErrorOutput: boolean,
  show: (message: string) => void,
): void {
  const skipped = rejected + duplicates + left + unconfirmed;
  if (skipped === 0) return;
  const kinds = [
    rejected > 0 && `${rejected} rejected`,
    duplicates > 0 && `${duplicates} with an address that an earlier item has`,
    left > 0 && `${left} of people who have left`,
    unconfirmed > 0 && `${unconfirmed} of people who never confirmed`,
  ].filter((kind) => kind !== false);
  const where = hasErrorOutput
    ? 'They are at the error output, with the reason in "error".'
    : 'See "import_status" and "reason" of each item.';
  const by =
    left + unconfirmed > 0 && columns.length > 0
      ? ` Who gets emails was read from ${quoted(columns, 'and')}${service === undefined ? '' : `, as in exports of ${service}`}.`
      : '';
  show(`${skipped} of ${read} items were not imported (${kinds.join(', ')}). ${where}${by}`);
}

/** Shows notices about values and fields that were not imported. */
function noticeFields({ dropped, unused }: Outcomes, show: (message: string) => void): void {
  if (dropped.size > 0)
    show(
      `The publication has no custom field ${quoted(dropped, 'or')}; the values were left out. If a field was renamed, choose it again in Custom Fields. Custom Field: Create makes a new one.`,
    );
  if (unused.size > 0) show(notMapped(unused));
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
