/** The store: one database with the queries of every resource, the clock, the scheduled events and the counters. */
import { type Automations, automationStore } from './automations.ts';
import { type ContentQueries, contentStore, type Gifts, giftStore } from './content.ts';
import { type CustomFields, customFieldStore } from './custom-fields.ts';
import { type Database, openDatabase } from './database.ts';
import { type DeletionRequests, deletionRequestStore, type Jobs, jobStore } from './jobs.ts';
import { type Inbox, inboxStore } from './inbox.ts';
import { type Oauth, oauthStore } from './oauth.ts';
import { type SandboxOverview, overviewStore } from './overview.ts';
import { snapshotStore, type SnapshotStore } from './snapshots.ts';
import { type Subscriptions, subscriptionStore } from './subscriptions.ts';
import { type Workspace, workspaceStore } from './workspace.ts';

export interface Store {
  readonly workspace: Workspace;
  readonly subscriptions: Subscriptions;
  readonly overview: SandboxOverview;
  readonly customFields: CustomFields;
  readonly jobs: Jobs;
  readonly automations: Automations;
  readonly gifts: Gifts;
  readonly content: ContentQueries;
  readonly deletionRequests: DeletionRequests;
  readonly oauth: Oauth;
  readonly due: Due;
  readonly clock: ClockStore;
  readonly inbox: Inbox;
  readonly snapshots: SnapshotStore;
  /** The next number of this kind of record. */
  readonly next: (kind: string) => number;
  readonly transaction: Database['transaction'];
  readonly clear: () => void;
  readonly close: () => void;
}

/** Opens the store at `location`, a path or `:memory:`. */
export function openStore(location: string): Store {
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
    next: counter(database),
    transaction: database.transaction,
    clear: database.clear,
    close: database.close,
  };
}

export interface ClockRow {
  /** Milliseconds between the time's source and the clock. */
  readonly ahead: number;
  /** Milliseconds since the Unix epoch while the clock is frozen; null while it runs. */
  readonly frozen: number | null;
}

export type ClockStore = ReturnType<typeof clockStore>;

function clockStore(database: Database) {
  const read = database.prepare<ClockRow>('SELECT ahead, frozen FROM clock');
  const write = database.prepare('INSERT OR REPLACE INTO clock (id, ahead, frozen) VALUES (1, ?, ?)');
  return {
    /** A clock that was never moved has no row. */
    read: (): ClockRow => read.get() ?? { ahead: 0, frozen: null },
    write: (row: ClockRow): void => write.run(row.ahead, row.frozen),
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

/** A scheduled event of `subject` (a row's `seq`), due `at` (milliseconds of the sandbox's clock). */
interface DueRow {
  readonly seq: number;
  readonly at: number;
  readonly kind: DueKind;
  readonly subject: number;
}

/** The queries about scheduled events. */
type Due = ReturnType<typeof dueStore>;

function dueStore(database: Database) {
  const schedule = database.prepare('INSERT INTO due (at, kind, subject) VALUES (?, ?, ?)');
  const next = database.prepare<DueRow>('SELECT * FROM due WHERE at <= ? ORDER BY at, seq LIMIT 1');
  const first = database.prepare<DueRow>('SELECT * FROM due ORDER BY at, seq LIMIT 1');
  const count = database.prepare<{ n: number }>('SELECT count(*) AS n FROM due');
  const done = database.prepare('DELETE FROM due WHERE seq = ?');
  // Every request queries due events; before this time it is known that there are none.
  let nothingDueUntil = 0;
  database.onUndone(() => {
    nothingDueUntil = 0;
  });
  return {
    schedule(at: number, kind: DueKind, subject: number): void {
      nothingDueUntil = Math.min(nothingDueUntil, at);
      schedule.run(at, kind, subject);
    },
    next(now: number): DueRow | undefined {
      if (now < nothingDueUntil) return undefined;
      const row = next.get(now);
      if (!row) nothingDueUntil = first.get()?.at ?? Number.POSITIVE_INFINITY;
      return row;
    },
    /** The next event, due or not. */
    first: () => first.get(),
    count: (): number => count.get()?.n ?? 0,
    done: (seq: number): void => done.run(seq),
  };
}

/** Returns 1, 2, 3 … for each kind. Persistent, so a restart continues the sequence. */
function counter(database: Database): (kind: string) => number {
  const count = database.prepare<{ n: number }>(
    'INSERT INTO counters (kind, n) VALUES (?, 1) ON CONFLICT (kind) DO UPDATE SET n = n + 1 RETURNING n',
  );
  return (kind) => count.get(kind)?.n ?? 0;
}
