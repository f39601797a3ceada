/**
 * Rate limits per visitor's network and per mailbox, and single use of tokens and proofs, a limit of one. The counters
 * are in the store, and in memory while it does not answer.
 */
import { mailboxKey } from '@newsletter-kit/core/facts';
import { hash } from 'node:crypto';
import type { LimitKind, LimitRules } from '../config/relay.ts';
import type { LimitRule } from '../config/values.ts';
import { StoreUnavailableError } from '../errors.ts';
import { type Counter, type Counters, MemoryCounters, type ReachedCounter } from '../store/counters.ts';
import { purposeKey } from '../secrets.ts';
import { networksOf } from './client-address.ts';
import { tokenLifetimeMs } from './form-token.ts';
import { challengeLifetimeSeconds } from './proof-of-work.ts';

/** A /48 may belong to one customer or to a whole company, so it gets the limit of this many visitors. */
const visitorsPer48 = 10;

/** The confirmation mails of a form, or of a part of its signups, in an hour of the clock. */
export interface MailBudget {
  /** The name of its counters. */
  readonly name: string;
  readonly most: number;
  /** In how many hours after this one a mail may be sent instead. */
  readonly hoursAhead: number;
}

const hourMs = 3_600_000;

/** End of an hour of the clock, in milliseconds since the Unix epoch. */
export const endOfHour = (now: number): number => (Math.floor(now / hourMs) + 1) * hourMs;

/** How long each is remembered that can be used once, in milliseconds. */
const lifetimes = { token: tokenLifetimeMs, proof: challengeLifetimeSeconds * 1000 } as const;

/** Result of counting. `release` takes the count back, for a signup that is not stored. */
type Counted =
  | { readonly within: true; release(this: void): Promise<void> }
  | { readonly within: false; readonly kind: LimitKind; readonly retryAfterSeconds: number };

/** The rate limits of a relay. */
export class RateLimits {
  readonly #rules: Readonly<Record<LimitKind, readonly LimitRule[]>>;
  readonly #stored: Counters;
  readonly #inMemory = new MemoryCounters();
  readonly #key: string;
  /** By budget: the last hour that got a mail ahead of its time, and how many it got. The hours before it are full. */
  readonly #ahead = new Map<string, { readonly hour: number; readonly mails: number }>();

  /** @param secret - hashes the keys of the counters; the same in all relays that share them */
  constructor(rules: LimitRules, counters: Counters, secret: string) {
    this.#rules = {
      ...rules,
      ipv6_48: rules.ip.map(({ points, seconds }) => ({ points: points * visitorsPer48, seconds })),
    };
    this.#stored = counters;
    this.#key = purposeKey(secret, 'limit').toString('base64url');
  }

  /** Counts a post for the networks of its visitor; for none where one limit is reached. */
  async countPost(client: string | null, now: number): Promise<Counted> {
    const { narrow = null, wide = null } = client === null ? {} : networksOf(client);
    const ofNarrow = this.#counters('ip', narrow);
    const { reached, release } = await this.#count([...ofNarrow, ...this.#counters('ipv6_48', wide)], now);
    const [longest] = reached.toSorted((a, b) => b.until - a.until);
    if (!longest) return { within: true, release };
    const kind = ofNarrow.some(({ key }) => key === longest.key) ? 'ip' : 'ipv6_48';
    return { within: false, kind, retryAfterSeconds: Math.max(1, Math.ceil((longest.until - now) / 1000)) };
  }

  /**
   * Counts a signup for its mailbox. Suspected signups, which cause no mail, have a limit of their own.
   *
   * @param mails - counts the confirmation mail too: in this hour, or in the next one with room
   * @returns `mailAt`: when that mail is due: `now`, or a moment of a later hour; null where no hour has room
   */
  async countMailbox(
    { email, suspected }: { readonly email: string; readonly suspected: boolean },
    now: number,
    mails: MailBudget | null = null,
  ): Promise<{ readonly within: boolean; readonly mailAt: number | null; release(this: void): Promise<void> }> {
    const address = this.#counters('address', `${suspected ? 'review' : 'mail'} ${mailboxKey(email)}`);
    const thisHour = Math.floor(now / hourMs);
    const last = thisHour + (mails?.hoursAhead ?? 0);
    const ahead = this.#ahead.get(mails?.name ?? '');
    const next = ahead && ahead.hour <= last ? ahead.hour : thisHour;
    for (let hour = thisHour; ; hour = Math.max(hour + 1, next)) {
      const windowMs = (hour + 1) * hourMs - now;
      const mail = mails && { key: this.#keyOf('mails', `${mails.name} ${hour}`), most: mails.most, windowMs };
      const { reached, release } = await this.#count(mail ? [...address, mail] : address, now);
      const isFull = reached.some(({ key }) => key === mail?.key);
      if (isFull && hour < last) continue;
      const within = reached.every(({ key }) => key === mail?.key);
      if (!mails || isFull || !within || hour === thisHour) return { within, mailAt: isFull ? null : now, release };
      // Spread over the hour, so that it does not begin with all of them.
      const before = this.#ahead.get(mails.name);
      const place = before?.hour === hour ? before.mails : 0;
      this.#ahead.set(mails.name, { hour, mails: place + 1 });
      return { within, mailAt: Math.floor((hour + place / mails.most) * hourMs), release };
    }
  }

  /** Uses what can be used once. @returns how it is released; null if it was used before */
  async use(what: keyof typeof lifetimes, name: string, now: number): Promise<(() => Promise<void>) | null> {
    const counter = { key: this.#keyOf(what, name), most: 1, windowMs: lifetimes[what] };
    const { reached, release } = await this.#count([counter], now);
    return reached.length === 0 ? release : null;
  }

  #counters(kind: LimitKind, name: string | null): Counter[] {
    if (name === null) return [];
    return this.#rules[kind].map(({ points, seconds }) => ({
      key: `${this.#keyOf(kind, name)}-${points}-${seconds}`,
      most: points,
      windowMs: seconds * 1000,
    }));
  }

  /** Counts once with each counter, or with none where one has reached its limit. */
  async #count(
    counters: readonly Counter[],
    now: number,
  ): Promise<{ readonly reached: readonly ReachedCounter[]; release(this: void): Promise<void> }> {
    if (counters.length === 0) return { reached: [], release: async () => {} };
    const countIn = async (place: Counters) => {
      const reached = await place.count(counters, now);
      return { reached, release: async () => (reached.length === 0 ? place.release(counters) : undefined) };
    };
    try {
      return await countIn(this.#stored);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      return countIn(this.#inMemory);
    }
  }

  /** Hashes a name, so that counters in a store contain no address; those of one name are neighbours in its index. */
  #keyOf(kind: string, name: string): string {
    return hash('sha256', `${this.#key} ${kind} ${name}`, 'base64url').slice(0, 22);
  }
}
