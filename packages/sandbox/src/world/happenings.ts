/** What can fall due, by name. */
import { redact, startRedaction } from './deletion.ts';
import { endGift } from './gifts.ts';
import { step } from './journeys.ts';
import { finishJob, startJob } from './jobs.ts';
import { validated } from './subscribing.ts';
import type { Note, World } from './world.ts';

/** Happens to the row `subject` when its time has come; the clock stands at that time. */
export type Happening = (world: World, subject: number, note: Note) => void;

export const happenings: Readonly<Record<string, Happening>> = {
  'subscription.validated': validated,
  'job.started': startJob,
  'job.finished': finishJob,
  'journey.step': step,
  'gift.ended': endGift,
  'deletion.started': startRedaction,
  'deletion.finished': redact,
};
