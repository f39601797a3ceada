/** A store that can be moved to another one while it is in use: whoever uses it sees one store all the time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../startup-error.ts';
import type { MovePage, MoveProgress, MoveTarget } from './move.ts';
import {
  StoreUnavailableError,
  type ClaimedSignup,
  type Moving,
  type NewSignup,
  type Outcome,
  type Page,
  type SharedCounters,
  type SignupFilter,
  type SignupStore,
} from './signup-store.ts';
import type { LeavableStore } from './sqlite/sqlite-store.ts';

/** Options of {@link MovableStore}. */
export interface MovableStoreOptions {
  readonly store: LeavableStore;
  /** Opens what is moved into. @throws StartupError with one sentence that holds no password */
  readonly target: (url: string) => Promise<MoveTarget>;
  /** A place for people to read: without user and password. */
  readonly nameOf: (url: string) => string;
  /** Told where everything is from now on. */
  readonly onMoved?: ((to: string) => void) | undefined;
}

/** Signups of one transaction. */
const pageSize = 1000;

/**
 * Longest that signups wait for the last rows to be copied, in milliseconds. After that the move is called off, and
 * they are kept where they always were.
 */
const longestHoldMs = 5000;

/** How often delivery looks whether the move is over, in milliseconds. */
const lookMs = 200;

/**
 * Until the very end everything is kept in the old store, which notes what changes; the new one follows. When it has
 * nearly caught up, delivery takes nothing new; when nothing is under way, callers are held, the last rows follow, the
 * old store is sealed, and the callers go on with the new one. So no moment has two stores, and a crash at any moment
 * leaves exactly one.
 */
export class MovableStore implements SignupStore {
  readonly #options: MovableStoreOptions;
  #store: SignupStore;
  /** Taken out for delivery, and not yet settled. */
  readonly #claimed = new Set<string>();
  readonly #underWay = new Set<Promise<unknown>>();
  /** Delivery takes nothing while the move comes to its end. */
  #draining = false;
  /** Callers wait for this before they touch a store. */
  #held: Promise<void> | null = null;
  #progress: MoveProgress | null = null;
  #moved: Promise<void> = Promise.resolve();
  #closing = false;
  readonly moving: Moving;

