/**
 * Both sides of a run in temporary tables of the contacts' database, which joins them: pairs that have not changed
 * since they were found at rest stay there, everything else comes back in batches for the planner.
 */
import {
  contactKeys,
  readPart,
  subscriptionKeys,
  type ReadyMapping,
  type SyncSubscription,
} from '@newsletter-kit/core/sync';
import type { AtRest, BatchStatements, Node } from './batch-statements.ts';
import { columnsOf, keyColumns, tokenPath, type SyncConfig } from './config.ts';
import { batchSize } from './statements.ts';

/** Contacts and subscriptions that belong together, and to nothing outside of the batch. */
export interface Batch {
  readonly contacts: readonly BatchContact[];
  /** In the order in which they were listed. */
  readonly subscriptions: readonly { readonly record: SyncSubscription; readonly isReadable: boolean }[];
}

export interface BatchContact {
  readonly record: Readonly<Record<string, unknown>>;
  readonly id: string;
  /** Hash of its columns, which detects concurrent changes. */
  readonly version: string;
  /** Print of the pair, where contact and subscription are alone with each other. */
  readonly digest: string | null;
}

/** The node of the first contact; those of subscriptions are positive. */
const firstContact = -1_000_000_000;

export class Batches {
  readonly #sql: BatchStatements;
  readonly #config: SyncConfig;
  readonly #mapping: ReadyMapping;
  #subscriptions = 0;

  constructor(sql: BatchStatements, config: SyncConfig, mapping: ReadyMapping) {
    this.#sql = sql;
    this.#config = config;
    this.#mapping = mapping;
  }

  /** Adds records of the newsletter. @returns those that belong to no batch, because they do not say whose they are */
  async addSubscriptions(records: readonly unknown[], isReadable: boolean): Promise<readonly unknown[]> {
    const nodes: Node[] = [];
    const rest: unknown[] = [];
    for (const record of records) {
      const subscription = Object(record) as SyncSubscription;
      const keys = subscriptionKeys(subscription);
      if (!keys) rest.push(record);
      else
        nodes.push({
          node: (this.#subscriptions += 1),
          keys,
          created: isReadable ? subscription.created : null,
          is_readable: isReadable,
          record: JSON.stringify(isReadable ? readPart(subscription, this.#mapping) : subscription),
        });
    }
    if (nodes.length > 0) await this.#sql.addSubscriptions(nodes.map(joinable));
    return rest;
  }

  /**
   * Adds the contacts of the database by their keys.
   *
   * @param onRead - is told now and then how many were read
   * @returns how many there are, and those that belong to no batch, because they have no id
   */
  async addContacts(onRead: (contacts: number) => void): Promise<{ readonly of: number; readonly rest: unknown[] }> {
    const { contacts, mapping } = this.#config;
    await this.#sql.analyzeStored();
    const rest: unknown[] = [];
    let nodes: (Node & { id: unknown })[] = [];
    let read = 0;
    const names = [contacts.email, ...keyColumns(mapping)];
    for await (const [id, digest, token, ...values] of this.#sql.contactKeys()) {
      const record = this.#recordOf(id, token, names, values);
      const keys = contactKeys(record, this.#mapping);
      const last = nodes.at(-1);
      // A table without a primary key can have two rows with one id: they come back together.
      if (id === null) rest.push(record);
      else if (last && last.id === id)
        nodes[nodes.length - 1] = { ...last, digest: null, keys: [...last.keys, ...keys] };
      else {
        if (nodes.length >= batchSize) {
          await this.#sql.addContacts(nodes.map(joinable));
          nodes = [];
        }
        nodes.push({ node: firstContact + read, id, digest, keys });
      }
      read += 1;
      if (read % batchSize === 0) onRead(read);
    }
    if (nodes.length > 0) await this.#sql.addContacts(nodes.map(joinable));
    return { of: read, rest };
  }

  /**
   * Joins both sides. Everything that is not at rest is read then.
   *
   * @param print - stands for the mapping and the version of the planner; null where no pair counts as at rest
   */
  async join(print: string | null): Promise<AtRest> {
    await this.#sql.findPartners();
    await this.#sql.findPairs(print);
    await this.#sql.makeBatches();
    return (await this.#sql.atRest()) ?? { pairs: 0, newest: null };
  }

  async *read(): AsyncGenerator<Batch> {
    const { contacts: table, mapping } = this.#config;
    const names = [table.email, ...columnsOf(mapping)];
    let current: unknown;
    let contacts: BatchContact[] = [];
    let subscriptions: Batch['subscriptions'][number][] = [];
    for await (const row of this.#sql.batches()) {
      const [batch, , isReadable, text, digest, id, version, token, ...values] = row;
      if (batch !== current && current !== undefined) {
        yield { contacts, subscriptions };
        [contacts, subscriptions] = [[], []];
      }
      current = batch;
      if (typeof text === 'string')
        subscriptions.push({ record: JSON.parse(text) as SyncSubscription, isReadable: isReadable === true });
      else
        contacts.push({
          record: this.#recordOf(id, token, names, values),
          id: String(id),
          version: String(version),
          digest: typeof digest === 'string' ? digest : null,
        });
    }
    if (current !== undefined) yield { contacts, subscriptions };
  }

  /** A contact as the planner reads it. @param names - those of the columns with these values */
  #recordOf(id: unknown, token: unknown, names: readonly string[], values: readonly unknown[]): BatchContact['record'] {
    const columns = names.map((name, at) => [name, values[at]] as const);
    return Object.fromEntries([...columns, [this.#config.contacts.id, id], [tokenPath, token]]);
  }

  /** Notes pairs of a batch that were found at rest; a finished run stores them. */
  async noteAtRest(contacts: readonly BatchContact[]): Promise<void> {
    if (contacts.length > 0) await this.#sql.noteAtRest(contacts.map(({ id, digest }) => ({ id, digest })));
  }
}

/** PostgreSQL takes no zero byte and no half character. The same key twice would look like a partner. */
function joinable({ keys, ...node }: Node): Node {
  return { ...node, keys: [...new Set(keys.map((key) => key.replaceAll('\0', '').toWellFormed()))] };
}
