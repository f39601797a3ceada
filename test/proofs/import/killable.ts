/**
 * A run of an import that can be killed between any two of its effects: from then on nothing of it reaches the world.
 */
import type { Host, HostAnswer } from '@newsletter-kit/core';
import type { Journal, JournalRecord } from '@newsletter-kit/core/import';

/** What outlives a kill. */
export interface Disk {
  readonly records: JournalRecord[];
}

/** The world as one run sees it. */
export interface Run {
  readonly host: Host;
  readonly journal: Journal;
  /** Never to be resolved, but by the kill. */
  readonly killed: Promise<'killed'>;
  readonly alive: () => boolean;
}

/**
 * @param effects - how many effects the run may have before it dies: a record asked for, a record on the disk, a
 *   request sent, an answer received
 */
export function killable(real: Host, disk: Disk, effects: number): Run {
  let left = effects;
  let die: (how: 'killed') => void = () => undefined;
  const killed = new Promise<'killed'>((resolve) => {
    die = resolve;
  });
  const never = new Promise<never>(() => undefined);
  /** Passes as long as the run lives. */
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
