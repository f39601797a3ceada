/** Health checks: the store's failures and recovery, liveness, readiness, and free disk space. */
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoreAddress } from './config/store-address.ts';
import { answerWithinMs, DeadlineError, within } from './deadline.ts';
import { StoreUnavailableError } from './errors.ts';
import { diskIsFull } from './store/database-errors.ts';
import type { ProbeEffort, SignupStore } from './store/signup-store.ts';
import type { EventListener } from './events.ts';
import type { Log } from './log.ts';

/** Operations whose failures are tracked: storing signups, claiming due ones, writing outcomes, {@link probe}. */
type StoreOperation = 'accept' | 'claim' | 'settle' | 'probe';

/** Options of {@link StoreHealth}. */
export interface StoreHealthOptions {
  readonly store: Pick<SignupStore, 'probe'>;
  /** Default: the store has no disk to look at. */
  readonly disk?: ReadDiskSpace;
  readonly log: Log;
  readonly onEvent: EventListener;
  readonly now: () => number;
}

/** How long a look at the store is reused, in milliseconds. */
const freshMs = 1000;

/** How long a write proves that the store can be written, in milliseconds: probes must not wear out the disk. */
const provenMs = 60_000;

/** The least room on the disk, in bytes: more than a signup needs. */
const leastRoom = 128 * 1024;

const wholeStore = { what: 'store', scope: '' } as const;

export class StoreHealth {
  readonly #options: StoreHealthOptions;
  readonly #failing = new Set<StoreOperation>();
  #probing: Promise<void> | null = null;
  #probedAt = 0;
  /** When the last write succeeded, in milliseconds since the Unix epoch. */
  #provenAt = 0;
  /** When the store last failed. For a while a small write proves little then: a disk may have room for that alone. */
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: StoreHealthOptions) {
    this.#options = options;
  }

  /** Records a failure. A defect of the relay is none of the store: it is logged, so that what met it goes on. */
  failed(use: StoreOperation, error: unknown): void {
    const { log, onEvent } = this.#options;
    if (!(error instanceof StoreUnavailableError)) {
      log.error({ err: error }, 'this is a defect of the relay, and not of its store: please report it');
      return;
    }
    if (this.#failing.size === 0) {
      log.error(
        { reason: error.message },
        'the store fails: signups are answered with 503, and delivery pauses until it works',
      );
      onEvent({ type: 'failing', ...wholeStore, forms: [], reason: error.message, needsOperator: false });
    }
    this.#failing.add(use);
    this.#failedAt = this.#options.now();
  }

  succeeded(use: StoreOperation): void {
    // A claim may write nothing.
    if (use !== 'claim') this.#provenAt = this.#options.now();
    if (this.#failing.size === 0) return;
    this.#failing.delete(use);
    // A probe writes and syncs as a signup does: without new signups it shows that they can be stored again.
    if (use === 'probe') this.#failing.delete('accept');
    if (this.#failing.size > 0) return;
    this.#options.log.info('the store works again');
    this.#options.onEvent({ type: 'works', ...wholeStore });
  }

  /**
   * Looks whether signups can be stored. Without any that was stored within a minute it also writes, and until a
   * minute after the store failed, more than a signup would.
   *
   * @throws StoreUnavailableError
   */
  async probe(): Promise<void> {
    const { now } = this.#options;
    // A clock that was set back makes no probe last for years.
    if (this.#probing === null || Math.abs(now() - this.#probedAt) >= freshMs) {
      this.#probedAt = now();
      const isLately = (at: number): boolean => Math.abs(now() - at) < provenMs;
      const hasFailed = this.#failing.size > 0 || isLately(this.#failedAt);
      this.#probing = this.#try(hasFailed ? 'fill' : isLately(this.#provenAt) ? 'look' : 'write');
    }
    try {
      await this.#probing;
    } catch (error) {
      this.#probing = null;
      this.failed('probe', error);
      throw error;
    }
  }

  async #try(effort: ProbeEffort): Promise<void> {
    const { store, disk, now } = this.#options;
    const room = await disk?.().catch(() => null);
    if (room && room.availableBytes < leastRoom)
      throw new StoreUnavailableError(`The store cannot be written: ${diskIsFull}.`);
    await within(answerWithinMs, store.probe(now(), effort)).catch((error: unknown) => {
      throw asStoreError(error);
    });
    if (effort !== 'look') this.succeeded('probe');
  }
}

const headers = { 'cache-control': 'no-store' };

/** Liveness: restart the process if this does not answer. */
export function livez(): Response {
  return Response.json({ status: 'alive' }, { headers });
}

/**
 * The readiness check: whether signups can be stored. Send no traffic while it fails.
 *
 * @param isPrivate - see {@link unready}
 */
export async function readyz(
  { health, stopping }: { readonly health: Pick<StoreHealth, 'probe'>; readonly stopping: AbortSignal },
  isPrivate: boolean,
): Promise<Response> {
  if (stopping.aborted) return unready('The relay is shutting down.', isPrivate);
  try {
    await health.probe();
    return Response.json({ status: 'ready' }, { headers });
  } catch (error) {
    if (error instanceof StoreUnavailableError) return unready(error.message, isPrivate);
    throw error;
  }
}

/** @param isPrivate - whether the reason is told, which is for the operator alone and contains no secret */
export function unready(reason: string, isPrivate: boolean): Response {
  return Response.json({ status: 'unready', ...(isPrivate && { reason }) }, { status: 503, headers });
}

/** Free space of a file system. */
export interface DiskSpace {
  /** Bytes that a program without privileges may still write. */
  readonly availableBytes: number;
  readonly sizeBytes: number;
  /** Size of the store's write-ahead log: it grows while another program reads the store without end. */
  readonly logBytes: number;
}

/** Reads the free space of the store's disk; null if the store is not on a disk of this machine. */
export type ReadDiskSpace = () => Promise<DiskSpace | null>;

/** Reads the free space of the file system that contains a store. A database server monitors its own disk. */
export function diskSpaceOf(address: StoreAddress): ReadDiskSpace {
  if (address.kind !== 'sqlite') return () => Promise.resolve(null);
  const folder = dirname(address.path);
  return async () => {
    const { bavail, blocks, bsize } = await statfs(folder);
    const log = await stat(`${address.path}-wal`).catch(() => null);
    return { availableBytes: bavail * bsize, sizeBytes: blocks * bsize, logBytes: log?.size ?? 0 };
  };
}

/** The error of a store that has not answered a visitor in time. Any other error stays what it is. */
export function asStoreError(error: unknown): unknown {
  if (!(error instanceof DeadlineError)) return error;
  return new StoreUnavailableError(`The store does not answer within ${answerWithinMs / 1000} seconds.`, {
    cause: error,
  });
}
