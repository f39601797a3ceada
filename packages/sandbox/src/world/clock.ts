/**
 * The clock of the sandbox, and the ISO 8601 durations by which it is advanced. It never runs backwards, so the
 * order of arrival is the order of creation.
 */
import type { ClockRow, ClockStore } from '../store/store.ts';

const durationPattern =
  /^P(?=[\dT])(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,6})W)?(?:(\d{1,7})D)?(?:T(?=\d)(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,11}(?:[.,]\d{1,3})?)S)?)?$/;

/**
 * Adds a duration to a time, in milliseconds. Years and months are calendar units in UTC: a month after 31 January is
 * the last day of February.
 *
 * @throws RangeError where `duration` is not a duration
 */
export function addDuration(time: number, duration: string): number {
  const match = durationPattern.exec(duration);
  if (!match)
    throw new RangeError(
      `"${duration.slice(0, 40)}" is not a duration. Write it as in ISO 8601: P14D for 14 days, PT90M for 90 minutes.`,
    );
  const [years, months, weeks, days, hours, minutes, seconds] = match
    .slice(1)
    .map((part) => Number((part ?? '0').replace(',', '.')));
  const moved = addMonths(time, (years ?? 0) * 12 + (months ?? 0));
  const inDays = (weeks ?? 0) * 7 + (days ?? 0);
  return moved + ((inDays * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60_000 + Math.round((seconds ?? 0) * 1000);
}

function addMonths(time: number, months: number): number {
  if (months === 0) return time;
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.setUTCDate(Math.min(day, lastDay));
}

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Whole seconds since the Unix epoch, as the API's timestamps. */
  seconds(): number;
  /**
   * Moves the clock forward, by milliseconds or by an ISO 8601 duration such as `P14D`. The next request or
   * `settle()` runs the events that became due, in order, each at its own time.
   *
   * @throws RangeError for a negative number and for a text that is not a duration
   */
  advance(by: number | string): void;
  /** Moves the clock to a later time, in milliseconds since the Unix epoch. @throws RangeError for an earlier one */
  set(time: number): void;
  /** Stops the clock until {@link Clock.thaw}; `advance` and `set` still move it. */
  freeze(): void;
  /** Resumes a frozen clock from its current time. */
  thaw(): void;
  readonly frozen: boolean;
}

/** The clock as the world uses it. */
export interface WorldClock extends Clock {
  /** Runs `work` with the clock held at `time`, so that a scheduled event sees its own time. */
  during<T>(time: number, work: () => T): T;
  /** Reloads the clock from the store after its content was replaced. */
  load(): void;
}

/** End of the year 9999: beyond it, times have no four-digit year any more. */
const end = Date.UTC(10_000, 0) - 1;

/**
 * @param source - where time comes from; with a constant function the clock stands still until it is advanced
 * @param store - stores how far the clock was moved, so that a restart continues from there
 */
export function createClock(source: () => number, store: ClockStore): WorldClock {
  let { ahead, frozen } = store.read();
  let latest = 0;
  let eventTime: number | undefined;

  const now = (): number => eventTime ?? frozen ?? (latest = Math.max(latest, Math.trunc(source()) + ahead));
  /** Stores the change first: where that fails, the clock has not moved. */
  const become = (next: ClockRow): void => {
    store.write(next);
    ({ ahead, frozen } = next);
  };
  const set = (time: number): void => {
    if (!(time >= now())) throw new RangeError('The clock only moves forward.');
    if (time > end) throw new RangeError('The clock goes no further than the year 9999.');
    const exact = Math.trunc(time);
    become(frozen === null ? { ahead: exact - Math.trunc(source()), frozen } : { ahead, frozen: exact });
  };

  return {
    now,
    seconds: () => Math.floor(now() / 1000),
    set,
    advance(by) {
      if (typeof by === 'number' && !(by >= 0))
        throw new RangeError(`The clock only moves forward; it can't be advanced by ${by} ms.`);
      set(typeof by === 'number' ? now() + by : addDuration(now(), by));
    },
    freeze: () => become({ ahead, frozen: now() }),
    thaw() {
      if (frozen !== null) become({ ahead: frozen - Math.trunc(source()), frozen: null });
    },
    get frozen() {
      return frozen !== null;
    },
    during(time, work) {
      const before = eventTime;
      eventTime = time;
      try {
        return work();
      } finally {
        eventTime = before;
      }
    },
    load() {
      ({ ahead, frozen } = store.read());
      latest = 0;
    },
  };
}
