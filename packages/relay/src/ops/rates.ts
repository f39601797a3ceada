/**
 * What happened in each of the last sixty minutes, for the operator's picture of it. In memory: it starts anew with the
 * process.
 */
import { noticing, type Notice } from './happening.ts';

/** What is counted. */
export type Rate = 'kept' | 'refused' | 'delivered' | 'dead';

/** One minute. */
export type Minute = Readonly<Record<Rate, number>> & {
  /** When it began, in milliseconds since the Unix epoch. */
  readonly from: number;
};

export interface Rates {
  readonly notice: Notice;
  /** The last sixty minutes, oldest first, the running one last. */
  minutes(): readonly Minute[];
}

const minuteMs = 60_000;
const shown = 60;

export function createRates(now: () => number = Date.now): Rates {
  const counted = new Map<number, Record<Rate, number>>();
  const current = (): number => Math.floor(now() / minuteMs);
  const count = (rate: Rate) => (): void => {
    const minute = current();
    let row = counted.get(minute);
    if (row === undefined) {
      row = { kept: 0, refused: 0, delivered: 0, dead: 0 };
      counted.set(minute, row);
      for (const old of counted.keys()) if (old <= minute - shown) counted.delete(old);
    }
    row[rate] += 1;
  };
  return {
    notice: noticing({
      kept: count('kept'),
      refused: count('refused'),
      delivered: count('delivered'),
      dead: count('dead'),
    }),
    minutes: () =>
      Array.from({ length: shown }, (_, index) => {
        const minute = current() - shown + 1 + index;
        return { from: minute * minuteMs, ...(counted.get(minute) ?? { kept: 0, refused: 0, delivered: 0, dead: 0 }) };
      }),
  };
}
