/**
 * The world: store, clock, ids and feed, and the two ways anything in it changes – a write now, or what falls due
 * later.
 */
import type { Assumed } from '../control/assumptions/table.ts';
import { openStore, type Store } from '../store/store.ts';
import { createClock, type WorldClock } from './clock.ts';
import { createFeed, type Feed } from './feed.ts';
import { happenings } from './happenings.ts';
import { createIds, type Ids } from './ids.ts';
import { sendAwaitedMail } from './mail.ts';

/**
 * A subscription came to be or changed, or an e-mail came to the inbox; `seq` finds it in the store. Reset: everything
 * was replaced.
 */
export type WorldEvent =
  | { readonly type: 'subscription'; readonly change: 'created' | 'updated'; readonly seq: number }
  | { readonly type: 'message'; readonly seq: number }
  | { readonly type: 'reset' };

/** Notes a change, to be published once the transaction is committed. */
export type Note = (event: WorldEvent) => void;

export interface World {
  readonly store: Store;
  readonly clock: WorldClock;
  readonly ids: Ids;
  readonly feed: Feed<WorldEvent>;
  /** The value of an assumption that decides about the work itself, not only about its answer. */
  readonly assumed: Assumed;
  /**
   * Runs `work` in one transaction, with the e-mails that follow from it, and publishes what it noted after the commit.
   */
  write<T>(work: (note: Note) => T): T;
  /**
   * Runs everything that has fallen due, oldest first, each in its own transaction and with the clock at its due time.
   * What it schedules in turn runs too, where that has fallen due as well. Answers how many of each kind happened.
   */
  settle(): Readonly<Record<string, number>>;
}

export interface WorldOptions {
  readonly location: string;
  readonly now: () => number;
  readonly idSeed: number;
  readonly assumed: Assumed;
}

export function openWorld(options: WorldOptions): World {
  const store = openStore(options.location);
  const clock = createClock(options.now, store.clock);
  const feed = createFeed<WorldEvent>();
  const world: World = {
    store,
    clock,
    ids: createIds(options.idSeed),
    feed,
    assumed: options.assumed,
    write(work) {
      const noted: WorldEvent[] = [];
      const note: Note = (event) => void noted.push(event);
      const result = store.transaction(() => {
        const done = work(note);
        for (const event of noted.slice()) if (event.type === 'subscription') sendAwaitedMail(world, event.seq, note);
        return done;
      });
      for (const event of noted) feed.publish(event);
      return result;
    },
    settle() {
      const now = clock.now();
      const happened: Record<string, number> = {};
      for (let due = store.due.next(now); due; due = store.due.next(now)) {
        const { seq, at, kind, subject } = due;
        clock.during(at, () =>
          world.write((note) => {
            store.due.done(seq);
            happenings[kind]?.(world, subject, note);
          }),
        );
        happened[kind] = (happened[kind] ?? 0) + 1;
      }
      return happened;
    },
  };
  return world;
}
