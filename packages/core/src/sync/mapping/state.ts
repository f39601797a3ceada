/**
 * The state that a sync keeps between runs, beside the tokens: bounded JSON with fingerprints in place of addresses.
 * Pure.
 */
import { isRecord } from '../../is-record.ts';

/** What a sync keeps between its runs. Everything about a pair is in the pair's token. */
export interface SyncState {
  readonly version: 4;
  /** Unix seconds: a subscription created after it without a contact gets one; null before the first complete run. */
  readonly watermark: number | null;
  /** Unix seconds: the newest subscription any complete run has seen. */
  readonly seenUntil: number | null;
  /** Fingerprints of ids that the last complete run did not find; a second such run makes them missing. */
  readonly missing: readonly string[];
  /** Fingerprints of addresses of erased persons, who are never subscribed again. */
  readonly erased: readonly string[];
  /** Subscriptions without contact, by fingerprint: in how many runs it was refused while the CRM took others. */
  readonly attempts: Readonly<Record<string, number>>;
  /** Fingerprints of subscriptions that wait for a contact of their own. */
  readonly kept: readonly string[];
  /** Contacts that do not show a token which was handed over, by fingerprint. */
  readonly updates: Readonly<Record<string, OpenUpdate>>;
  /** Marks of tokens of contacts that the last two runs created: one that is shown shows that the CRM takes changes. */
  readonly created: readonly (readonly string[])[];
  /** Runs in a row in which several records were refused, and none was taken. */
  readonly outage: number;
  /** Fingerprints of addresses that were asked to subscribe, and have no linked contact yet. */
  readonly asked: readonly string[];
  /** Contacts that the last complete run has read; null before it. */
  readonly contacts: number | null;
  /** Paths of the mapping that a run has seen in a contact. */
  readonly seen: readonly string[];
  /** Paths whose absence a person has accepted: it holds until a contact has them again. */
  readonly accepted: readonly string[];
  /** What contacts of active subscribers usually show of the opt-out in this field; null where it is not known. */
  readonly optOut: { readonly field: string; readonly ordinary: readonly string[] } | null;
  /** Statuses that the specification lacks, and that a person has accepted as having left. */
  readonly statuses: readonly string[];
  /** Fingerprints of the last run's findings that belong to no pair, so that each is new once. */
  readonly reported: readonly string[];
}

/** A write that a contact does not show. */
export interface OpenUpdate {
  /** In how many runs it was not shown; 0 in the run that handed it over. */
  readonly runs: number;
  /** Whether the last run handed it over as if for the first time, so that the next list may be one of before. */
  readonly isFirst?: true;
  /** Stands for the token that was handed over. */
  readonly token: string;
  /** Whether the token knows of an opt-out. */
  readonly optOut?: true;
}

/** Most entries of each list. */
export const maxEntries = 10_000;

/** The state of a sync that has never run. */
export function startSync(): SyncState {
  return Object.fromEntries(Object.entries(parts).map(([part, [start]]) => [part, start])) as unknown as SyncState;
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
 * @throws SyncStateError for anything but a {@link SyncState} of this version; undefined and null give a new state
 */
export function readSyncState(stored: unknown): SyncState {
  if (stored === undefined || stored === null) return startSync();
  if (!isSyncState(stored)) throw new SyncStateError();
  return stored;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isTime = (value: unknown): boolean => value === null || Number.isSafeInteger(value);
const isUpdate = (value: unknown): boolean =>
  isRecord(value) && Number.isSafeInteger(value['runs']) && isText(value['token']);
const isRecordOf =
  (isEntry: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    isRecord(value) && Object.values(value).every(isEntry);

/** Each part of a state: what it is before the first run, and what is valid. */
const parts: { readonly [Part in keyof SyncState]: readonly [SyncState[Part], (value: unknown) => boolean] } = {
  version: [4, (value) => value === 4],
  watermark: [null, isTime],
  seenUntil: [null, isTime],
  missing: [[], isTexts],
  erased: [[], isTexts],
  attempts: [{}, isRecordOf(Number.isSafeInteger)],
  kept: [[], isTexts],
  updates: [{}, isRecordOf(isUpdate)],
  created: [[], (value) => Array.isArray(value) && value.every(isTexts)],
  outage: [0, Number.isSafeInteger],
  asked: [[], isTexts],
  contacts: [null, isTime],
  seen: [[], isTexts],
  accepted: [[], isTexts],
  optOut: [
    null,
    (value) => value === null || (isRecord(value) && isText(value['field']) && isTexts(value['ordinary'])),
  ],
  statuses: [[], isTexts],
  reported: [[], isTexts],
};

const isSyncState = (stored: unknown): stored is SyncState =>
  isRecord(stored) && Object.entries(parts).every(([part, [, isValid]]) => isValid(stored[part]));
