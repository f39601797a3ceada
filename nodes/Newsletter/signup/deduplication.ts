/**
 * Limits the executions that signups start: a few per address and hour, and one per Idempotency-Key. Other posts are
 * answered but start none. Also counts executions per minute.
 */
import { isRecord } from '@newsletter-kit/core/engine';
import { mailboxKey } from '@newsletter-kit/core/facts';
import { addressKey } from '@newsletter-kit/core/signup';
import { remembered } from '../remembered.ts';

/** Signups that started an execution: hash of the signup → time, in seconds since 1970. */
export type Started = ReadonlyMap<string, number>;

/** What identifies a signup. */
export interface SignupIdentity {
  readonly email: string;
  readonly suspected: boolean;
  readonly idempotencyKey: string | null;
}

/** The hashes of a signup. */
export interface Marks {
  /** One hash for each execution that the mailbox may start within an hour. Empty without a limit. */
  readonly turns: readonly string[];
  /** The attempt: the address with its Idempotency-Key. */
  readonly attempt: string | null;
}

/** Maximum number of stored hashes, the newest: at most 30 kB are written with each signup. */
const maxStored = 1_000;

/** Lifetime of a turn, in seconds. */
const turnSeconds = 3_600;

/** Lifetime of an Idempotency-Key, in seconds. The tag retries within a minute. */
const attemptSeconds = 600;

/** Arguments of {@link Deduplicator.claim}. */
export interface ClaimRequest {
  readonly marks: Marks;
  /** Seconds since 1970. */
  readonly now: number;
  /** The static data that n8n read for this request. */
  readonly stored: Started;
}

/** The right to start an execution. */
export interface DeduplicationClaim {
  /** The static data to save with the execution. */
  toStore(): Started;
  /** Reports whether n8n saved the execution. If it did not, the next attempt may claim. */
  settle(saved: boolean): void;
}

/**
 * Deduplicates the signups of one node in the memory of the process. The static data alone cannot: n8n gives each
 * concurrent request its own copy, and the last one saved wins.
 */
export class Deduplicator {
  #started: Started = new Map();
  /** Claims in flight, by hash. */
  readonly #pending = new Map<string, Promise<void>>();
  #minute = 0;
  #startedInMinute = 0;

  /** Rate limit: seconds until the next execution may start; 0 where one may start now. */
  waitSeconds(now: number, perMinute: number): number {
    const minute = Math.floor(now / 60);
    return minute === this.#minute && this.#startedInMinute >= perMinute ? 60 - (now % 60) : 0;
  }

  /**
   * Claims an execution, after waiting for the claims in flight that decide about it.
   *
   * @returns null where the attempt has started an execution already, or the address has no turn left
   */
  async claim({ marks: { turns, attempt }, now, stored }: ClaimRequest): Promise<DeduplicationClaim | null> {
    this.#started = merged(this.#started, stored, now);
    let turn: string | undefined;
    for (;;) {
      if (attempt !== null && this.#isUsed(attempt, now - attemptSeconds)) return null;
      const left = turns.filter((hash) => !this.#isUsed(hash, now - turnSeconds));
      if (turns.length > 0 && left.length === 0) return null;
      turn = left.find((hash) => !this.#pending.has(hash));
      const pending =
        (attempt === null ? undefined : this.#pending.get(attempt)) ??
        (turn === undefined ? this.#pending.get(left[0] ?? '') : undefined);
      if (pending === undefined) break;
      await pending;
    }
    const minute = Math.floor(now / 60);
    this.#startedInMinute = minute === this.#minute ? this.#startedInMinute + 1 : 1;
    this.#minute = minute;
    const hashes = [turn, attempt].filter((hash) => typeof hash === 'string');
    let resolve!: () => void;
    const promise = new Promise<void>((done) => (resolve = done));
    for (const hash of hashes) this.#pending.set(hash, promise);
    const withThis = (): Started => merged(this.#started, new Map(hashes.map((hash) => [hash, now])), now);
    return {
      toStore: withThis,
      settle: (saved) => {
        for (const hash of hashes) if (this.#pending.get(hash) === promise) this.#pending.delete(hash);
        if (saved) this.#started = withThis();
        resolve();
      },
    };
  }

  /** Whether the hash started an execution after this time. */
  #isUsed(hash: string, since: number): boolean {
    return (this.#started.get(hash) ?? Number.NEGATIVE_INFINITY) > since;
  }
}

/** The deduplicator of a node, which lives as long as the process. */
export const deduplicatorOf = remembered<string, Deduplicator>(() => new Deduplicator());

/**
 * The hashes of a signup: of its mailbox, one per turn, so that 100 spellings of one get no more mails than one; and of
 * its address with the Idempotency-Key, so that one key used for two people does not lose the second. Suspected signups
 * have hashes of their own: a bot's post never takes a person's turn. No e-mail address is stored.
 *
 * @param perHour - how many executions a mailbox may start within an hour; 0 for no limit
 * @param scope - the node; equal addresses have different hashes in different nodes
 */
export async function marksOf(
  { email, suspected, idempotencyKey }: SignupIdentity,
  perHour: number,
  scope: string,
): Promise<Marks> {
  const [mailbox, address] = [mailboxKey(email), addressKey(email)].map((key) => [scope, suspected, key]);
  return {
    turns: await Promise.all(Array.from({ length: perHour }, (_, turn) => digest(['turn', turn, mailbox]))),
    attempt: idempotencyKey === null ? null : await digest(['attempt', address, idempotencyKey]),
  };
}

/** Parses the static data. Anything of another shape counts as empty: at worst a signup starts two executions. */
export function parseStarted(stored: unknown): Started {
  if (!isRecord(stored)) return new Map();
  return new Map(
    Object.entries(stored).flatMap(([hash, at]) =>
      typeof at === 'number' && Number.isFinite(at) ? [[hash, at] as const] : [],
    ),
  );
}

/**
 * Both tables in one, with the later time of each hash, without expired ones. A time in the future, from before the
 * clock was set back, counts from when it was first seen: the limit holds, and nobody waits longer than it says.
 */
function merged(known: Started, added: Started, now: number): Started {
  const all = new Map<string, number>();
  for (const [hash, at] of [...known, ...added]) {
    const before = all.get(hash);
    if (at > now) all.set(hash, before ?? now);
    else if (at > now - turnSeconds) all.set(hash, Math.max(at, before ?? at));
  }
  return new Map([...all].toSorted(([, a], [, b]) => b - a).slice(0, maxStored));
}

/** The first 96 bits of SHA-256, in hex: short, and collisions are improbable. */
async function digest(parts: readonly unknown[]): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(parts)));
  return [...new Uint8Array(bytes, 0, 12)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
