/** The state of a watch, its checkpoint between polls: plain JSON, validated when it is read back. */
import { isRecord } from '../is-record.ts';
import { startCreated, type CreatedState } from './created.ts';
import type { ScanState } from './scan.ts';
import { countOf, largestWidth, type Segment } from './segment.ts';

/** Plain JSON: `JSON.stringify` writes it, {@link readWatchState} reads it. */
export interface WatchState {
  readonly version: 2;
  /** A text for the publication and the filters, chosen by the caller. Another scope starts a new state. */
  readonly scope: string;
  /** Number of polls that changed the state. */
  readonly revision: number;
  readonly created: CreatedState;
  /** Null where only new subscriptions are watched. */
  readonly scan: ScanState | null;
}

/** The stored state is damaged, no watch state, or of a later version. */
export class WatchStateError extends Error {
  override readonly name = 'WatchStateError';
}

/** The list has more subscriptions than `capacity` allows in the state. */
export class CapacityError extends Error {
  override readonly name = 'CapacityError';
  readonly capacity: number;
  /** Subscriptions in the list, where the service stated it; null where the limit was reached while reading. */
  readonly size: number | null;

  constructor(capacity: number, size: number | null = null) {
    super(
      `The watched list holds ${size ?? 'more than ' + capacity} subscriptions, and the state may hold at most ${capacity}. Watch "created" alone or the list of one status, or run the watch where its state may be larger.`,
    );
    this.capacity = capacity;
    this.size = size;
  }
}

/**
 * The state before the first poll.
 *
 * @param scope - a text of your choice for the publication and the filters
 * @param since - Unix seconds; when given, everything created from that second on counts as new
 */
export function startWatch(scope = '', since?: number): WatchState {
  return { version: 2, scope, revision: 0, created: startCreated(since), scan: null };
}

/**
 * Reads a stored state, parsed. Returns a new state for another scope, null and undefined.
 *
 * @throws WatchStateError where it is damaged or of a later version; to start a new watch, delete it
 */
export function readWatchState(stored: unknown, scope = ''): WatchState {
  if (stored === null || stored === undefined) return startWatch(scope);
  const version = isRecord(stored) ? stored['version'] : undefined;
  if (typeof version === 'number' && version > 2) {
    throw new WatchStateError(
      `The watch state is of version ${version}, this program reads 2: use the newer program, or delete the state to start a new watch.`,
    );
  }
  if (!isWatchState(stored))
    throw new WatchStateError(
      'The watch state is damaged, or it is no watch state: restore it, or delete it to start a new watch.',
    );
  return stored.scope === scope ? stored : startWatch(scope);
}

type ValueCheck = (value: unknown) => boolean;

const isText: ValueCheck = (value) => typeof value === 'string';
const isNumber: ValueCheck = (value) => typeof value === 'number' && Number.isFinite(value);
const isCount: ValueCheck = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const orNull =
  (check: ValueCheck): ValueCheck =>
  (value) =>
    value === null || check(value);
const listOf =
  (check: ValueCheck): ValueCheck =>
  (value) =>
    Array.isArray(value) && value.every(check);
const record =
  (checks: Readonly<Record<string, ValueCheck>>): ValueCheck =>
  (value) =>
    isRecord(value) && Object.entries(checks).every(([name, check]) => check(value[name]));

const orAbsent =
  (check: ValueCheck): ValueCheck =>
  (value) =>
    value === undefined || check(value);

const isWatermark = record({
  created: isNumber,
  ids: listOf(isText),
  noticed: orAbsent(isNumber),
  settled: orAbsent((value) => value === true),
});
const isWalk = record({
  head: isWatermark,
  tail: orNull(isWatermark),
  cursor: orNull(isText),
  began: orAbsent(isNumber),
});
const created = record({ version: (value) => value === 1, seen: orNull(isWatermark), walk: orNull(isWalk) });
const segment = record({
  second: isNumber,
  hash: isCount,
  width: (value) => isCount(value) && Number(value) <= largestWidth,
  packed: (value) => typeof value === 'string' && /^[\w-]+$/.test(value),
  bare: orAbsent((value) => value === true),
});
const isSegment: ValueCheck = (value) => segment(value) && Number.isInteger(countOf(value as Segment));
const isCondition: ValueCheck = (value) =>
  Array.isArray(value) && value.length === 2 && isText(value[0]) && orNull(isText)(value[1]);
const scan = record({
  fields: isText,
  list: isText,
  table: listOf(isSegment),
  conditions: listOf(isCondition),
  pass: isCount,
  place: record({
    cursor: orNull(isText),
    day: orNull((value) => typeof value === 'string' && /^\d{4}\/\d\d\/\d\d$/.test(value)),
  }),
  reached: orNull(isNumber),
  oldest: orNull(isNumber),
  met: isCount,
  size: orNull(isCount),
  stretches: listOf(record({ to: isNumber, at: isNumber })),
  blind: orAbsent((value) => value === true),
  listed: orAbsent(isText),
});
const watch = record({
  version: (value) => value === 2,
  scope: isText,
  revision: isCount,
  created,
  scan: orNull(scan),
});

function isWatchState(value: unknown): value is WatchState {
  return watch(value);
}
