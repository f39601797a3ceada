/** What can fall due, by name. */
import { validated } from './subscribing.ts';
import type { Note, World } from './world.ts';

/** Happens to the row `subject` when its time has come. */
export type Happening = (world: World, subject: number, note: Note) => void;

export const happenings: Readonly<Record<string, Happening>> = {
  'subscription.validated': validated,
};
