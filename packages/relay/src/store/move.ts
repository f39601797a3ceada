/**
 * What a move from one store to another is made of: a source that notes what changes, and a target that nobody serves
 * yet.
 */
import type { Row } from './rows.ts';
import type { SignupStore } from './signup-store.ts';

/** How a move stands. */
export interface MoveProgress {
  /** `begun`: by a relay that was stopped or killed meanwhile; moving again goes on with it. */
  readonly state: 'begun' | 'copying' | 'done' | 'failed';
  readonly copied: number;
  /** Signups there were when it began. */
  readonly total: number;
  /** The new store, without user and password. */
  readonly to: string;
  /** Why it failed, in a sentence without a password; null unless it did. */
  readonly reason: string | null;
}

/**
 * What is to be copied next: whole rows, by the columns of the table, and the identifiers of those that are there no
 * more.
 */
export interface MovePage {
  readonly rows: readonly Row[];
  readonly gone: readonly string[];
  /** Whether there is, or may well be, as much again behind it. */
  readonly more: boolean;
  /** Writes down that the page is in the target. */
  copied(): Promise<void>;
}

/**
 * The store that is left. From the first moment on it notes each row that changes, and goes on doing so after a
 * restart.
 */
export interface MoveSource {
  /** Names this move in the target, so that it can be told from any other. */
  readonly id: string;
  /** Signups there are now. */
  total(): number;
  /** Rows of the walk that are copied, by an earlier attempt at this move too. */
  copied(): number;
  /** Begins at the first row, under a new name: the target knows nothing of the old one. */
  restart(): Promise<void>;
  /** Null where all of it is in the target, as of this moment. */
  next(limit: number): MovePage | null;
  /** From now on the source refuses to be opened, with a sentence that names the new place. */
  seal(): Promise<void>;
}

/** The store that is moved into. Until `finish` no relay opens it. */
export interface MoveTarget {
  /** @throws StartupError where it holds anything else, or a relay uses it */
  begin(id: string): Promise<void>;
  /** Whether it holds what this move has copied so far. */
  knows(id: string): Promise<boolean>;
  total(): Promise<number>;
  /** All of a page or nothing of it. */
  write(id: string, page: Pick<MovePage, 'rows' | 'gone'>): Promise<void>;
  setPaused(paused: boolean): Promise<void>;
  finish(id: string): Promise<void>;
  /** The store, for use; closing it closes the target. Its own upkeep makes the jobs of what waits. */
  open(): SignupStore;
  close(): Promise<void>;
}
