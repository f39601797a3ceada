/** The small rest a sync keeps beside the tokens. Bounded, JSON, and without addresses: prints stand for them. Pure. */
import { isRecord } from '../is-record.ts';

/** What a sync keeps between its runs. Everything about a pair is in the pair's token. */
export interface SyncState {
  readonly version: 1;
  /** Unix seconds: a subscription without contact that is newer gets one; null before the first complete run. */
  readonly watermark: number | null;
  /** Unix seconds: the newest subscription any complete run has seen. */
  readonly seenUntil: number | null;
  /** What one complete run did not meet: a second one makes it missing. */
  readonly missing: readonly string[];
  /** Addresses of persons who were erased: never subscribed again. */
  readonly erased: readonly string[];
  /** How often a contact or subscription was created that never came back. */
  readonly attempts: Readonly<Record<string, number>>;
  /** Findings of the last run that belong to no pair, so that each is new once. */
  readonly reported: readonly string[];
}

/** Most entries of each list. A plan that needs more is held back. */
export const mostEntries = 10_000;

/** The state of a sync that has never run. */
export function startSync(): SyncState {
  return { version: 1, watermark: null, seenUntil: null, missing: [], erased: [], attempts: {}, reported: [] };
}

/** The stored state is none of this version. Starting anew is safe: tokens hold what was agreed on. */
export class SyncStateError extends Error {
  override readonly name = 'SyncStateError';

  constructor() {
    super('The stored state of the sync is damaged or of another version. Remove it: the next run starts a new one.');
  }
}

/**
 * Reads a stored state.
 *
 * @throws SyncStateError for anything that {@link SyncState} is not; undefined and null are a new one
 */
export function readSyncState(stored: unknown): SyncState {
  if (stored === undefined || stored === null) return startSync();
  if (!isSyncState(stored)) throw new SyncStateError();
  return stored;
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((entry) => typeof entry === 'string');
const isTime = (value: unknown): boolean => value === null || Number.isSafeInteger(value);

function isSyncState(stored: unknown): stored is SyncState {
  return (
    isRecord(stored) &&
    stored['version'] === 1 &&
    isTime(stored['watermark']) &&
    isTime(stored['seenUntil']) &&
    isTexts(stored['missing']) &&
    isTexts(stored['erased']) &&
    isTexts(stored['reported']) &&
    isRecord(stored['attempts']) &&
    Object.values(stored['attempts']).every((count) => Number.isSafeInteger(count))
  );
}
