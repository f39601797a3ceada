/**
 * A run of an import that can be killed between any two of its effects: after the kill it has no further effects.
 */
import type { Host, HostAnswer } from '@newsletter-kit/core';
import type { Journal, JournalRecord } from '@newsletter-kit/core/import';

/** The journal on the disk, which survives a kill. */
export interface Disk {
  readonly records: JournalRecord[];
}

/** Host and journal of one run. */
export interface Run {
  readonly host: Host;
  readonly journal: Journal;
  /** Resolves at the kill, otherwise never. */
  readonly killed: Promise<'killed'>;
  readonly alive: () => boolean;
}

/**
 * @param effects - number of effects before the kill: an append that began, a record on the disk, a request sent,
 *   an answer received
 */
export function killable(real: Host, disk: Disk, effects: number): Run {
  let left = effects;
  let die: (how: 'killed') => void = () => undefined;
  const killed = new Promise<'killed'>((resolve) => {
    die = resolve;
  });
  const never = new Promise<never>(() => undefined);
  /** Resolves until the run is killed. */
  const effect = async (): Promise<void> => {
    if (left <= 0) return never;
    left -= 1;
    if (left > 0) return;
    die('killed');
    return never;
  };
  let tail = Promise.resolve();
  return {
    killed,
    alive: () => left > 0,
    host: {
      ...real,
      async send(request): Promise<HostAnswer> {
        await effect();
        try {
          return await real.send(request);
        } finally {
          await effect();
        }
      },
    },
    journal: {
      read: () => [...disk.records],
      append(record) {
        const appended = tail.then(async () => {
          await effect();
          disk.records.push(record);
          await effect();
        });
        tail = appended;
        return appended;
      },
    },
  };
}
