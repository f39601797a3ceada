/** One execution of the sync node: reads both sides, plans, and in Apply changes the newsletter and keeps the state. */
import { type Engine, isRecord } from '@newsletter-kit/core/engine';
import { UpdatePendingError } from '@newsletter-kit/core/import';
import {
  applySync,
  changesOf,
  type Held,
  MappingError,
  planSync,
  readSyncState,
  startSync,
  stateAfter,
  type SyncState,
  SyncStateError,
} from '@newsletter-kit/core/sync';
import {
  type IDataObject,
  type IExecuteFunctions,
  type INode,
  type INodeExecutionData,
  NodeOperationError,
} from 'n8n-workflow';
import { showHint, storedRecord, usedByAgent } from '../execution.ts';
import { openEngine } from '../transport/engine.ts';
import { type NodeFailure, toNodeFailure } from '../transport/failure.ts';
import {
  consentRecords,
  type Contact,
  createItem,
  originsOf,
  plannedItem,
  reportOf,
  reviewItem,
  updateItem,
} from './output.ts';
import { readSettings } from './settings.ts';

/**
 * Runs the sync for all input items together.
 *
 * @throws NodeApiError or NodeOperationError, unless the node is set to continue on fail
 */
export async function runSync(node: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  try {
    return await sync(node);
  } catch (error) {
    const failure = toSyncFailure(node.getNode(), error);
    if (!node.continueOnFail()) throw failure;
    // n8n moves an item with an error to the error output, if there is one.
    return [[], [{ json: { error: failure.message }, error: failure }], [], [], [], []];
  }
}

async function sync(node: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  if (usedByAgent(node)) {
    throw new NodeOperationError(
      node.getNode(),
      'Newsletter Sync changes many records at once, and is not for agents',
      {
        description: 'Give the agent the Newsletter node as its tool, and run the sync in a workflow of its own.',
      },
    );
  }
  const settings = readSettings(node);
  let requests = 0;
  const { engine, publicationId } = await openEngine(node, settings.publication, () => {
    requests += 1;
  });
  const contacts = contactsIn(node.getInputData());
  const records = contacts.map(({ record }) => record);
  const staticData = node.getWorkflowStaticData('node');
  const call = { signal: node.getExecutionCancelSignal() };
  const startedAt = engine.host.now();
  const plan = await planSync({
    engine,
    publicationId,
    mapping: settings.mapping,
    contacts: withPauses(engine.host, records),
    scope: settings.scope,
    state: loadState(staticData, publicationId),
    accept: settings.accept,
    call,
  });
  const applied = settings.mode === 'apply' ? await applySync({ engine, publicationId, plan, call }) : undefined;
  if (applied) saveState(staticData, publicationId, stateAfter(plan.state, applied));
  const endedAt = engine.host.now();

  if (plan.held) showHint(node, heldHint(plan.held));
  if (applied && applied.failed > 0) {
    const changes = applied.failed === 1 ? '1 change' : `${applied.failed} changes`;
    showHint(node, `The newsletter refused ${changes}; Review says why. The next run plans them again.`);
  }
  if (applied && node.getMode() === 'manual') showHint(node, manualHint);
  const consent = consentRecords(applied?.consent ?? [], endedAt);
  const report: INodeExecutionData = { json: reportOf(settings, plan, applied, { requests, startedAt, endedAt }) };
  // An item of its own: n8n shows the file of an item before its fields.
  const trail = consent.length > 0 ? [await consentItem(node, consent, endedAt)] : [];
  const { contactCreates = [], contactUpdates = [], findings = plan.findings } = applied ?? {};
  const origins = originsOf(contactUpdates, contacts, plan.mapping);
  // The changes of a run that carries them out are at its other outputs.
  const planned = applied && !plan.held ? [] : [...changesOf(plan.whole)];
  const isHeld = applied !== undefined && plan.held !== null;
  return [
    await inParts(engine.host, findings, (finding) => reviewItem(finding, contacts)),
    isHeld ? trail : [report, ...trail],
    await inParts(engine.host, planned, (change) => plannedItem(change, settings)),
    await inParts(engine.host, contactCreates, (create) => createItem(create, contacts)),
    await inParts(engine.host, contactUpdates, (write) => updateItem(write, origins.get(write.id), plan.mapping)),
    isHeld ? [report] : [],
  ];
}

