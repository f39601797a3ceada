/** Writes contacts with their sync tokens, and the consent records that belong to them. */
import type { ConsentRecord, ContactCreate, ContactWrite, PlannedPart } from '@newsletter-kit/core/sync';
import { tokenPath, type SyncConfig } from './config.ts';
import type { PlanPart } from './planned-run.ts';
import { RowRefusedError, type Postgres } from './postgres.ts';
import { batchSize, type ContactColumn, type statements } from './statements.ts';

/** A contact that PostgreSQL did not take. */
export interface WriteRefusal {
  /** Undefined for a contact that was to be created. */
  readonly contactId?: string;
  /** The subscription of a contact that was to be created. */
  readonly subscriptionId?: string;
  /** SQLSTATE, with the names of column and constraint where there are any. */
  readonly reason: string;
}

export interface WriteResult {
  readonly updated: number;
  readonly created: number;
  /** Contacts that were changed or deleted after they were read. */
  readonly skipped: number;
  readonly refused: readonly WriteRefusal[];
}

export interface ContactChanges {
  readonly updates: readonly ContactWrite[];
  readonly creates: readonly ContactCreate[];
  /** The version of each contact that is updated when it was read, by id. */
  readonly versions: PlanPart['versions'];
}

/** The database of one sync. */
export interface DatabaseParts {
  readonly postgres: Postgres;
  readonly sql: ReturnType<typeof statements>;
  readonly config: SyncConfig;
  /** Names the sync in its tables. */
  readonly scope: string;
  readonly columns: ReadonlyMap<string, ContactColumn>;
}

export class ContactWriter {
  readonly #parts: DatabaseParts;
  /** The consent records that are stored and not completed, by the contact's id. */
  readonly #open = new Map<string, ConsentRecord[]>();

  constructor(parts: DatabaseParts) {
    this.#parts = parts;
  }

  /** Stores the consent records of a part of a plan as open, before the run carries them out. */
  async noteConsent({ pairs }: Pick<PlannedPart, 'pairs'>): Promise<void> {
    const { postgres, sql, scope } = this.#parts;
    this.#open.clear();
    const records = pairs.flatMap(({ consent }) => consent);
    const written = new Set(pairs.flatMap(({ contactWrites }) => contactWrites.map(({ id }) => id)));
    for (const record of records) {
      const { contactId } = record;
      if (contactId === null || !written.has(contactId)) continue;
      this.#open.set(contactId, [...(this.#open.get(contactId) ?? []), record]);
    }
    // By key: a statement can't write one row twice.
    const unique = new Map(records.map((record) => [JSON.stringify(consentKey(record)), consentRow(record)]));
    for (const batch of inBatches([...unique.values()]))
      await postgres.rows(sql.noteConsent, [scope, JSON.stringify(batch)]);
  }

  /**
   * Writes contacts, values and token of each in one transaction, and completes their consent records. A contact that
   * PostgreSQL refuses fails alone.
   */
  async write(
    { updates, creates, versions }: ContactChanges,
    onProgress: (done: number) => void,
  ): Promise<WriteResult> {
    const counts = { updated: 0, created: 0, skipped: 0 };
    const refused: WriteRefusal[] = [];
    const jobs: readonly WriteJob[] = [
      ...updates.map((write) => ({
        run: () => this.#update(write, versions[write.id] ?? ''),
        id: { contactId: write.id },
      })),
      ...creates.map((write) => ({ run: () => this.#create(write), id: { subscriptionId: write.subscriptionId } })),
    ];
    /** @returns why PostgreSQL refused a row; null where it took all */
    const attempt = async (batch: readonly WriteJob[]): Promise<string | null> => {
      const outcomes: WriteOutcome[] = [];
      try {
        await this.#parts.postgres.transaction(async () => {
          for (const { run } of batch) outcomes.push(await run());
        });
      } catch (error) {
        if (error instanceof RowRefusedError) return error.reason;
        throw error;
      }
      for (const outcome of outcomes) counts[outcome] += 1;
      return null;
    };
    let done = 0;
    for (const batch of inBatches(jobs)) {
      // Where one row was refused, each contact gets a transaction of its own.
      if ((await attempt(batch)) !== null)
        for (const job of batch) {
          const reason = await attempt([job]);
          if (reason !== null) refused.push({ ...job.id, reason });
        }
      done += batch.length;
      onProgress(done);
    }
    return { ...counts, refused };
  }

  /** Marks stored consent records as completed. */
  async completeConsent(records: readonly ConsentRecord[]): Promise<void> {
    const { postgres, sql, scope } = this.#parts;
    for (const batch of inBatches(records))
      await postgres.rows(sql.completeConsent, [scope, JSON.stringify(batch.map(consentRow))]);
  }

  async #update({ id, changes, token }: ContactWrite, version: string): Promise<WriteOutcome> {
    const { postgres, sql, scope, columns } = this.#parts;
    const names = Object.keys(changes);
    const values = names.map((name) => toColumn(columns.get(name), changes[name]));
    const { rowCount } =
      names.length === 0
        ? await postgres.query(sql.token, [scope, id, token, id])
        : await postgres.query(sql.update(names), [scope, id, token, id, version, ...values]);
    if ((rowCount ?? 0) === 0) return 'skipped';
    await this.completeConsent(this.#open.get(id) ?? []);
    return 'updated';
  }

  async #create({ subscriptionId, changes, consent }: ContactCreate): Promise<WriteOutcome> {
    const { postgres, sql, scope, columns } = this.#parts;
    const { [tokenPath]: token, ...values } = changes;
    const names = Object.keys(values);
    const [created] = await postgres.rows<{ contact_id: string }>(sql.create(names), [
      scope,
      token,
      ...names.map((name) => toColumn(columns.get(name), values[name])),
    ]);
    if (!created) return 'skipped';
    for (const { saidBy, field, written } of consent)
      await postgres.rows(sql.addConsent, [
        scope,
        subscriptionId,
        saidBy,
        field,
        created.contact_id,
        written && JSON.stringify(written),
      ]);
    return 'created';
  }
}

/** A contact to write, and how it is named where PostgreSQL refuses it. */
interface WriteJob {
  readonly run: () => Promise<WriteOutcome>;
  readonly id: Omit<WriteRefusal, 'reason'>;
}

type WriteOutcome = 'updated' | 'created' | 'skipped';

const consentKey = ({ subscriptionId, saidBy, field, contactId }: ConsentRecord) => ({
  subscription_id: subscriptionId,
  said_by: saidBy,
  field,
  contact_id: contactId,
});
const consentRow = (record: ConsentRecord) => ({ ...consentKey(record), written: record.written });

/** Converts a value to the type of its column: a list to an array, to JSON, or to one text. */
function toColumn(column: ContactColumn | undefined, value: unknown): unknown {
  if (column?.kind === 'json') return value === null ? null : JSON.stringify(value);
  return Array.isArray(value) && column?.kind !== 'list' ? value.join(';') : value;
}

function* inBatches<Entry>(entries: readonly Entry[]): Generator<readonly Entry[]> {
  for (let start = 0; start < entries.length; start += batchSize) yield entries.slice(start, start + batchSize);
}
