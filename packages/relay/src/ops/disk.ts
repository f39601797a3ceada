/** The disk that holds the store: how much room it has. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoreAddress } from '../store/open-store.ts';

/** Room on a file system. */
export interface Disk {
  /** Bytes that a program without privileges may still write. */
  readonly availableBytes: number;
  readonly sizeBytes: number;
}

/** Asks for the room on the store's disk; null where the store is not on a disk of this machine. */
export type AskDisk = () => Promise<Disk | null>;

/** The file system on which a store lies. A database measures its own disk. */
export function diskOf(address: StoreAddress): AskDisk {
  if (address.kind !== 'sqlite') return () => Promise.resolve(null);
  const folder = dirname(address.path);
  return async () => {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { availableBytes: bavail * bsize, sizeBytes: blocks * bsize };
  };
}

/** Less than a tenth of the disk is left, and less than this many bytes: a large disk may be full for nine tenths. */
const littleBytes = 1024 ** 3;

export function isNearlyFull({ availableBytes, sizeBytes }: Disk): boolean {
  return availableBytes < littleBytes && availableBytes < sizeBytes / 10;
}
