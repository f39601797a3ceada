/** Applies the rate limits: of all signups, per mail domain, per visitor's network, and per mailbox. */
import { hash } from 'node:crypto';
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import { addressKey } from '@newsletter-kit/core/signup';
import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { fingerprint } from '../store/fingerprint.ts';
import { repeatWindowMs } from '../store/signup-store.ts';
import { networksOf } from './client-address.ts';
import { purposeKey } from './keys.ts';
import { SingleUse, type LimitRule, type MakeLimiter } from './rate-limiters.ts';

/** Rate limits with a setting of their own: of all signups, per mail domain, per visitor, per mailbox. */
export type ConfiguredLimit = 'global' | 'domain' | 'ip' | 'address';

/** A rate limit; `ipv6_48` is the /48 network around the /64 of an IPv6 visitor. */
export type LimitKind = ConfiguredLimit | 'ipv6_48';

/** The rules of each rate limit; all of them apply, no rule means no limit. */
export type LimitRules = Readonly<Record<ConfiguredLimit, readonly LimitRule[]>>;

/** A /48 may belong to one customer or to a whole company, so it gets the limit of this many visitors. */
const visitorsPer48 = 10;

/** Keys to count under, created only where there is a rule; a kind without a key is not counted. */
type LimitKeys = Readonly<Partial<Record<LimitKind, () => string>>>;

/** Result of counting. `release` takes the count back, for a signup that is not stored. */
type Counted =
  | { readonly within: true; release(this: void): Promise<void> }
  | { readonly within: false; readonly kind: LimitKind; readonly retryAfterSeconds: number };

/** The rate limits of a relay. */
export class RateLimits {
  readonly #limiters: readonly (readonly [LimitKind, readonly RateLimiterAbstract[]])[];
  /** Signups already counted for their mailbox. */
  readonly #countedSignups: SingleUse;
  readonly #key: string;

  /** @param secret - hashes the keys of the counters; the same in all relays that share them */
  constructor(rules: LimitRules, make: MakeLimiter, secret: string) {
    const all: Readonly<Record<LimitKind, readonly LimitRule[]>> = {
      ...rules,
      ipv6_48: rules.ip.map(({ points, seconds }) => ({ points: points * visitorsPer48, seconds })),
    };
    this.#limiters = (Object.keys(all) as LimitKind[])
      .filter((kind) => all[kind].length > 0)
      .map((kind) => [kind, all[kind].map((rule) => make(`${kind}-${rule.points}-${rule.seconds}`, rule))] as const);
    this.#countedSignups = new SingleUse('signup', repeatWindowMs / 1000, make);
    this.#key = purposeKey(secret, 'limit').toString('base64url');
  }

  /** Counts a post for the relay, the mail domain, and the visitor's networks; for none where one limit is reached. */
  countPost(email: string, client: string | null): Promise<Counted> {
    const { narrow = null, wide = null } = client === null ? {} : networksOf(client);
    return this.#count({
      global: () => 'all',
      domain: () => this.#hash(domainOf(email)),
      ...(narrow !== null && { ip: () => this.#hash(narrow) }),
      ...(wide !== null && { ipv6_48: () => this.#hash(wide) }),
    });
  }

  /**
   * Counts a signup for its mailbox. Suspected signups, which cause no mail, have a limit of their own. The same signup
   * within {@link repeatWindowMs} is counted once, since the store merges the two. Every case makes the same calls to
   * the counters, so that response times do not reveal known addresses.
   */
  async countMailbox(
    form: string,
    submission: KeptSubmission,
    suspected: boolean,
  ): Promise<{ readonly within: boolean; release(this: void): Promise<void> }> {
    const { content } = fingerprint({ form, submission, suspected, idempotencyKey: null });
    const signup = this.#hash(content);
    const [isCounted, counted] = await Promise.all([
      this.#countedSignups.isUsed(signup),
      this.#count({
        address: () => this.#hash(`${suspected ? 'review' : 'mail'} ${mailboxKey(submission.email)}`),
      }),
    ]);
    const within = counted.within || isCounted;
    // A signup beyond the limit is remembered under another name: two concurrent ones must not admit each other.
    const name = within ? signup : this.#hash(`beyond ${content}`);
    const isFirst = await this.#countedSignups.use(name);
    if (!counted.within) return { within, release: () => Promise.resolve() };
    if (!isFirst) {
      void counted.release();
      return { within, release: () => Promise.resolve() };
    }
    return {
      within,
      release: async () => {
        await Promise.all([counted.release(), this.#countedSignups.release(name)]);
      },
    };
  }

  /** Counts once under each key; where one limit is reached, takes all counts back. */
  async #count(keys: LimitKeys): Promise<Counted> {
    const counted: (readonly [RateLimiterAbstract, string])[] = [];
    // A failed release costs the window one signup, which does not justify failing this post.
    const release = async (): Promise<void> => {
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
          await release();
          if (!(reached instanceof RateLimiterRes)) throw reached;
          return { within: false, kind, retryAfterSeconds: Math.max(1, Math.ceil(reached.msBeforeNext / 1000)) };
        }
      }
    }
    return { within: true, release };
  }

  /** Hashes a key, so that counters in a database contain no address. One call, as it runs several times per signup. */
  #hash(text: string): string {
    return hash('sha256', `${this.#key} ${text}`, 'base64url').slice(0, 22);
  }
}

/** The domain of an e-mail address, in lower case. */
export function domainOf(address: string): string {
  return addressKey(address).slice(address.lastIndexOf('@') + 1);
}

/**
 * The mailbox of an e-mail address, for rate limits alone: subaddresses (RFC 5233, `ada+news@`) may be two
 * subscriptions, but share a mailbox. Gmail also ignores dots.
 */
export function mailboxKey(address: string): string {
  const [name = '', domain = ''] = addressKey(address).split(/@(?=[^@]*$)/);
  const mailbox = name.split('+', 1)[0] || name;
  const isGmail = domain === 'gmail.com' || domain === 'googlemail.com';
  return isGmail ? `${mailbox.replaceAll('.', '')}@gmail.com` : `${mailbox}@${domain}`;
}
