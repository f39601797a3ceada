/** The faults that are set: counts the requests each has met and says which fire. */
import { fraction } from '../../world/ids.ts';
import type { Effect, Fault, FaultRequest, Met } from './fault.ts';
import { faultSchema, meets } from './fault.ts';

/** A fault that fires at the request at hand. */
export interface Fired {
  readonly id: string;
  readonly effect: Effect;
}

export interface Faults {
  /** Sets a fault. @throws ZodError where it is not one */
  add(fault: FaultRequest): Fault;
  list(): readonly Fault[];
  /** Whether there was one of this id. */
  remove(id: string): boolean;
  /** Removes all; answers how many. */
  clear(): number;
}

/** The faults as the sandbox uses them. */
export interface FaultSet extends Faults {
  /** Whether any is set: spares the work of describing a request to nobody. */
  readonly any: boolean;
  /** Counts the request at every fault that it meets. */
  fire(met: Met): readonly Fired[];
}

export function createFaults(): FaultSet {
  const faults = new Map<string, Fault>();
  let made = 0;
  return {
    add(given) {
      const {
        match,
        effect,
        nth = null,
        probability = null,
        seed,
        times = nth === null ? null : 1,
      } = faultSchema.parse(given);
      const id = `fault_${(made += 1)}`;
      const fault: Fault = { id, match, effect, nth, probability, seed, times, seen: 0, fired: 0 };
      faults.set(id, fault);
      return fault;
    },
    list: () => [...faults.values()],
    remove: (id) => faults.delete(id),
    clear() {
      const { size } = faults;
      faults.clear();
      return size;
    },
    get any() {
      return faults.size > 0;
    },
    fire(met) {
      const firing: Fired[] = [];
      for (const fault of faults.values()) {
        if (!meets(fault.match, met)) continue;
        const seen = fault.seen + 1;
        const fires = firesAt(fault, seen);
        faults.set(fault.id, { ...fault, seen, fired: fault.fired + (fires ? 1 : 0) });
        if (fires) firing.push({ id: fault.id, effect: fault.effect });
      }
      return firing;
    },
  };
}

function firesAt({ nth, probability, seed, times, fired }: Fault, seen: number): boolean {
  if (times !== null && fired >= times) return false;
  if (nth !== null && seen < nth) return false;
  return probability === null || fraction(seed, 'fault', seen) < probability;
}
