/** The store: one database with the queries of every resource, the clock, the scheduled events and the counters. */
import { automationStore } from './automations.ts';
import { contentStore, giftStore } from './content.ts';
import { customFieldStore } from './custom-fields.ts';
import { type Bound, columnsOf, type Database, openDatabase, statementsOf } from './database.ts';
import { deletionRequestStore, jobStore } from './jobs.ts';
import { inboxStore } from './inbox.ts';
import { oauthStore } from './oauth.ts';
import { overviewStore } from './overview.ts';
import { snapshotStore } from './snapshots.ts';
import { subscriptionStore } from './subscriptions.ts';
import { type Row, type TableName, tableNames } from './tables.ts';
import { workspaceStore } from './workspace.ts';

export type Store = ReturnType<typeof openStore>;

/** Opens the store at `location`, a path or `:memory:`. */
export function openStore(location: string) {
  const database = openDatabase(location);
  return {
    workspace: workspaceStore(database),
    subscriptions: subscriptionStore(database),
    overview: overviewStore(database),
    customFields: customFieldStore(database),
    jobs: jobStore(database),
    automations: automationStore(database),
    gifts: giftStore(database),
    content: contentStore(database),
    deletionRequests: deletionRequestStore(database),
    oauth: oauthStore(database),
    due: dueStore(database),
    clock: clockStore(database),
    inbox: inboxStore(database),
    snapshots: snapshotStore(database),
    /** Puts a row into a table. */
    insert: inserter(database),
    /** The next number of this kind of record. */
    next: counter(database),
    transaction: database.transaction,
    clear: database.clear,
    close: database.close,
  };
}

export type ClockRow = Omit<Row<'clock'>, 'id'>;

export type ClockStore = ReturnType<typeof clockStore>;

function clockStore(database: Database) {
  const { one, run } = statementsOf(database);
  const read = one<ClockRow>('SELECT ahead, frozen FROM clock');
  const write = run<[ahead: number, frozen: number | null]>(
    'INSERT OR REPLACE INTO clock (id, ahead, frozen) VALUES (1, ?, ?)',
  );
  return {
    /** A clock that was never moved has no row. */
    read: (): ClockRow => read() ?? { ahead: 0, frozen: null },
    write: ({ ahead, frozen }: ClockRow): void => write(ahead, frozen),
  };
}

/** What happens at a time. */
export type DueKind =
  | 'subscription.validated'
  | 'job.started'
  | 'job.finished'
  | 'journey.step'
  | 'gift.ended'
  | 'deletion.started'
  | 'deletion.finished';

/** A scheduled event of `subject`, a row's `seq`. */
type DueRow = Row<'due'> & { readonly kind: DueKind };

/** The queries about scheduled events. */
function dueStore(database: Database) {
  const { number, one, run } = statementsOf(database);
  const schedule = run<[at: number, kind: DueKind, subject: number]>(
    'INSERT INTO due (at, kind, subject) VALUES (?, ?, ?)',
  );
  const next = one<DueRow, [now: number]>('SELECT * FROM due WHERE at <= ? ORDER BY at, seq LIMIT 1');
  const first = one<DueRow>('SELECT * FROM due ORDER BY at, seq LIMIT 1');
  // Every request queries due events; before this time it is known that there are none.
  let nothingDueUntil = 0;
  database.onUndone(() => {
    nothingDueUntil = 0;
  });
  return {
    schedule(at: number, kind: DueKind, subject: number): void {
      nothingDueUntil = Math.min(nothingDueUntil, at);
      schedule(at, kind, subject);
    },
    next(now: number): DueRow | undefined {
      if (now < nothingDueUntil) return undefined;
      const row = next(now);
      if (!row) nothingDueUntil = first()?.at ?? Number.POSITIVE_INFINITY;
      return row;
    },
    /** The next event, due or not. */
    first,
    count: number('SELECT count(*) AS n FROM due'),
    done: run<[seq: number]>('DELETE FROM due WHERE seq = ?'),
  };
}

function inserter(database: Database): <Name extends TableName>(table: Name, row: Row<Name>) => void {
  const columns = new Map(tableNames.map((table) => [table, columnsOf(database, table)]));
  return (table, row) => {
    const names = columns.get(table) ?? [];
    database
      .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
      .run(...names.map((name) => row[name as keyof typeof row] as Bound));
  };
}

/** Returns 1, 2, 3 … for each kind. Persistent, so a restart continues the sequence. */
function counter(database: Database): (kind: string) => number {
  return statementsOf(database).number<[kind: string]>(
    'INSERT INTO counters (kind, n) VALUES (?, 1) ON CONFLICT (kind) DO UPDATE SET n = n + 1 RETURNING n',
  );
}
