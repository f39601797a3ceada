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
  /** How many of them are for networks that have had none in the hour. Default: none. */
  readonly reserved?: number;
}

/** A signup that is counted for its mailbox. */
export interface CountedSignup {
  readonly email: string;
  /** Suspected signups, which cause no mail, have a limit of their own. */
  readonly suspected: boolean;
  /** The visitor's IP address; null where it is unknown. */
  readonly client: string | null;
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
  readonly #tell: (isInMemory: boolean) => void;
  #isInMemory = false;
  readonly #key: string;
  /** By budget: the last hour that got a mail ahead of its time, and how many it got. The hours before it are full. */
  readonly #ahead = new Map<string, { readonly hour: number; readonly mails: number }>();

  /**
   * @param secret - hashes the keys of the counters; the same in all relays that share them
   * @param tell - called where the counts move into memory, and where they move back
   */
  constructor(rules: LimitRules, counters: Counters, secret: string, tell: (isInMemory: boolean) => void) {
    this.#rules = {
      ...rules,
      ipv6_48: rules.ip.map(({ points, seconds }) => ({ points: points * visitorsPer48, seconds })),
    };
    this.#stored = counters;
    this.#tell = tell;
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
   * Counts a signup for its mailbox.
   *
   * @param mails - counts the confirmation mail too: in this hour, or in the next one with room
   * @returns `mailAt`: when that mail is due: `now`, or a moment of a later hour; null where no hour has room
   */
  async countMailbox(
    { email, suspected, client }: CountedSignup,
    now: number,
    mails: MailBudget | null = null,
  ): Promise<{ readonly within: boolean; readonly mailAt: number | null; release(this: void): Promise<void> }> {
    const address = this.#counters('address', `${suspected ? 'review' : 'mail'} ${mailboxKey(email)}`);
    if (mails === null) {
      const { reached, release } = await this.#count(address, now);
      return { within: reached.length === 0, mailAt: now, release };
    }
    const thisHour = Math.floor(now / hourMs);
    const last = thisHour + mails.hoursAhead;
    const before = this.#ahead.get(mails.name);
    const next = before && before.hour <= last ? before.hour : thisHour;
    const network = client === null ? null : networksOf(client).narrow;
    for (let hour = thisHour; ; hour = Math.max(hour + 1, next)) {
      const own = hour === thisHour ? network : null;
      const { isFull, within, release } = await this.#countMail(address, mails, { hour, network: own, now });
      if (isFull && hour < last) continue;
      if (isFull || !within || hour === thisHour) return { within, mailAt: isFull ? null : now, release };
      // Spread over the hour, so that it does not begin with all of them.
      const ahead = this.#ahead.get(mails.name);
      const place = ahead?.hour === hour ? ahead.mails : 0;
      this.#ahead.set(mails.name, { hour, mails: place + 1 });
      return { within, mailAt: Math.floor((hour + place / mails.most) * hourMs), release };
    }
  }

  /** Counts a mail in an hour. Where all is sent but what is reserved, that is for a network that has had none. */
  async #countMail(
    address: readonly Counter[],
    { name, most, reserved = 0 }: MailBudget,
    { hour, network, now }: { readonly hour: number; readonly network: string | null; readonly now: number },
  ): Promise<{ readonly isFull: boolean; readonly within: boolean; release(this: void): Promise<void> }> {
    const windowMs = (hour + 1) * hourMs - now;
    const counter = (part: string, points: number): Counter => {
      return { key: this.#keyOf('mails', `${name}${part} ${hour}`), most: points, windowMs };
    };
    const mail = counter('', most - reserved);
    const ofNetwork = (points: number): Counter[] =>
      network === null || reserved === 0 ? [] : [counter(` of ${network}`, points)];
    const { reached, release } = await this.#count([...address, mail, ...ofNetwork(most)], now);
    const isFull = reached.some(({ key }) => key === mail.key);
    const within = reached.every(({ key }) => key === mail.key);
    if (!isFull || !within || ofNetwork(1).length === 0) return { isFull, within, release };
    const first = await this.#count([...address, counter(' reserved', reserved), ...ofNetwork(1)], now);
    return { isFull: first.reached.length > 0, within, release: first.release };
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

  /**
   * Counts once with each counter, or with none where one has reached its limit.
   *
   * @param place - default: the store, and the memory while that fails
   */
  async #count(
    counters: readonly Counter[],
    now: number,
    place: Counters = this.#stored,
  ): Promise<{ readonly reached: readonly ReachedCounter[]; release(this: void): Promise<void> }> {
    if (counters.length === 0) return { reached: [], release: async () => {} };
    const isInMemory = place === this.#inMemory;
    let reached: readonly ReachedCounter[];
    try {
      reached = await place.count(counters, now);
    } catch (error) {
      if (isInMemory || !(error instanceof StoreUnavailableError)) throw error;
      return this.#count(counters, now, this.#inMemory);
    }
    if (isInMemory !== this.#isInMemory) this.#tell(isInMemory);
    this.#isInMemory = isInMemory;
    return { reached, release: async () => (reached.length === 0 ? place.release(counters) : undefined) };
  }

  /** Hashes a name, so that counters in a store contain no address; those of one name are neighbours in its index. */
  #keyOf(kind: string, name: string): string {
    return hash('sha256', `${this.#key} ${kind} ${name}`, 'base64url').slice(0, 22);
  }
}
