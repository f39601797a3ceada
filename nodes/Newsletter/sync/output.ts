/** The items of the outputs: contacts to create and to update, findings, the report, and the planned changes. */
import {
  type AppliedSync,
  type ConsentRecord,
  type ContactCreate,
  type ContactWrite,
  type Finding,
  type PlannedChange,
  lineOf,
  readPath,
  recordOf,
  summaryOf,
  type SyncPlan,
} from '@newsletter-kit/core/sync';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { toRecord } from '../records.ts';
import type { SyncSettings } from './settings.ts';

/**
 * In the order of the outputs. What goes to people comes before what the CRM writes: n8n runs the branches from the top
 * to the bottom, and an error of a node that writes would keep back what stands below it.
 */
export const outputNames = ['Review', 'Report', 'Planned', 'Create Contact', 'Update Contact', 'Held'];

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

/** The indexes of the input items of the written contacts, by the text of their ids. */
export function originsOf(
  writes: readonly ContactWrite[],
  { items, indexes }: Contacts,
  { paths }: SyncPlan['mapping'],
): ReadonlyMap<string, number> {
  const wanted = new Set(writes.map(({ id }) => id));
  const origins = new Map<string, number>();
  for (const item of indexes) {
    const id = String(readPath(items[item]?.json, paths.id)).trim();
    // The first of duplicate contacts counts.
    if (wanted.has(id) && !origins.has(id)) origins.set(id, item);
  }
  return origins;
}

/** One item for each contact: its unchanged id, the changed fields and the token, nested by their paths. */
export function updateItems(
  writes: readonly ContactWrite[],
  origins: ReadonlyMap<string, number>,
  { items }: Contacts,
  { paths }: SyncPlan['mapping'],
): INodeExecutionData[] {
  return writes.map(({ id, changes, token }) => {
    const item = origins.get(id);
    const record = item === undefined ? undefined : items[item]?.json;
    const values = [
      [paths.id, readPath(record, paths.id) ?? id],
      ...Object.entries(changes),
      [paths.token, token],
    ] as const;
    return { json: toRecord(recordOf(values, record)), ...(item !== undefined && { pairedItem: { item } }) };
  });
}

/** One item for each finding, all with the same fields, so that n8n shows them as a table. */
export function reviewItems(findings: readonly Finding[], { indexes }: Contacts): INodeExecutionData[] {
  return findings.map(({ code, message, remedy, isNew, row, contactId, subscriptionId, field, side, detail }) => {
    const item = row === undefined ? undefined : indexes[row - 1];
    return {
      json: toRecord({
        message,
        remedy,
        isNew,
        contactId: contactId ?? null,
        // The number of the item is for contacts without an ID: it changes with every deletion.
        row: contactId === undefined ? (row ?? null) : null,
        field: field ?? null,
        side: side ?? null,
        detail: detail ?? null,
        subscriptionId: subscriptionId ?? null,
        code,
      }),
      ...(item !== undefined && { pairedItem: { item } }),
    };
  });
}

/**
 * One item for each changed field, what cannot be taken back first. It shows addresses and values. The first two
 * columns tell it all: what, whom, from what to what; and why. On a screen of 1366 pixels the editor shows no more.
 */
export function plannedItems(
  changes: readonly PlannedChange[],
  { shortAddresses }: Pick<SyncSettings, 'shortAddresses'>,
): INodeExecutionData[] {
  return changes.map((each) => {
    const { what, person, change, why } = lineOf(each, shortAddresses);
    const { field, from, to, side, contactId, subscriptionId } = each;
    const where = side === 'crm' ? 'CRM' : 'Newsletter';
    const first = [what, person, change].filter(Boolean).join(' – ');
    const rest = { where, what, person, field, from: from ?? null, to, contactId, subscriptionId };
    return { json: toRecord({ change: first, why, ...rest }) };
  });
}

/**
 * The report of a run.
 *
 * @param applied - undefined for a preview
 * @param took - the requests sent to the service, retries included; the times in milliseconds since the Unix epoch
 */
export function reportOf(
  { mode, scope }: Pick<SyncSettings, 'mode' | 'scope'>,
  plan: SyncPlan,
  applied: AppliedSync | undefined,
  took: { readonly requests: number; readonly startedAt: number; readonly endedAt: number },
): IDataObject {
  const { requests, startedAt, endedAt } = took;
  const { counts, held } = plan;
  return {
    summary: summaryOf(plan, applied),
    mode,
    contacts: scope,
    startedAt: new Date(startedAt).toISOString(),
    durationMs: endedAt - startedAt,
    requests,
    held: held && toRecord(held),
    counts: toRecord(counts),
    ...(applied && {
      written: {
        subscriptionUpdates: applied.updated,
        subscriptionCreates: applied.created,
        failed: applied.failed,
      },
      // What the CRM makes of it is not known here.
      handedOver: { contactCreates: applied.contactCreates.length, contactUpdates: applied.contactUpdates.length },
      consent: consentRecords(applied.consent, endedAt),
    }),
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
