/** How many signups may come from where: counted with rate-limiter-flexible, in memory or in PostgreSQL. */
import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { MemoryLimiter } from './memory-limiter.ts';

/** At most `points` in each window of `seconds`. */
export interface LimitRule {
  readonly points: number;
  readonly seconds: number;
}

/** Limits with a setting of their own: of all signups, per domain, per visitor, per mailbox. */
export type ConfiguredLimit = 'global' | 'domain' | 'ip' | 'address';

/** What is counted; `ipv6_48` is the /48 around an IPv6 visitor's /64. */
export type LimitKind = ConfiguredLimit | 'ipv6_48';

/** The rules of each configured limit; all of them hold, none means no limit. */
export type LimitRules = Readonly<Record<ConfiguredLimit, readonly LimitRule[]>>;

/** A /48 has this many times the share of a visitor: it may be one customer's, or a whole company's. */
const shareOf48 = 10;

/** Makes the counter of one rule. Its name is its own among all of a relay. */
export type MakeLimiter = (name: string, rule: LimitRule) => RateLimiterAbstract;

/** Counts in this process: for one relay. */
export const inMemory: MakeLimiter = (name, rule) =>
  new MemoryLimiter({ keyPrefix: name, points: rule.points, duration: rule.seconds });

/**
 * How counting ended. What was counted can be taken back: a signup that came to nothing must not use up anybody's
 * share.
 */
export type Counted =
  | { readonly within: true; giveBack(this: void): Promise<void> }
  | { readonly within: false; readonly kind: LimitKind; readonly retryAfterSeconds: number };

/** What a signup counts for, made only where there is a rule for it; a kind it says nothing of is not counted. */
export type LimitKeys = Readonly<Partial<Record<LimitKind, () => string>>>;

export class Limits {
  readonly #limiters: readonly (readonly [LimitKind, readonly RateLimiterAbstract[]])[];

  constructor(rules: LimitRules, make: MakeLimiter) {
    const all: Readonly<Record<LimitKind, readonly LimitRule[]>> = {
      ...rules,
      ipv6_48: rules.ip.map(({ points, seconds }) => ({ points: points * shareOf48, seconds })),
    };
    this.#limiters = (Object.keys(all) as LimitKind[])
      .filter((kind) => all[kind].length > 0)
      .map((kind) => [kind, all[kind].map((rule) => make(`${kind}-${rule.points}-${rule.seconds}`, rule))] as const);
  }

  /** Counts a signup once for everything it counts for; where one limit is reached, for nothing. */
  async count(keys: LimitKeys): Promise<Counted> {
    const counted: (readonly [RateLimiterAbstract, string])[] = [];
    // A counter that fails to give back costs its window one signup, which is no reason to fail the one at hand.
    const giveBack = async (): Promise<void> => {
      await Promise.allSettled(counted.map(([limiter, key]) => limiter.reward(key)));
    };
    for (const [kind, limiters] of this.#limiters) {
      const key = keys[kind]?.();
      if (key === undefined) continue;
      for (const limiter of limiters) {
        try {
          await limiter.consume(key);
          counted.push([limiter, key]);
        } catch (reached) {
          await giveBack();
          if (!(reached instanceof RateLimiterRes)) throw reached;
          return { within: false, kind, retryAfterSeconds: Math.max(1, Math.ceil(reached.msBeforeNext / 1000)) };
        }
      }
    }
    return { within: true, giveBack };
  }
}
