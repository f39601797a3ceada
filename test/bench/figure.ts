/** What a measurement tells: one figure, and in words how it came about. */

export interface Figure {
  readonly value: number;
  readonly detail: string;
}

/** Hands figures, by name, to whoever started this process. */
export function tell(figures: Readonly<Record<string, Figure>>): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
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
