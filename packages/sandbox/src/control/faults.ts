/** Faults: which requests they match, when they fire, and how often each has. */
import { operations } from '@newsletter-kit/core/contract';
import * as z from 'zod';
import { fraction } from '../world/ids.ts';

const effect = z.union([
  z.enum(['reset', 'truncate', 'lostResponse', 'duplicate']),
  z.strictObject({
    status: z.int().min(400).max(599),
    /** Seconds, sent as `Retry-After`. */
    retryAfter: z.int().min(0).max(86_400).optional(),
    /** The API's error body, or what a proxy in front of it answers. */
    body: z.enum(['error', 'html', 'empty']).default('error'),
  }),
  z.strictObject({ latency: z.int().min(0).max(300_000) }),
]);

const ids = operations.map((operation) => operation.id);
const match = z
  .string()
  .refine((text) => text === '*' || /^[A-Z]+ \/\S*$/.test(text) || ids.some((id) => matchesOperation(text, id)), {
    error: `must be "*", an operation such as "subscriptions.create" or "subscriptions.*", or a method and path such as "POST /v2/publications/*/subscriptions"`,
  });

export const faultSchema = z.strictObject({
  /** `*`, an operation's id with `*` for any part, or `METHOD /path` with `*` for anything. */
  match: match.default('*'),
  effect,
  /** Fires from the nth request it meets on, counted from when it was set. Default: the first. */
  nth: z.int().min(1).optional(),
  /** Chance to fire at each request it meets, 0 to 1. */
  probability: z.number().min(0).max(1).optional(),
  /** Decides when a fault with a probability fires: the same number, the same requests. */
  seed: z.int().default(1),
  /** How often it fires at most; null for ever. Default 1 with `nth`, otherwise null. */
  times: z.int().min(1).nullable().optional(),
});

/** A fault as it is written. */
export type FaultRequest = z.input<typeof faultSchema>;
export type Effect = z.output<typeof effect>;

/** A fault that is set. */
export interface Fault {
  readonly id: string;
  readonly match: string;
  readonly effect: Effect;
  readonly nth: number | null;
  readonly probability: number | null;
  readonly seed: number;
  readonly times: number | null;
  /** How many requests it has met. */
  readonly seen: number;
  /** How often it has fired. */
  readonly fired: number;
}

/** The parts of a request that faults match on. */
export interface FaultTarget {
  readonly method: string;
  readonly path: string;
  /** Ids of the operations at this method and path. */
  readonly operations: readonly string[];
}

/** Whether a fault with this `match` applies to the request. */
export function matchesFault(match: string, { method, path, operations }: FaultTarget): boolean {
  if (match === '*') return true;
  if (match.includes(' ')) return wildcard(match, '.*').test(`${method} ${path}`);
  return operations.some((id) => matchesOperation(match, id));
}

function matchesOperation(match: string, id: string): boolean {
  return match === id || wildcard(match, '[^.]*').test(id);
}

function wildcard(text: string, anything: string): RegExp {
  return new RegExp(
    `^${text
      .split('*')
      .map((part) => part.replace(/[$()+.?[\\\]^{|}]/g, '\\$&'))
      .join(anything)}$`,
  );
}

/** A fault that fires at the request at hand. */
export interface FiredFault {
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
  /** Whether any fault is set; avoids work when there is none. */
  readonly any: boolean;
  /** Counts the request at every fault that it meets. */
  fire(met: FaultTarget): readonly FiredFault[];
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
      const firing: FiredFault[] = [];
      for (const fault of faults.values()) {
        if (!matchesFault(fault.match, met)) continue;
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
