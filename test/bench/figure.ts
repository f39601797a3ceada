/** One measured figure, and the functions that every measurement uses. */
import { sendResult } from '../../scripts/result-channel.ts';

export interface Figure {
  /** The median of the rounds, in the unit of its goal. */
  readonly value: number;
  /** How it was measured, with the values of peers. */
  readonly detail: string;
  /** The value divided by that of each peer, by the peer's name. The peer of a goal that is a ratio is in the goal. */
  readonly ratios?: Readonly<Record<string, number>>;
}

/** Reports figures, by name, to the process that started this one. */
export function reportFigures(figures: Readonly<Record<string, Figure>>): void {
  sendResult(figures);
}

/** The middle of the values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