const manualHint =
  'n8n saves no state after a manual execution: a contact that is deleted in the CRM now would be created again. Production executions remember it.';

/** The key in the static data of the node; its value is one text. */
const key = 'newsletterSync';

/**
 * The state of the last run; a new one for the first run, and for another publication than the last one.
 *
 * @throws SyncStateError for a damaged state or one of another version
 */
function loadState(staticData: IDataObject, publicationId: string): SyncState {
  const text = staticData[key];
  if (text === undefined) return startSync();
  const stored = storedRecord(text);
  if (typeof stored?.['publicationId'] !== 'string' || !isRecord(stored['state'])) throw new SyncStateError();
  return stored['publicationId'] === publicationId ? readSyncState(stored['state']) : startSync();
}

/** Saves the state as one text: n8n observes every entry of objects in static data. */
function saveState(staticData: IDataObject, publicationId: string, state: SyncState): void {
  staticData[key] = JSON.stringify({ publicationId, state });
}

/** Skips empty items, which nodes with Always Output Data return for no result. */
const contactsIn = (items: readonly INodeExecutionData[]): readonly Contact[] =>
  items.flatMap(({ json: record }, item) => (Object.keys(record).length > 0 ? [{ item, record }] : []));

/** Contacts or items between two pauses, in which n8n handles other requests. */
const partSize = 2000;

async function* withPauses<Entry>(host: Engine['host'], entries: readonly Entry[]): AsyncGenerator<Entry> {
  for (const [count, entry] of entries.entries()) {
    if (count % partSize === 0) await host.sleep(0);
    yield entry;
  }
}

async function inParts<Entry>(
  host: Engine['host'],
  entries: readonly Entry[],
  toItem: (entry: Entry) => INodeExecutionData,
): Promise<INodeExecutionData[]> {
  const items: INodeExecutionData[] = [];
  for await (const entry of withPauses(host, entries)) items.push(toItem(entry));
  return items;
}

async function consentItem(
  node: IExecuteFunctions,
  consent: readonly IDataObject[],
  at: number,
): Promise<INodeExecutionData> {
  const moment = new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const fileName = `consent-${moment}.ndjson`;
  const lines = consent.map((record) => `${JSON.stringify(record)}\n`).join('');
  const file = await node.helpers.prepareBinaryData(Buffer.from(lines), fileName, 'application/x-ndjson');
  return { json: { consentFile: fileName, records: consent.length }, binary: { consent: file } };
}

function heldHint({ message, remedy }: Held): string {
  return `The plan was held back: only opt-outs, and unsubscribes within the limit, are carried out. ${message} ${remedy} If the plan is right, run once with Options: Accept Large Changes.`;
}

/** Converts an error to n8n's error, with remedies that use the labels of the node's parameters. */
function toSyncFailure(node: INode, error: unknown): NodeFailure {
  if (error instanceof MappingError) {
    const problems = error.problems.map((problem) =>
      problem.replaceAll(/fields\[(\d+)\]/g, (_, index) => `Field ${Number(index) + 1}`),
    );
    return new NodeOperationError(node, 'The settings of the sync do not fit together', {
      description: `Correct the parameters: ${problems.join(' ')}`,
    });
  }
  if (error instanceof SyncStateError) {
    return new NodeOperationError(node, 'The stored state of this node is damaged or of another version', {
      description:
        'Update the package if it was downgraded. To start over instead, rename this node: n8n stores the state by its name, and the sync tokens of the contacts record the agreed values.',
    });
  }
  if (error instanceof UpdatePendingError) {
    return new NodeOperationError(node, 'The service has not finished the bulk update yet', {
      description: 'Run the node again later: it plans again what was not done.',
    });
  }
  return toNodeFailure(node, error);
}
