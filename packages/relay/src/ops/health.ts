/** Health checks: the store's failures and recovery, liveness, readiness, and free disk space. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoreAddress } from '../store/address.ts';
import { StoreUnavailableError, type SignupStore } from '../store/signup-store.ts';
import type { EventListener } from './events.ts';
import type { Log } from './log.ts';

/** What the store is used for: keeping signups, claiming due ones, writing outcomes, and the check of {@link probe}. */
type StoreOperation = 'accept' | 'claim' | 'settle' | 'probe';

/** Options of {@link StoreHealth}. */
export interface StoreHealthOptions {
  readonly store: Pick<SignupStore, 'probe'>;
  readonly log: Log;
  readonly onEvent: EventListener;
  readonly now: () => number;
}

/** A good result of a probe holds for this long, in milliseconds, so that nobody can wear out the disk by asking. */
const freshMs = 1000;

export class StoreHealth {
  readonly #options: StoreHealthOptions;
  readonly #failing = new Set<StoreOperation>();
  #probing: Promise<void> | null = null;
  #probedAt = 0;

  constructor(options: StoreHealthOptions) {
    this.#options = options;
  }

  /** @throws the error, where it is no failure of the store */
  failed(use: StoreOperation, error: unknown): void {
    if (!(error instanceof StoreUnavailableError)) throw error;
    if (this.#failing.size === 0) {
      const { log, onEvent } = this.#options;
      log.error(
        { reason: error.message },
        'the store fails: signups are answered with 503, and delivery pauses until it works',
      );
      onEvent({ type: 'storeFailed', reason: error.message });
    }
    this.#failing.add(use);
  }

  succeeded(use: StoreOperation): void {
    if (this.#failing.size === 0) return;
    this.#failing.delete(use);
    // A probe writes and syncs what a signup would: with nobody signing up it says that signups can be kept again.
    if (use === 'probe') this.#failing.delete('accept');
    if (this.#failing.size > 0) return;
    this.#options.log.info('the store works again');
    this.#options.onEvent({ type: 'storeRecovered' });
  }

  /** Writes and syncs, as a signup would, once a second at most. @throws StoreUnavailableError */
  async probe(): Promise<void> {
    const { store, now } = this.#options;
    if (this.#probing === null || now() - this.#probedAt >= freshMs) {
      this.#probedAt = now();
      this.#probing = store.probe(now());
    }
    try {
      await this.#probing;
      this.succeeded('probe');
    } catch (error) {
      this.#probing = null;
      this.failed('probe', error);
      throw error;
    }
  }
}

const headers = { 'cache-control': 'no-store' };

/** The process answers. Restart it when it does not. */
export function livez(): Response {
  return Response.json({ status: 'alive' }, { headers });
}

/** Makes the readiness check: it writes and syncs, as a signup would. Send no traffic while it fails. */
export function readiness(health: Pick<StoreHealth, 'probe'>, isDraining: () => boolean): () => Promise<Response> {
  const unready = (reason: string): Response => Response.json({ status: 'unready', reason }, { status: 503, headers });
  return async () => {
    if (isDraining()) return unready('The relay is shutting down.');
    try {
      await health.probe();
      return Response.json({ status: 'ready' }, { headers });
    } catch (error) {
      if (error instanceof StoreUnavailableError) return unready(error.message);
      throw error;
    }
  };
}

/** Room on a file system. */
export interface DiskSpace {
  /** Bytes that a program without privileges may still write. */
  readonly availableBytes: number;
  readonly sizeBytes: number;
}

/** Asks for the room on the store's disk; null where the store is not on a disk of this machine. */
export type ReadDiskSpace = () => Promise<DiskSpace | null>;

/** The file system on which a store lies. A database measures its own disk. */
export function diskSpaceOf(address: StoreAddress): ReadDiskSpace {
  if (address.kind !== 'sqlite') return () => Promise.resolve(null);
  const folder = dirname(address.path);
  return async () => {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { availableBytes: bavail * bsize, sizeBytes: blocks * bsize };
  };
}

/** Less than a tenth of the disk is left, and less than this many bytes: a large disk may be full for nine tenths. */
const lowSpaceBytes = 1024 ** 3;

export function isNearlyFull({ availableBytes, sizeBytes }: DiskSpace): boolean {
  return availableBytes < lowSpaceBytes && availableBytes < sizeBytes / 10;
}
