/** Time limits of fast tests, which end those that hang; no test is about how fast the machine is. */
import { availableParallelism, loadavg } from 'node:os';

/** The limit of a fast test, which takes five seconds at most on a quiet machine, in milliseconds. */
export const fastLimitMs = 30_000;

/** A limit on this machine: ten processes for each core leave a fast test three times the time that it then takes. */
export function underLoad(limitMs: number): number {
  const load = (loadavg()[0] ?? 0) / availableParallelism();
  return Math.ceil(limitMs * Math.max(1, load / 2));
}
