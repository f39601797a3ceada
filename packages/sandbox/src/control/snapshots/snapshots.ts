/** The snapshots of a running sandbox: taken, listed, restored, and carried out of it and in. */
import { apiError } from '../../api/errors.ts';
import type { World } from '../../world/world.ts';
import { readSnapshot, writeSnapshot } from './file.ts';

/** The whole world at one moment: subscribers, jobs, tokens, e-mails, what is due, the clock. */
export interface Snapshot {
  readonly id: string;
  readonly name: string | null;
  /** ISO 8601, of the sandbox's clock. */
  readonly time: string;
  readonly rows: number;
}

export interface Snapshots {
  take(name?: string): Snapshot;
  list(): readonly Snapshot[];
  /** Takes everything back to the snapshot, which stays. @throws ApiError 404 where there is none of this id */
  restore(id: string): Snapshot;
  remove(id: string): void;
  /** The lines of a file that {@link Snapshots.import} reads. Equal worlds make equal files. */
  export(id: string): Iterable<string>;
  /** Takes up a file as a snapshot; nothing is restored yet. @throws SnapshotError where it is none of this version */
  import(file: string, name?: string): Snapshot;
}

export function createSnapshots(world: World): Snapshots {
  const { snapshots: store } = world.store;
  const kept = new Map<string, { readonly number: number; readonly snapshot: Snapshot }>();
  let made = 0;

  const find = (id: string) => {
    const found = kept.get(id);
    if (!found)
      throw apiError(404, 'NOT_FOUND', 'There is no snapshot with this id. GET /_sandbox/snapshots lists them.');
    return found;
  };
  const keep = (number: number, name: string | undefined): Snapshot => {
    const snapshot = {
      id: `snapshot_${number}`,
      name: name ?? null,
      time: new Date(world.clock.now()).toISOString(),
      rows: store.count(number),
    };
    kept.set(snapshot.id, { number, snapshot });
    return snapshot;
  };

  return {
    take(name) {
      store.take((made += 1));
      return keep(made, name);
    },
    list: () => [...kept.values()].map(({ snapshot }) => snapshot),
    restore(id) {
      const { number, snapshot } = find(id);
      world.write((note) => {
        store.restore(number);
        note({ type: 'reset' });
      });
      world.clock.load();
      return snapshot;
    },
    remove(id) {
      store.drop(find(id).number);
      kept.delete(id);
    },
    export: (id) => writeSnapshot(store, find(id).number),
    import(file, name) {
      const number = (made += 1);
      world.store.transaction(() => readSnapshot(store, number, file));
      return keep(number, name);
    },
  };
}
