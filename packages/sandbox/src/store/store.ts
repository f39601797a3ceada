/** The store: one database with the queries of every resource. */
import { clockStore, type ClockStore } from './clock.ts';
import { customFieldStore, type CustomFields } from './custom-fields.ts';
import { openDatabase, type Database } from './database.ts';
import { counter, dueStore, type Due } from './due.ts';
import { overviewStore, type Overview } from './overview.ts';
import { subscriptionStore, type Subscriptions } from './subscriptions.ts';
import { workspaceStore, type Workspace } from './workspace.ts';

export interface Store {
  readonly workspace: Workspace;
  readonly subscriptions: Subscriptions;
  readonly overview: Overview;
  readonly customFields: CustomFields;
  readonly due: Due;
  readonly clock: ClockStore;
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
    due: dueStore(database),
    clock: clockStore(database),
    next: counter(database),
    transaction: database.transaction,
    clear: database.clear,
    close: database.close,
  };
}
