/** The one clock that everything in the sandbox reads. It never runs backwards, so arrival and creation agree. */

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Whole seconds since the Unix epoch, as the API's timestamps. */
  seconds(): number;
  /** Moves the clock forward by so many milliseconds. What falls due on the way happens with the next request or `settle()`. */
  advance(milliseconds: number): void;
  /** Takes back every `advance`. */
  reset(): void;
}

/** @param source - where time comes from; a constant function makes a clock that stands until it is advanced */
export function createClock(source: () => number = Date.now): Clock {
  let ahead = 0;
  let latest = 0;
  const now = (): number => (latest = Math.max(latest, Math.trunc(source()) + ahead));
  return {
    now,
    seconds: () => Math.floor(now() / 1000),
    advance(milliseconds) {
      if (!(milliseconds >= 0)) throw new RangeError(`The clock only moves forward; it can't be advanced by ${milliseconds} ms.`);
      ahead += Math.trunc(milliseconds);
    },
    reset() {
      ahead = 0;
      latest = 0;
    },
  };
}
