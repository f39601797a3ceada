/**
 * The history of leavings: an NDJSON file that a watch appends to, because the API does not tell when somebody left. It
 * holds ids and times, no addresses.
 *
 * - `{"history":1,"of":"https://… pub_…","since":"2026-03-02T10:00:00.000Z"}`: a watch knows all statuses from here on
 * - `{"id":"sub_…","left":"2026-03-05T08:12:00.000Z"}`: no longer active
 * - `{"id":"sub_…","returned":"2026-03-09T17:40:00.000Z"}`: active again, or for the first time a day after the signup
 * - `{"removed":"2026-03-10T09:00:00.000Z","created":1767225600,"hash":1}`: deleted, no longer in the list
 * - `{"until":"2026-03-10T10:00:00.000Z"}`: complete until here
 */
import { secondsOf } from '../facts/moment.ts';
import { getsMail, hasBeenActive, isInvalid } from '../facts/subscriber-status.ts';
import { isRecord } from '../is-record.ts';
import { parseJson } from '../parse-json.ts';
import type { ScanProgress } from '../watch/poll.ts';
import type { SubscriptionEvent } from '../watch/events.ts';

/** Events that a watch must report for a history of leavings. */
export const historyEvents = ['status_changed', 'removed'] as const satisfies readonly SubscriptionEvent['type'][];

/** What a report reads of a history; see {@link createHistory}. */
export interface History {
  /** Since when it is complete, in Unix seconds: whoever was inactive before has no line. Null before it began. */
  readonly since: number | null;
  /** Until when it is complete, in Unix seconds. */
  readonly until: number | null;
  /** Subscriptions that were deleted. */
  readonly removed: number;
  /** Whether it has a line for this subscription: it has been active then. */
  has(id: string): boolean;
  /**
   * Whether a subscription was active at a time between {@link History.since} and {@link History.until}.
   *
   * @param isActive - whether it is active now, which decides where the history has no line for it
   * @param time - Unix seconds
   */
  wasActive(id: string, isActive: boolean, time: number): boolean;
}

/** A history that is read from its lines, and continued by the polls of a watch. */
export interface HistoryFile extends History {
  /** The publication, as `of` in its first line; null before the first line. */
  readonly of: string | null;
  /** Lines that could not be read. */
  readonly unreadable: number;
  /** Whether a watch that goes on from here continues it; see {@link HistoryOptions.isContinued}. */
  readonly isBegun: boolean;
  /** Reads a stored line. Lines may be repeated. */
  read(line: string): void;
  /**
   * The lines to append after a poll of a watch with {@link historyEvents}; none before the first scan of the whole
   * list is complete. Append them before the state of the watch is stored.
   *
   * @param now - milliseconds since the Unix epoch
   */
  record(
    poll: { readonly events: readonly SubscriptionEvent[]; readonly scan: ScanProgress | null },
    now: number,
  ): readonly string[];
}

/** Options of {@link createHistory}. */
export interface HistoryOptions {
  /** The publication whose history this is: a text of your choice. */
  readonly of: string;
  /**
   * Whether the watch goes on where it wrote this history last. Otherwise changes may be missing in between, and a new
   * `since` is written. Default false.
   */
  readonly isContinued?: boolean | undefined;
}

/** Seconds between two lines `until`. */
const untilEvery = 3600;

/** Seconds after the signup from which on a first confirmation has a line of its own. */
const lateAfter = 86_400;

/** An empty history: read the stored lines into it. */
export function createHistory(options: HistoryOptions): HistoryFile {
  return new StoredHistory(options);
}

class StoredHistory implements HistoryFile {
  of: string | null = null;
  since: number | null = null;
  until: number | null = null;
  unreadable = 0;
  isBegun = false;
  readonly #options: HistoryOptions;
  /** By id: the times of changes in their order, negative for a leaving, positive for a return. */
  readonly #changes = new Map<string, number[]>();
  readonly #removed = new Set<string>();

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  get removed(): number {
    return this.#removed.size;
  }

  has(id: string): boolean {
    return this.#changes.has(id);
  }

  wasActive(id: string, isActive: boolean, time: number): boolean {
    const known = this.#changes.get(id);
    const next = known?.find((each) => Math.abs(each) >= time);
    if (next !== undefined) return next < 0;
    return known ? (known.at(-1) ?? 0) > 0 : isActive;
  }

  read(line: string): void {
    if (!this.#apply(parseJson(line))) this.unreadable += 1;
  }

  record(
    { events, scan }: { readonly events: readonly SubscriptionEvent[]; readonly scan: ScanProgress | null },
    now: number,
  ): readonly string[] {
    if (scan?.stalenessMs === null || scan?.stalenessMs === undefined) return [];
    const lines: object[] = [];
    const add = (line: object | null): void => {
      if (line === null) return;
      this.#apply(line);
      lines.push(line);
    };
    const { of, isContinued = false } = this.#options;
    if (!this.isBegun && !(isContinued && this.since !== null))
      add({ history: 1, of, since: new Date(now).toISOString() });
    this.isBegun = true;
    for (const event of events) add(this.#lineOf(event, now));
    const complete = now - scan.stalenessMs;
    if (complete / 1000 - (this.until ?? 0) >= untilEvery) add({ until: new Date(complete).toISOString() });
    return lines.map((line) => JSON.stringify(line));
  }

  /** @returns false for a line that is none of a history */
  #apply(line: unknown): boolean {
    if (!isRecord(line)) return false;
    const { id } = line;
    const [since, until] = [secondsOf(line['since']), secondsOf(line['until'])];
    const [left, returned, gone] = [secondsOf(line['left']), secondsOf(line['returned']), secondsOf(line['removed'])];
    if (line['history'] === 1 && typeof line['of'] === 'string' && since !== undefined) {
      this.of ??= line['of'];
      this.since = since;
      this.until = Math.max(this.until ?? 0, since);
    } else if (typeof id === 'string' && left !== undefined) this.#change(id, -left);
    else if (typeof id === 'string' && returned !== undefined) this.#change(id, returned);
    else if (gone !== undefined) this.#removed.add(`${String(line['created'])} ${String(line['hash'])}`);
    else if (until !== undefined) this.until = Math.max(this.until ?? 0, until);
    else return false;
    return true;
  }

  #change(id: string, time: number): void {
    const known = this.#changes.get(id);
    if (!known) this.#changes.set(id, [time]);
    // A repeated line says nothing new.
    else if (Math.sign(known.at(-1) ?? 0) !== Math.sign(time)) known.push(time);
  }

  /** The line of an event; null where it is no leaving, return or deletion, or where the history has it. */
  #lineOf(event: SubscriptionEvent, now: number): object | null {
    const at = new Date(now).toISOString();
    if (event.type === 'removed') {
      const { created, hash } = event;
      return this.#removed.has(`${created} ${hash}`) ? null : { removed: at, created, hash };
    }
    if (event.type !== 'status_changed') return null;
    const { id, created } = event.subscription;
    const isAway = (this.#changes.get(id)?.at(-1) ?? 0) < 0;
    const { from, to } = event;
    if (getsMail(from)) return isAway ? null : { id, left: at };
    const isReturn = isAway || hasBeenActive(from) || isInvalid(from) || now / 1000 - created > lateAfter;
    return getsMail(to) && isReturn ? { id, returned: at } : null;
  }
}
