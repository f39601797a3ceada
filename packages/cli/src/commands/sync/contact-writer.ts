/** Writes contacts with their sync tokens, and the consent records that belong to them. */
import {
  type AppliedSync,
  type ConsentRecord,
  type ContactCreate,
  type ContactWrite,
  type PlannedPart,
  type ReadyMapping,
  withStored,
} from '@newsletter-kit/core/sync';
import { tokenPath } from './config.ts';
import type { PlannedRun, PlanPart } from './planned-run.ts';
import { RowRefusedError } from './postgres.ts';
import { batchSize, type ContactRow, type DatabaseParts, type SyncStatements } from './statements.ts';

/** A contact that PostgreSQL did not take. */
export interface WriteRefusal {
  /** Undefined for a contact that was to be created. */
  readonly contactId?: string;
  /** The subscription of a contact that was to be created. */
  readonly subscriptionId?: string;
  /** SQLSTATE, with the names of column and constraint where there are any. */
  readonly reason: string;
}

/** The contacts of a part of a plan that are to be written, and what they were like when they were read. */
type ContactChanges = Pick<AppliedSync, 'contactUpdates' | 'contactCreates' | 'consent'> &
  Pick<PlannedRun, 'mapping'> &
  Pick<PlanPart, 'versions'>;

type Change = ContactWrite | ContactCreate;

const isUpdate = (change: Change): change is ContactWrite => 'id' in change;
const namedIn = (change: Change): Omit<WriteRefusal, 'reason'> =>
  isUpdate(change) ? { contactId: change.id } : { subscriptionId: change.subscriptionId };

export class ContactWriter {
  /** Contacts that were written, refused, or left because they were changed or deleted after they were read. */
  readonly done = { updated: 0, created: 0, skipped: 0, refused: 0 };
  readonly #parts: DatabaseParts;
  readonly #sql: SyncStatements;

  constructor(parts: DatabaseParts, sql: SyncStatements) {
    this.#parts = parts;
    this.#sql = sql;
  }

  /** Stores the consent records of a part of a plan as open, before the run carries them out. */
  async noteConsent({ pairs }: Pick<PlannedPart, 'pairs'>): Promise<void> {
    // By key: a statement can't write one row twice.
    const unique = new Map(pairs.flatMap(({ consent }) => consent).map((record) => [keyOf(record), record]));
    for (const batch of inBatches([...unique.values()])) await this.#sql.noteConsent(batch);
  }

  /**
   * Writes contacts, values and token of each in one transaction, and completes their consent records; then those of
   * contacts that need no write. A contact that PostgreSQL refuses fails alone.
   */
  async write(planned: ContactChanges, onProgress: (done: number) => void): Promise<readonly WriteRefusal[]> {
    const { contactUpdates: updates, contactCreates: creates, consent } = planned;
    const refused: WriteRefusal[] = [];
    let done = 0;
    for (const batch of [...inBatches<Change>(updates), ...inBatches<Change>(creates)]) {
      // Where one row was refused, each contact gets a transaction of its own.
      for (const change of (await this.#attempt(batch, planned)) === null ? [] : batch) {
        const reason = await this.#attempt([change], planned);
        if (reason !== null) refused.push({ ...namedIn(change), reason });
      }
      done += batch.length;
      onProgress(done);
    }
    this.done.refused += refused.length;
    const written = new Set(updates.map(({ id }) => id));
    await this.#completeConsent(consent, (id) => !written.has(id));
    return refused;
  }

  /** @returns why PostgreSQL refused a row; null where it took all */
  async #attempt(batch: readonly Change[], planned: ContactChanges): Promise<string | null> {
    const written = { updated: 0, created: 0 };
    try {
      await this.#parts.postgres.transaction(async () => {
        written.updated = await this.#update(batch.filter(isUpdate), planned);
        for (const change of batch)
          if (!isUpdate(change)) written.created += await this.#create(change, planned.mapping);
      });
    } catch (error) {
      if (error instanceof RowRefusedError) return error.reason;
      throw error;
    }
    this.done.updated += written.updated;
    this.done.created += written.created;
    this.done.skipped += batch.length - written.updated - written.created;
    return null;
  }

  /** Marks stored consent records of these contacts as completed. */
  async #completeConsent(records: readonly ConsentRecord[], isOf: (contactId: string) => boolean): Promise<void> {
    const stored = records.filter(({ contactId }) => contactId !== null && isOf(contactId));
    for (const batch of inBatches(stored)) await this.#sql.completeConsent(batch);
  }

  /** Writes tokens of what was stored. @returns how many contacts were as they were read, and are updated now */
  async #update(writes: readonly ContactWrite[], planned: ContactChanges): Promise<number> {
    const byColumns = Map.groupBy(writes, ({ changes }) => JSON.stringify(Object.keys(changes)));
    const updated: ContactRow[] = [];
    for (const same of byColumns.values()) {
      const names = Object.keys(same[0]?.changes ?? {});
      const rows = same.map(({ id, changes }): ContactRow => {
        return { contact_id: id, version: planned.versions[id] ?? '', ...this.#values(names, changes) };
      });
      const stored = new Map((await this.#sql.update(names)(rows)).map((row) => [row.contact_id, row.stored]));
      for (const write of same)
        if (stored.has(write.id))
          updated.push({
            contact_id: write.id,
            token: withStored(write.token, { contact: stored.get(write.id) }, planned.mapping),
          });
    }
    await this.#sql.setTokens(updated);
    const ids = new Set(updated.map(({ contact_id: id }) => id));
    await this.#completeConsent(planned.consent, (id) => ids.has(id));
    return updated.length;
  }

  /** @returns how many contacts are created: none where a trigger leaves the row out */
  async #create({ subscriptionId, changes, consent }: ContactCreate, mapping: ReadyMapping): Promise<0 | 1> {
    const { [tokenPath]: token, ...values } = changes;
    const names = Object.keys(values);
    const [created] = await this.#sql.create(names)([this.#values(names, values)]);
    if (!created) return 0;
    const { contact_id: contactId, stored } = created;
    await this.#sql.setTokens([
      { contact_id: contactId, token: withStored(String(token), { contact: stored }, mapping) },
    ]);
    const records = consent.map((record) => ({ ...record, subscriptionId, contactId }));
    if (records.length > 0) await this.#sql.addConsent(records);
    return 1;
  }

  /** The values of columns, each as its type has it: a list for an array or for JSON, else one text. */
  #values(
    names: readonly string[],
    changes: Readonly<Record<string, unknown>>,
  ): Readonly<Record<`v${number}`, unknown>> {
    const entries = names.map((name, at) => {
      const value = changes[name];
      const kind = this.#parts.columns.get(name)?.kind ?? 'value';
      const isText = Array.isArray(value) && ['value', 'time'].includes(kind);
      return [`v${at}`, isText ? value.join(';') : typeof value === 'string' ? value.toWellFormed() : value] as const;
    });
    return Object.fromEntries(entries);
  }
}

const keyOf = ({ subscriptionId, saidBy, field, contactId }: ConsentRecord): string =>
  JSON.stringify([subscriptionId, saidBy, field, contactId]);

function* inBatches<Entry>(entries: readonly Entry[]): Generator<readonly Entry[]> {
  for (let start = 0; start < entries.length; start += batchSize) yield entries.slice(start, start + batchSize);
}
