/** Opens the world, and runs scheduled events once the clock has reached their time. */
import type { Assumed } from '../gaps.ts';
import { openStore, type DueKind } from '../store/store.ts';
import { createClock } from './clock.ts';
import { redact, startRedaction } from './deletion.ts';
import { createFeed, type Emit, type World, type WorldEvent } from './world.ts';
import { endGift } from './complimentary-access.ts';
import { createIds } from './ids.ts';
import { finishJob, startJob } from './jobs.ts';
import { sendNextEmail } from './journeys.ts';
import { sendAwaitedMail } from './mail.ts';
import { finishValidation } from './subscribe.ts';

/** Handles a scheduled event of the row `subject`; the clock stands at the event's time. */
type ScheduledEvent = (world: World, subject: number, emit: Emit) => void;

const scheduledEvents: Readonly<Record<DueKind, ScheduledEvent>> = {
  'subscription.validated': finishValidation,
  'job.started': startJob,
  'job.finished': finishJob,
  'journey.step': sendNextEmail,
  'gift.ended': endGift,
  'deletion.started': startRedaction,
  'deletion.finished': redact,
};

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
      const events: WorldEvent[] = [];
      const emit: Emit = (event) => void events.push(event);
      const result = store.transaction(() => {
        const done = work(emit);
        for (const event of events.slice()) if (event.type === 'subscription') sendAwaitedMail(world, event.seq, emit);
        return done;
      });
      for (const event of events) feed.publish(event);
      return result;
    },
    settle() {
      const now = clock.now();
      const counts: Record<string, number> = {};
      for (let due = store.due.next(now); due; due = store.due.next(now)) {
        const { seq, at, kind, subject } = due;
        clock.during(at, () =>
          world.write((emit) => {
            store.due.done(seq);
            scheduledEvents[kind](world, subject, emit);
          }),
        );
        counts[kind] = (counts[kind] ?? 0) + 1;
      }
      return counts;
    },
  };
  return world;
}
