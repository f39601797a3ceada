/** The items of the four outputs: contacts to create, contacts to update, findings, and the report. */
import {
  type AppliedSync,
  type ConsentRecord,
  type ContactCreate,
  type ContactWrite,
  type Finding,
  readPath,
  recordOf,
  type SyncPlan,
} from '@newsletter-kit/core/sync';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { toRecord } from '../records.ts';
import type { SyncSettings } from './settings.ts';

/** In the order of the outputs. */
export const outputNames = ['Create Contact', 'Update Contact', 'Review', 'Report'];

/** Most planned changes that the report of a preview lists. */
const mostPlanned = 100;

/** The contacts of a run: the input items that hold one. */
export interface Contacts {
  readonly items: readonly INodeExecutionData[];
  /** The index of the input item of each contact, in the order of the contacts. */
  readonly indexes: readonly number[];
}

/** One item for each contact: its fields and the token, nested as in the input items. */
export function createItems(
  creates: readonly ContactCreate[],
  { items, indexes: [first = -1] }: Contacts,
): INodeExecutionData[] {
  return creates.map(({ changes }) => ({ json: toRecord(recordOf(Object.entries(changes), items[first]?.json)) }));
}

/** The input item of a contact, and the unchanged id. */
interface Origin {
  readonly item: number;
  readonly id: unknown;
}

/** The input items of the written contacts, by the text of their ids. */
export function originsOf(
  writes: readonly ContactWrite[],
  { items, indexes }: Contacts,
  { idField }: Pick<SyncSettings, 'idField'>,
): ReadonlyMap<string, Origin> {
  const wanted = new Set(writes.map(({ id }) => id));
  const origins = new Map<string, Origin>();
  for (const item of indexes) {
    const id = readPath(items[item]?.json, idField);
    const text = String(id).trim();
    // The first of duplicate contacts counts.
    if (wanted.has(text) && !origins.has(text)) origins.set(text, { item, id });
  }
  return origins;
}

/** One item for each contact: its unchanged id, the changed fields and the token, nested by their paths. */
export function updateItems(
  writes: readonly ContactWrite[],
  origins: ReadonlyMap<string, Origin>,
  { items }: Contacts,
  { idField, tokenField }: Pick<SyncSettings, 'idField' | 'tokenField'>,
): INodeExecutionData[] {
  return writes.map(({ id, changes, token }) => {
    const origin = origins.get(id);
    const values = [[idField, origin?.id ?? id], ...Object.entries(changes), [tokenField, token]] as const;
    const json = toRecord(recordOf(values, origin && items[origin.item]?.json));
    return origin ? { json, pairedItem: { item: origin.item } } : { json };
  });
}

export function reviewItems(findings: readonly Finding[], { indexes }: Contacts): INodeExecutionData[] {
  return findings.map((finding) => {
    // The number of the item is for contacts without an ID: it changes with every deletion.
    const { row, ...named } = finding;
    const item = row === undefined ? undefined : indexes[row - 1];
    return {
      json: toRecord(finding.contactId ? named : { ...finding }),
      ...(item !== undefined && { pairedItem: { item } }),
    };
  });
}

/** The data of the report. */
export interface SyncOutcome {
  readonly settings: Pick<SyncSettings, 'mode' | 'scope'>;
  readonly plan: SyncPlan;
  /** Undefined for a preview. */
  readonly applied: AppliedSync | undefined;
  /** Requests sent to the service, retries included. */
  readonly requests: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
}

export function reportOf({
  settings: { mode, scope },
  plan,
  applied,
  requests,
  startedAt,
  endedAt,
}: SyncOutcome): IDataObject {
  const { counts, held } = plan;
  return {
    mode,
    contacts: scope,
    startedAt: new Date(startedAt).toISOString(),
    durationMs: endedAt - startedAt,
    requests,
    held: held && toRecord(held),
    counts: toRecord(counts),
    ...(applied
      ? {
          applied: {
            subscriptionUpdates: applied.updated,
            subscriptionCreates: applied.created,
            contactCreates: applied.contactCreates.length,
            contactUpdates: applied.contactUpdates.length,
            failed: applied.failed,
          },
          consent: consentRecords(applied.consent, endedAt),
        }
      : { planned: plannedChanges(plan) }),
  };
}

/** The consent records of a run, each with the time of its detection, with the field names of the command. */
export function consentRecords(consent: readonly ConsentRecord[], seenAt: number): IDataObject[] {
  const first_seen = new Date(seenAt).toISOString();
  return consent.map(({ saidBy, field, subscriptionId, contactId, written }) =>
    toRecord({ first_seen, said_by: saidBy, field, subscription_id: subscriptionId, contact_id: contactId, written }),
  );
}

/** One JSON object a line. */
export function toNdjson(records: readonly IDataObject[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** The first changes of a plan: which record, which fields and why. It holds no address and no value. */
function plannedChanges({ pairs, contactCreates, subscriptionCreates }: SyncPlan): IDataObject[] {
  const planned: IDataObject[] = [];
  for (const { situation, subscriptionWrites, contactWrites } of pairs) {
    if (planned.length >= mostPlanned) break;
    for (const { subscription_id: subscriptionId, unsubscribe, custom_fields = [] } of subscriptionWrites) {
      const fields = [...(unsubscribe ? ['status'] : []), ...custom_fields.map(({ name }) => name)];
      planned.push({ change: 'updateSubscription', situation, subscriptionId, fields });
    }
    for (const { id: contactId, changes } of contactWrites)
      planned.push({ change: 'updateContact', situation, contactId, fields: Object.keys(changes) });
  }
  for (const { situation, contactId, request } of subscriptionCreates.slice(0, mostPlanned)) {
    const fields = ['email', ...(request.custom_fields ?? []).map(({ name }) => name)];
    planned.push({ change: 'createSubscription', situation, contactId, fields });
  }
  for (const { situation, subscriptionId, changes } of contactCreates.slice(0, mostPlanned))
    planned.push({ change: 'createContact', situation, subscriptionId, fields: Object.keys(changes) });
  return planned.slice(0, mostPlanned);
}
