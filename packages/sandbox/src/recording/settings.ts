/** How a sandbox is set at a moment, as a recording keeps it. */
import type { RateLimitState } from '../api/rate-limit.ts';
import type { AssumptionState } from '../control/assumptions/assumptions.ts';
import type { Fault } from '../control/faults/fault.ts';
import type { RecordedState } from './recording.ts';

/** The rate limit, and the assumptions that do not have their default. */
export function settingsOf(
  assumptions: readonly AssumptionState[],
  { profile, limit, windowSeconds, headers, retryAfter }: RateLimitState,
): RecordedState['initial'] {
  const changed = assumptions.filter(({ value, default: usual }) => value !== usual);
  return {
    assumptions: Object.fromEntries(changed.map(({ id, value }) => [id, value])),
    profile:
      profile === 'custom' ? { limit: limit ?? 0, windowSeconds: windowSeconds ?? 60, headers, retryAfter } : profile,
  };
}

/** The faults as they were set; how many requests they have met begins anew. */
export function faultsOf(faults: readonly Fault[]): RecordedState['faults'] {
  return faults.map(({ match, effect, nth, probability, seed, times }) => ({
    match,
    effect,
    seed,
    times,
    ...(nth !== null && { nth }),
    ...(probability !== null && { probability }),
  }));
}
