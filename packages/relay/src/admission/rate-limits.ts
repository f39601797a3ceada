/**
 * Rate limits of all signups, per mail domain, per visitor's network and per mailbox, with their counters in memory or
 * in PostgreSQL; and single use of tokens and proofs, a limit of one.
 */
import { hash } from 'node:crypto';
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';
import RateLimiterPostgres from 'rate-limiter-flexible/lib/RateLimiterPostgres.js';
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js';
import type { LimitKind, LimitRules } from '../config/relay.ts';
import type { LimitRule } from '../config/values.ts';
import { fingerprint } from '../store/signup-identity.ts';
import { repeatWindowMs, type SharedCounters } from '../store/signup-store.ts';
import { domainOf, mailboxKey } from '../mailbox.ts';
import { networksOf } from './client-address.ts';
import { purposeKey } from '../secrets.ts';

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

/** Makes the rate limiter of one rule. The name is unique within a relay. */
export type MakeLimiter = (name: string, rule: LimitRule) => RateLimiterAbstract;

/** Counts in the memory of this process: for a single relay. */
export const inMemory: MakeLimiter = (name, rule) =>
  new MemoryLimiter({ keyPrefix: name, points: rule.points, duration: rule.seconds });

/** Counts in the database that relays share. While it is unavailable, each relay counts in its own memory. */
export function inPostgres({ schema, table, query }: SharedCounters): MakeLimiter {
  const storeClient = {
    async query({ text, values = [] }: { readonly text: string; readonly values?: readonly unknown[] }) {
      const rows = await query(text, values);
      return { rows, rowCount: rows.length };
    },
  };
  return (name, rule) =>
    new RateLimiterPostgres({
      storeClient,
      storeType: 'client',
      schemaName: schema,
      tableName: table,
      tableCreated: true,
      keyPrefix: name,
      points: rule.points,
      duration: rule.seconds,
      insuranceLimiter: inMemory(name, rule),
    });
}

/** Replay protection for tokens and proofs: a rate limiter of one use per lifetime. */
export class SingleUse {
  readonly #limiter: RateLimiterAbstract;

  /** @param lifetimeSeconds - how long a use is remembered */
  constructor(name: string, lifetimeSeconds: number, make: MakeLimiter) {
    this.#limiter = make(name, { points: 1, seconds: lifetimeSeconds });
  }

  /** @returns whether this is the first use */
  async use(name: string): Promise<boolean> {
    try {
      await this.#limiter.consume(name);
      return true;
    } catch (used) {
      if (used instanceof RateLimiterRes) return false;
      throw used;
    }
  }

  async isUsed(name: string): Promise<boolean> {
    return ((await this.#limiter.get(name))?.consumedPoints ?? 0) > 0;
  }

  /** Allows the name to be used again. */
  async release(name: string): Promise<void> {
    await this.#limiter.delete(name);
  }
}

/** Maximum number of keys in memory, at about 150 bytes each; the oldest is dropped first. */
const maxKeys = 20_000;

interface LimitCount {
  points: number;
  /** End of the window, in milliseconds since the Unix epoch. */
  until: number;
}

/** The library's memory limiter without its timer for each key, which costs more than the counting itself. */
export class MemoryLimiter extends RateLimiterMemory {
  readonly #counts = new Map<string, LimitCount>();
  /** Keys in the order of their first count; a ring buffer in which the next key replaces the oldest one. */
  readonly #keys: string[] = [];
  #oldest = 0;

  override consume(key: string | number, points = 1): Promise<RateLimiterRes> {
    const counted = this.#add(String(key), points);
    return counted.consumedPoints > this.points ? Promise.reject(counted) : Promise.resolve(counted);
  }

  override penalty(key: string | number, points = 1): Promise<RateLimiterRes> {
    return Promise.resolve(this.#add(String(key), points));
  }

  override reward(key: string | number, points = 1): Promise<RateLimiterRes> {
    return Promise.resolve(this.#add(String(key), -points));
  }

  override get(key: string | number): Promise<RateLimiterRes | null> {
    const count = this.#counts.get(String(key));
    const now = Date.now();
    return Promise.resolve(count && count.until > now ? this.#result(count, now, false) : null);
  }

  override set(key: string | number, points: number, seconds: number): Promise<RateLimiterRes> {
    this.#begin(String(key), points, seconds, Date.now());
    return Promise.resolve(new RateLimiterRes(0, seconds > 0 ? seconds * 1000 : -1, points));
  }

  override block(key: string | number, seconds: number): Promise<RateLimiterRes> {
    return this.set(key, this.points + 1, seconds);
  }

  override delete(key: string | number): Promise<boolean> {
    const count = this.#counts.get(String(key));
    const counts = count !== undefined && count.until > Date.now();
    // The key stays in the ring buffer, which contains each key once.
    if (count) count.until = 0;
    return Promise.resolve(counts);
  }

  #add(key: string, points: number): RateLimiterRes {
    const now = Date.now();
    const count = this.#counts.get(key);
    if (count === undefined || count.until <= now) return this.#begin(key, points, this.duration, now);
    count.points += points;
    return this.#result(count, now, false);
  }

  /** Begins a window; a window of 0 seconds never ends. */
  #begin(key: string, points: number, seconds: number, now: number): RateLimiterRes {
    const until = seconds > 0 ? now + seconds * 1000 : Number.POSITIVE_INFINITY;
    let count = this.#counts.get(key);
    if (count) {
      count.points = points;
      count.until = until;
    } else {
      count = { points, until };
      this.#addKey(key);
      this.#counts.set(key, count);
    }
    return this.#result(count, now, true);
  }

  #addKey(key: string): void {
    this.#counts.delete(this.#keys[this.#oldest] ?? '');
    this.#keys[this.#oldest] = key;
    this.#oldest = (this.#oldest + 1) % maxKeys;
  }

  #result({ points, until }: LimitCount, now: number, first: boolean): RateLimiterRes {
    return new RateLimiterRes(
      Math.max(this.points - points, 0),
      Number.isFinite(until) ? until - now : -1,
      points,
      first,
    );
  }
}
