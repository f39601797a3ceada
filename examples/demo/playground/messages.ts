/** What the playground and its previews say to each other. */
import type { Tag } from './markup.ts';
import type { Setup } from './setup.ts';
import type { Sample } from './space.ts';

/** To a preview: show this. */
export interface Show extends Pick<Setup, 'language' | 'theme' | 'direction' | 'scheme' | 'state'> {
  readonly type: 'show';
  readonly tag: Tag;
  /** Address of the real endpoint, for the state in which nothing is made up. */
  readonly endpoint: string;
  /** Names of events to report. */
  readonly events: readonly string[];
  /** Another number plays the state again. */
  readonly turn: number;
}

/** To a preview: show this, and say how high it is at each width. */
export interface Measure extends Omit<Show, 'type'> {
  readonly type: 'measure';
}

/** From a preview: it is ready, it has become this high, or this has happened. */
export type Report =
  | { readonly type: 'ready' }
  | { readonly type: 'height'; readonly pixels: number }
  | { readonly type: 'space'; readonly turn: number; readonly samples: readonly Sample[] }
  | { readonly type: 'event'; readonly name: string; readonly carries: Readonly<Record<string, unknown>> };
