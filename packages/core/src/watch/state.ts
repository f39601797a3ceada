/** The state of a watch, its checkpoint between polls: plain JSON, validated when it is read back. */
import type { ListShape, Shape } from '../contract/shape.ts';
import { fits } from '../engine/check.ts';
import { isRecord } from '../is-record.ts';
import { startCreated, type CreatedState } from './created.ts';
import type { ScanState } from './scan.ts';
import { countOf, largestWidth } from './segment.ts';

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

const text: Shape = { is: 'string' };
const number: Shape = { is: 'number' };
const count: Shape = { is: 'integer', min: 0 };
const flag: Shape = { is: 'boolean', optional: true };
const version = (number: number): Shape => ({ is: 'integer', min: number, max: number });
const list = (of: Shape, length: Pick<ListShape, 'min' | 'max'> = {}): Shape => ({ is: 'array', of, ...length });
const object = (of: Readonly<Record<string, Shape>>): Shape => ({ is: 'object', of });
const orNull = (shape: Shape): Shape => ({ ...shape, nullable: true });
const orAbsent = (shape: Shape): Shape => ({ ...shape, optional: true });

const watermark = object({ created: number, ids: list(text), noticed: orAbsent(number), settled: flag });
const walk = object({ head: watermark, tail: orNull(watermark), cursor: orNull(text), began: orAbsent(number) });
const segment = object({
  second: number,
  hash: count,
  width: { is: 'integer', min: 0, max: largestWidth },
  packed: { is: 'string', pattern: '^[\\w-]+$' },
  bare: flag,
});
const scan = object({
  fields: text,
  list: text,
  table: list(segment),
  conditions: list(list(orNull(text), { min: 2, max: 2 })),
  pass: count,
  place: object({ cursor: orNull(text), day: { is: 'string', pattern: '^\\d{4}/\\d\\d/\\d\\d$', nullable: true } }),
  reached: orNull(number),
  oldest: orNull(number),
  met: count,
  size: orNull(count),
  stretches: list(object({ to: number, at: number })),
  blind: flag,
  listed: orAbsent(text),
});
const watch = object({
  version: version(2),
  scope: text,
  revision: count,
  created: object({ version: version(1), seen: orNull(watermark), walk: orNull(walk) }),
  scan: orNull(scan),
});

function isWatchState(value: unknown): value is WatchState {
  if (!fits(watch, value)) return false;
  const { scan } = value as WatchState;
  return scan === null || scan.table.every((each) => Number.isInteger(countOf(each)));
}
