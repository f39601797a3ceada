/** The plan of a run in parts, so that its size does not matter: from the database, or in memory. */
import {
  urgentOf,
  type Finding,
  type PlannedBatch,
  type PlannedPair,
  type PlannedPart,
  type PlannedWrites,
  type SyncCounts,
  type SyncPlan,
} from '@newsletter-kit/core/sync';
import type { BatchStatements } from './batch-statements.ts';

/** A part of a plan: changes that can be carried out on their own. */
export interface PlanPart extends PlannedPart {
  /** The version of each contact that is updated when it was read, by id. */
  readonly versions: Readonly<Record<string, string>>;
}

/** A plan as a person reads it. Everything that grows with it comes in parts. */
export interface ShownPlan extends Pick<SyncPlan, 'held' | 'counts'> {
  /** Everything that the run would do, also where it is held back. */
  whole(): AsyncIterable<PlannedWrites> | Iterable<PlannedWrites>;
  findings(): AsyncIterable<readonly Finding[]> | Iterable<readonly Finding[]>;
}

/** A plan that can be carried out. */
export interface PlannedRun extends ShownPlan, Pick<SyncPlan, 'state' | 'mapping'> {
  /** The changes of all parts. */
  readonly size: ChangeCount;
  /** What the run carries out: opt-outs and unsubscribes first. */
  parts(): AsyncIterable<PlanPart>;
}

export interface ChangeCount {
  readonly newsletter: number;
  readonly contacts: number;
}

function sizeOf({ pairs, contactCreates, subscriptionCreates }: Omit<PlannedPart, 'findings'>): ChangeCount {
  return {
    newsletter: pairs.reduce((sum, pair) => sum + pair.subscriptionWrites.length, subscriptionCreates.length),
    contacts: pairs.reduce((sum, pair) => sum + pair.contactWrites.length, contactCreates.length),
  };
}

/** Changes of one part, about as many as a bulk update takes. */
const partSize = 1000;

/**
 * What parts are for: the changes to make first and after them, and those that wait; the opt-outs and the unsubscribes
 * of a plan that is held back; findings.
 */
type Kind = 'first' | 'second' | 'waiting' | 'opt_outs' | 'unsubscribes' | 'findings';

const nothing: PlanPart = { pairs: [], contactCreates: [], subscriptionCreates: [], findings: [], versions: {} };

/** The plans of batches, in a temporary table. */
export class ChangeStore {
  readonly #sql: Pick<BatchStatements, 'addChanges' | 'changes'>;
  /** Of each kind: the changes that are not stored yet, and the size of each stored part. */
  readonly #kinds = new Map<Kind, { readonly open: PlanPart; readonly stored: ChangeCount[] }>();

  constructor(sql: Pick<BatchStatements, 'addChanges' | 'changes'>) {
    this.#sql = sql;
  }

  /** @param versionOf - the version of a contact when it was read */
  async add(batch: PlannedBatch, versionOf: (id: string) => string): Promise<void> {
    const { urgent, findings, waiting, pairs, ...creates } = batch;
    const withVersions = (list: readonly PlannedPair[]): PlanPart => {
      const ids = list.flatMap(({ contactWrites }) => contactWrites.map(({ id }) => id));
      return { ...nothing, pairs: list, versions: Object.fromEntries(ids.map((id) => [id, versionOf(id)])) };
    };
    const isFirst = ({ subscriptionWrites }: PlannedPair): boolean =>
      subscriptionWrites.some(({ unsubscribe }) => unsubscribe);
    await this.#append('first', withVersions(pairs.filter(isFirst)));
    await this.#append('second', { ...withVersions(pairs.filter((pair) => !isFirst(pair))), ...creates });
    await this.#append('waiting', { ...nothing, ...waiting });
    await this.#append('unsubscribes', withVersions(urgent.filter(isFirst)));
    await this.#append('opt_outs', withVersions(urgent.filter((pair) => !isFirst(pair))));
    await this.#append('findings', { ...nothing, findings });
  }

  /** @param enough - changes and findings that are stored together */
  async #append(kind: Kind, part: PlanPart, enough = partSize): Promise<void> {
    const { open: before, stored } = this.#kinds.get(kind) ?? { open: nothing, stored: [] };
    const open = joined(before, part);
    const { pairs, contactCreates, subscriptionCreates, findings } = open;
    const isFull = pairs.length + contactCreates.length + subscriptionCreates.length + findings.length >= enough;
    if (isFull) {
      stored.push(sizeOf(open));
      await this.#sql.addChanges(kind, stored.length, open);
    }
    this.#kinds.set(kind, { open: isFull ? nothing : open, stored });
  }

  /** The plan, once the last batch is added. @param plan - of all batches: its own changes are of none of them */
  async finish(plan: SyncPlan): Promise<PlannedRun> {
    const { held, counts, findings } = plan;
    await this.#append('findings', { ...nothing, findings });
    for (const [kind, { open }] of this.#kinds) if (open !== nothing) await this.#append(kind, nothing, 0);
    const kinds: readonly Kind[] = held ? ['unsubscribes', 'opt_outs'] : ['first', 'second'];
    return {
      ...plan,
      size: sumOf(kinds.flatMap((kind) => this.#kinds.get(kind)?.stored ?? [])),
      parts: () => this.#carriedOut(kinds, held === null ? null : counts),
      whole: () => this.#read(['first', 'second', 'waiting']),
      findings: () => this.#findings(),
    };
  }

  async *#read(kinds: readonly Kind[]): AsyncGenerator<PlanPart> {
    for (const kind of kinds)
      for (let part = 1; part <= (this.#kinds.get(kind)?.stored.length ?? 0); part += 1) {
        const row = await this.#sql.changes(kind, part);
        if (row) yield JSON.parse(row.content) as PlanPart;
      }
  }

  async *#carriedOut(kinds: readonly Kind[], held: SyncCounts | null): AsyncGenerator<PlanPart> {
    for await (const part of this.#read(kinds)) yield held ? { ...part, pairs: urgentOf(part.pairs, held) } : part;
  }

  async *#findings(): AsyncGenerator<readonly Finding[]> {
    for await (const { findings } of this.#read(['findings'])) yield findings;
  }
}

const sumOf = (sizes: readonly ChangeCount[]): ChangeCount => ({
  newsletter: sizes.reduce((sum, { newsletter }) => sum + newsletter, 0),
  contacts: sizes.reduce((sum, { contacts }) => sum + contacts, 0),
});

function joined(one: PlanPart, other: PlanPart): PlanPart {
  return {
    pairs: [...one.pairs, ...other.pairs],
    contactCreates: [...one.contactCreates, ...other.contactCreates],
    subscriptionCreates: [...one.subscriptionCreates, ...other.subscriptionCreates],
    findings: [...one.findings, ...other.findings],
    versions: { ...one.versions, ...other.versions },
  };
}