  constructor(options: MovableStoreOptions) {
    this.#options = options;
    this.#store = options.store;
    const { leavingFor } = options.store;
    if (leavingFor !== null) this.#progress = { state: 'begun', copied: 0, total: 0, to: leavingFor, reason: null };
    this.moving = { start: (url) => this.#start(url), progress: () => this.#progress };
  }

  get shared(): boolean {
    return this.#store.shared;
  }

  get counters(): SharedCounters | undefined {
    return this.#store.counters;
  }

  #start(url: string): MoveProgress {
    const to = this.#options.nameOf(url);
    const present = this.#progress;
    if (present?.state === 'copying' || present?.state === 'done') {
      return present.to === to
        ? present
        : { ...present, state: 'failed', reason: `The signups of this relay are moved to ${present.to} already.` };
    }
    let progress: MoveProgress = { state: 'copying', copied: 0, total: 0, to, reason: null };
    const tell = (change: Partial<MoveProgress>): void => {
      progress = { ...progress, ...change };
      this.#progress = progress;
    };
    tell({});
    this.#moved = this.#run(url, to, tell).catch((error: unknown) => {
      // The two kinds of error whose words are for people, and hold no password.
      const known = error instanceof StoreUnavailableError || error instanceof StartupError;
      tell({
        state: 'failed',
        reason: known
          ? error.message
          : 'An unexpected failure ended the move; the signups are where they were. Move again.',
      });
    });
    return progress;
  }

  async #run(url: string, to: string, tell: (change: Partial<MoveProgress>) => void): Promise<void> {
    const target = await this.#options.target(url);
    let inUse = false;
    try {
      const source = await this.#options.store.leave(to);
      if (!(await target.knows(source.id))) await source.restart();
      await target.begin(source.id);
      const total = source.total();
      let copied = source.copied();
      tell({ copied, total });
      const copy = async (): Promise<MovePage | null> => {
        const page = source.next(pageSize);
        if (page === null) return null;
        await target.write(source.id, page);
        await page.copied();
        copied = Math.min(copied + page.rows.length, total);
        tell({ copied });
        return page;
      };
      for (;;) {
        if (this.#closing)
          throw new StoreUnavailableError(
            'The relay was stopped in the middle of the move. Start it and move again: it goes on where it was.',
          );
        if ((await copy())?.more) continue;
        if (await this.#drained()) break;
      }
      await this.#hold(async (decide) => {
        while ((await copy()) !== null);
        const [there, here] = [await target.total(), source.total()];
        if (there !== here)
          throw new StoreUnavailableError(
            `The store ${to} holds ${there} signups instead of ${here}: somebody else writes to it. Move into an empty database.`,
          );
        await target.setPaused(await this.#store.paused());
        decide();
        await source.seal();
        this.#store = both(target.open(), this.#store);
        inUse = true;
      });
      await finished(
        () => target.finish(source.id),
        () => this.#closing,
      );
      tell({ state: 'done', copied: total });
      this.#options.onMoved?.(to);
    } finally {
      this.#draining = false;
      if (!inUse) await target.close();
    }
  }

  /** Whether nothing is out for delivery, and nothing new will be. */
  async #drained(): Promise<boolean> {
    this.#draining = true;
    await Promise.allSettled(this.#underWay);
    if (this.#claimed.size === 0) return true;
    await sleep(lookMs);
    return false;
  }

  /**
   * Does the last of it while callers wait, and lets them go on with the old store when that takes too long.
   *
   * @param work - calls what it is given before it does what cannot be taken back; that throws once it is too late
   */
  async #hold(work: (decide: () => void) => Promise<void>): Promise<void> {
    const callers = Promise.withResolvers<void>();
    this.#held = callers.promise;
    const late = Promise.withResolvers<never>();
    const tooLate = new StoreUnavailableError(
      'The new store is too slow to take over without turning signups away: move again when it is less busy.',
    );
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      late.reject(tooLate);
    }, longestHoldMs);
    const decide = (): void => {
      if (isLate) throw tooLate;
      clearTimeout(timer);
    };
    try {
      const done = Promise.allSettled(this.#underWay).then(() => work(decide));
      await Promise.race([done, late.promise]);
    } finally {
      clearTimeout(timer);
      this.#held = null;
      callers.resolve();
    }
  }

  #use<T>(work: (store: SignupStore) => Promise<T>): Promise<T> {
    if (this.#held) return this.#held.then(() => this.#use(work));
    const used = work(this.#store);
    this.#underWay.add(used);
    const ended = (): void => void this.#underWay.delete(used);
    used.then(ended, ended);
    return used;
  }

  accept(signup: NewSignup) {
    return this.#use((store) => store.accept(signup));
  }

  claim(limit: number, now: number): Promise<readonly ClaimedSignup[]> {
    return this.#use(async (store) => {
      if (this.#draining) return [];
      const claimed = await store.claim(limit, now);
      for (const { id } of claimed) this.#claimed.add(id);
      return claimed;
    });
  }

  async settle(ids: readonly string[], outcome: Outcome): Promise<void> {
    await this.#use((store) => store.settle(ids, outcome));
    for (const id of ids) this.#claimed.delete(id);
  }

  async release(ids: readonly string[]): Promise<void> {
    await this.#use((store) => store.release(ids));
    for (const id of ids) this.#claimed.delete(id);
  }

  backlog(most: number, now: number) {
    return this.#use((store) => (this.#draining ? Promise.resolve(0) : store.backlog(most, now)));
  }

  nextDueAt(now: number): Promise<number | null> {
    return this.#use((store) => (this.#draining ? Promise.resolve(now + lookMs) : store.nextDueAt(now)));
  }

  counts() {
    return this.#use((store) => store.counts());
  }

  overview(now: number) {
    return this.#use((store) => store.overview(now));
  }

  list(filter: SignupFilter, page: Page) {
    return this.#use((store) => store.list(filter, page));
  }

  redrive(filter: SignupFilter, now: number) {
    return this.#use((store) => store.redrive(filter, now));
  }

  erase(address: string) {
    return this.#use((store) => store.erase(address));
  }

  eraseDelivered(before: number) {
    return this.#use((store) => store.eraseDelivered(before));
  }

  paused() {
    return this.#use((store) => store.paused());
  }

  setPaused(paused: boolean) {
    return this.#use((store) => store.setPaused(paused));
  }

  probe(now: number) {
    return this.#use((store) => store.probe(now));
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#moved;
    await this.#store.close();
  }
}

/** The new store, which keeps the lock of the old one until it is closed: nobody opens that meanwhile. */
function both(store: SignupStore, old: SignupStore): SignupStore {
  const close = store.close.bind(store);
  store.close = async () => {
    await close();
    await old.close();
  };
  return store;
}

/**
 * The old store is sealed and the new one in use: what is left is to say so there, however often the way to it breaks.
 */
async function finished(finish: () => Promise<void>, isClosing: () => boolean): Promise<void> {
  for (;;) {
    try {
      return await finish();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || isClosing()) throw error;
      await sleep(lookMs);
    }
  }
}
