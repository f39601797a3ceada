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

/** An input item that holds a contact. */
export interface Contact {
  /** The index among all items. */
  readonly item: number;
  readonly record: IDataObject;
}

/** The item of a contact to create: its fields and the token, nested as in the first input item. */
export function createItem({ changes }: ContactCreate, [first]: readonly Contact[]): INodeExecutionData {
  return { json: toRecord(recordOf(Object.entries(changes), first?.record)) };
}

/** The written contacts by the text of their ids. */
export function originsOf(
  writes: readonly ContactWrite[],
  contacts: readonly Contact[],
  { paths }: SyncPlan['mapping'],
): ReadonlyMap<string, Contact> {
  const wanted = new Set(writes.map(({ id }) => id));
  const origins = new Map<string, Contact>();
  for (const contact of contacts) {
    const id = String(readPath(contact.record, paths.id)).trim();
    // The first of duplicate contacts counts.
    if (wanted.has(id) && !origins.has(id)) origins.set(id, contact);
  }
  return origins;
}

/** The item of a contact to update: its unchanged id, the changed fields and the token, nested by their paths. */
export function updateItem(
  { id, changes, token }: ContactWrite,
  origin: Contact | undefined,
  { paths }: SyncPlan['mapping'],
): INodeExecutionData {
  const unchanged = readPath(origin?.record, paths.id) ?? id;
  const values = [[paths.id, unchanged], ...Object.entries(changes), [paths.token, token]] as const;
  return { json: toRecord(recordOf(values, origin?.record)), ...pairedWith(origin) };
}

/** The item of a finding. All have the same fields, so that n8n shows them as a table. */
export function reviewItem(finding: Finding, contacts: readonly Contact[]): INodeExecutionData {
  const { code, message, remedy, isNew, row, contactId, subscriptionId, field, side, detail } = finding;
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
    ...(row !== undefined && pairedWith(contacts[row - 1])),
  };
}

const pairedWith = (contact: Contact | undefined) => contact && { pairedItem: { item: contact.item } };

/**
 * The item of a changed field. It shows addresses and values. The first two columns tell it all: what, whom, from what
 * to what; and why. On a screen of 1366 pixels the editor shows no more.
 */
export function plannedItem(planned: PlannedChange, { shortAddresses }: SyncSettings): INodeExecutionData {
  const { what, person, change, why } = lineOf(planned, shortAddresses);
  const { field, from, to, side, contactId, subscriptionId } = planned;
  const where = side === 'crm' ? 'CRM' : 'Newsletter';
  const first = [what, person, change].filter(Boolean).join(' – ');
  const rest = { where, what, person, field, from: from ?? null, to, contactId, subscriptionId };
  return { json: toRecord({ change: first, why, ...rest }) };
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
