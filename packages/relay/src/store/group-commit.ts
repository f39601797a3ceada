/**
 * Group commit of both stores: writes that arrive while one is in progress share the next transaction and its sync to
 * disk. A write resolves, and its 202 is answered, only after that sync.
 */
import { isStoreFailure, storeError } from './database-errors.ts';

interface QueuedItem<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * @param write - writes a whole group and resolves once it is synced to disk, or writes none of it and rejects
 * @param most - maximum number of items in a group
 */
export function createGroupCommit<Item>(write: (items: readonly Item[]) => Promise<void>, most = 500) {
  const waiting: QueuedItem<Item>[] = [];
  let running: Promise<void> | null = null;

  async function commitWaiting(): Promise<void> {
    // After the poll phase, so that every request received by now joins the group.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await commit(waiting.splice(0, most));
    running = null;
  }

  async function commit(group: readonly QueuedItem<Item>[]): Promise<void> {
    try {
      await write(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (cause) {
      const isOfStore = isStoreFailure(cause);
      if (group.length > 1 && !isOfStore) {
        // One item may have caused the failure: then each is written by itself.
        for (const queued of group) await commit([queued]);
        return;
      }
      const error = storeError('written', cause);
      // Fail the queue too: the store does not answer, and these callers have waited for one group already.
      for (const { reject } of isOfStore ? [...group, ...waiting.splice(0)] : group) reject(error);
    }
  }

  return {
    /** @throws StoreUnavailableError if the group could not be written; then none of it was */
    run: (item: Item): Promise<void> =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running ??= commitWaiting();
      }),
    /** Resolves once nothing is in flight. */
    async done(): Promise<void> {
      await running;
    },
  };
}
