/** The store: one database with the queries of every resource. */
import { automationStore, type Automations } from './automations.ts';
import { clockStore, type ClockStore } from './clock.ts';
import { contentStore, type Content } from './content.ts';
import { customFieldStore, type CustomFields } from './custom-fields.ts';
import { openDatabase, type Database } from './database.ts';
import { deletionRequestStore, type DeletionRequests } from './deletion-requests.ts';
import { counter, dueStore, type Due } from './due.ts';
import { giftStore, type Gifts } from './gifts.ts';
import { inboxStore, type Inbox } from './inbox.ts';
import { jobStore, type Jobs } from './jobs.ts';
import { oauthStore, type Oauth } from './oauth.ts';
import { overviewStore, type Overview } from './overview.ts';
import { snapshotStore, type SnapshotStore } from './snapshots.ts';
import { subscriptionStore, type Subscriptions } from './subscriptions.ts';
import { workspaceStore, type Workspace } from './workspace.ts';

export interface Store {
  readonly workspace: Workspace;
  readonly subscriptions: Subscriptions;
  readonly overview: Overview;
  readonly customFields: CustomFields;
  readonly jobs: Jobs;
  readonly automations: Automations;
  readonly gifts: Gifts;
  readonly content: Content;
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
