/** Writes contacts with their sync tokens, and the consent records that belong to them. */
import type { ConsentRecord, ContactCreate, ContactWrite, SyncPlan } from '@newsletter-kit/core/sync';
import { tokenPath } from './config.ts';
import { RowRefusedError, type Session } from './postgres.ts';
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
}

export interface ContactWriter {
  /** Stores consent records as open, before the run carries them out. */
  noteConsent(plan: SyncPlan): Promise<void>;
  write(writes: ContactChanges, onProgress: (done: number) => void): Promise<WriteResult>;
  /** Marks stored consent records as completed. */
  completeConsent(records: readonly ConsentRecord[]): Promise<void>;
}

interface WriterOptions {
  readonly session: Session;
  readonly sql: ReturnType<typeof statements>;
  readonly scope: string;
  readonly columns: ReadonlyMap<string, ContactColumn>;
  /** The version of each contact when it was read, by id. */
  readonly versions: ReadonlyMap<string, string>;
}

export function createContactWriter({ session, sql, scope, columns, versions }: WriterOptions): ContactWriter {
  const { query, rows, transaction } = session;
  /** The consent records that are stored and not completed, by the contact's id. */
  const open = new Map<string, ConsentRecord[]>();
  return { noteConsent, write, completeConsent };

  async function noteConsent({ pairs }: SyncPlan): Promise<void> {
    const records = pairs.flatMap(({ consent }) => consent);
    const written = new Set(pairs.flatMap(({ contactWrites }) => contactWrites.map(({ id }) => id)));
    for (const record of records) {
      const { contactId } = record;
      if (contactId === null || !written.has(contactId)) continue;
      open.set(contactId, [...(open.get(contactId) ?? []), record]);
    }
    // By key: a statement can't write one row twice.
    const unique = new Map(records.map((record) => [JSON.stringify(consentKey(record)), consentRow(record)]));
    for (const batch of inBatches([...unique.values()])) await rows(sql.noteConsent, [scope, JSON.stringify(batch)]);
  }

  async function write({ updates, creates }: ContactChanges, onProgress: (done: number) => void): Promise<WriteResult> {
    const counts = { updated: 0, created: 0, skipped: 0 };
    const refused: WriteRefusal[] = [];
    const jobs = [
      ...updates.map((write) => ({ run: () => update(write), id: { contactId: write.id } })),
      ...creates.map((write) => ({ run: () => create(write), id: { subscriptionId: write.subscriptionId } })),
    ];
    let done = 0;
    for (const batch of inBatches(jobs)) {
      const count = (outcomes: readonly WriteOutcome[]): void => {
        for (const outcome of outcomes) counts[outcome] += 1;
      };
      const whole = await catchRefusal(() => inTransaction(batch));
      if ('outcome' in whole) count(whole.outcome);
      else {
        // One row was refused: each contact gets a transaction of its own.
        for (const job of batch) {
          const one = await catchRefusal(() => inTransaction([job]));
          if ('outcome' in one) count(one.outcome);
          else refused.push({ ...job.id, reason: one.reason });
        }
      }
      done += batch.length;
      onProgress(done);
    }
    return { ...counts, refused };
  }

  async function update({ id, changes, token }: ContactWrite): Promise<WriteOutcome> {
    const names = Object.keys(changes);
    const values = names.map((name) => toColumn(columns.get(name), changes[name]));
    const { rowCount } =
      names.length === 0
        ? await query(sql.token, [scope, id, token, id])
        : await query(sql.update(names), [scope, id, token, id, versions.get(id) ?? '', ...values]);
    if ((rowCount ?? 0) === 0) return 'skipped';
    await completeConsent(open.get(id) ?? []);
    return 'updated';
  }

  async function create({ subscriptionId, changes, consent }: ContactCreate): Promise<WriteOutcome> {
    const { [tokenPath]: token, ...values } = changes;
    const names = Object.keys(values);
    const [created] = await rows<{ contact_id: string }>(sql.create(names), [
      scope,
      token,
      ...names.map((name) => toColumn(columns.get(name), values[name])),
    ]);
    if (!created) return 'skipped';
    for (const { saidBy, field, written } of consent)
      await rows(sql.addConsent, [
        scope,
        subscriptionId,
        saidBy,
        field,
        created.contact_id,
        written && JSON.stringify(written),
      ]);
    return 'created';
  }

  async function completeConsent(records: readonly ConsentRecord[]): Promise<void> {
    for (const batch of inBatches(records))
      await rows(sql.completeConsent, [scope, JSON.stringify(batch.map(consentRow))]);
  }

  async function inTransaction(
    jobs: readonly { readonly run: () => Promise<WriteOutcome> }[],
  ): Promise<WriteOutcome[]> {
    const outcomes: WriteOutcome[] = [];
    await transaction(async () => {
      for (const { run } of jobs) outcomes.push(await run());
    });
    return outcomes;
  }

  async function catchRefusal<T>(work: () => Promise<T>): Promise<{ outcome: T } | { reason: string }> {
    try {
      return { outcome: await work() };
    } catch (error) {
      if (error instanceof RowRefusedError) return { reason: error.reason };
      throw error;
    }
  }
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
