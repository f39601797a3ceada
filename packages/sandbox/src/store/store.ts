/** The store: one database with the queries of every resource. */
import { type Automations, automationStore } from './automations.ts';
import { clockStore, type ClockStore, counter, type Due, dueStore } from './schedule.ts';
import { type Content, contentStore, type Gifts, giftStore } from './content.ts';
import { type CustomFields, customFieldStore } from './custom-fields.ts';
import { type Database, openDatabase } from './database.ts';
import { type DeletionRequests, deletionRequestStore, type Jobs, jobStore } from './jobs.ts';
import { type Inbox, inboxStore } from './inbox.ts';
import { type Oauth, oauthStore } from './oauth.ts';
import { type Overview, overviewStore } from './overview.ts';
import { snapshotStore, type SnapshotStore } from './snapshots.ts';
import { type Subscriptions, subscriptionStore } from './subscriptions.ts';
import { type Workspace, workspaceStore } from './workspace.ts';

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
