/**
 * The state that a sync keeps between runs, beside the tokens: bounded JSON with fingerprints in place of addresses.
 * Pure.
 */
import { isRecord } from '../is-record.ts';

/** What a sync keeps between its runs. Everything about a pair is in the pair's token. */
export interface SyncState {
  readonly version: 2;
  /** Unix seconds: a subscription created after it without a contact gets one; null before the first complete run. */
  readonly watermark: number | null;
  /** Unix seconds: the newest subscription any complete run has seen. */
  readonly seenUntil: number | null;
  /** Fingerprints of ids that the last complete run did not find; a second such run makes them missing. */
  readonly missing: readonly string[];
  /** Fingerprints of addresses of erased persons, who are never subscribed again. */
  readonly erased: readonly string[];
  /** How often a creation was tried that did not show up in the next run, by fingerprint. */
  readonly attempts: Readonly<Record<string, number>>;
  /** How often a change of a contact was handed over that did not show up in the next run, by fingerprint. */
  readonly updates: Readonly<Record<string, number>>;
  /** Contacts that the last complete run has read; null before it. */
  readonly contacts: number | null;
  /** Paths of the mapping that a run has seen in a contact. */
  readonly seen: readonly string[];
  /** Paths whose absence a person has accepted: it holds until a contact has them again. */
  readonly accepted: readonly string[];
  /** Fingerprints of the last run's findings that belong to no pair, so that each is new once. */
  readonly reported: readonly string[];
}

/** Most entries of each list. A plan that needs more is held back. */
export const maxEntries = 10_000;

/** The state of a sync that has never run. */
export function startSync(): SyncState {
  return {
    version: 2,
    watermark: null,
    seenUntil: null,
    missing: [],
    erased: [],
    attempts: {},
    updates: {},
    contacts: null,
    seen: [],
    accepted: [],
    reported: [],
  };
}

/** The stored state is damaged or of another version. A new state is safe: the tokens hold the agreed values. */
export class SyncStateError extends Error {
  override readonly name = 'SyncStateError';

  constructor() {
    super('The stored state of the sync is damaged or of another version. Remove it: the next run starts a new one.');
  }
}

/**
 * Reads a stored state.
 *
 * @throws SyncStateError for anything but a {@link SyncState} of this version or the one before; undefined and null
 *   give a new state
 */
export function readSyncState(stored: unknown): SyncState {
  if (stored === undefined || stored === null) return startSync();
  const state: unknown = isRecord(stored) && stored['version'] === 1 ? { ...startSync(), ...stored, version: 2 } : stored;
  if (!isSyncState(state)) throw new SyncStateError();
  return state;
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((entry) => typeof entry === 'string');
const isTime = (value: unknown): boolean => value === null || Number.isSafeInteger(value);
const isCounts = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((count) => Number.isSafeInteger(count));

function isSyncState(stored: unknown): stored is SyncState {
  return (
    isRecord(stored) &&
    stored['version'] === 2 &&
    isTime(stored['watermark']) &&
    isTime(stored['seenUntil']) &&
    isTexts(stored['missing']) &&
    isTexts(stored['erased']) &&
    isTexts(stored['reported']) &&
    isTime(stored['contacts']) &&
    isTexts(stored['seen']) &&
    isTexts(stored['accepted']) &&
    isCounts(stored['attempts']) &&
    isCounts(stored['updates'])
  );
}
