/**
 * Starts one execution per signup: repeated posts within the quiet period, and retries with the same Idempotency-Key,
 * are answered but start none. Also counts executions per minute.
 */
import { isRecord } from '@newsletter-kit/core/engine';
import { addressKey } from '@newsletter-kit/core/signup';

/** Signups that started an execution: hash of the signup → time, in seconds since 1970. */
export type Started = ReadonlyMap<string, number>;

/** What identifies a signup. */
export interface SignupIdentity {
  readonly email: string;
  readonly suspected: boolean;
  readonly idempotencyKey: string | null;
}

/** The hashes of a signup, each with its lifetime in seconds. */
export type Marks = readonly { readonly hash: string; readonly seconds: number }[];

/** Maximum number of stored hashes, the newest: at most 30 kB are written with each signup. */
const maxStored = 1_000;

/** Lifetime of an Idempotency-Key, in seconds. The tag retries within a minute. */
const idempotencySeconds = 600;

/** Arguments of {@link Deduplicator.claim}. */
export interface ClaimRequest {
  readonly marks: Marks;
  readonly quietSeconds: number;
  /** Seconds since 1970. */
  readonly now: number;
  /** The static data that n8n read for this request. */
  readonly stored: Started;
}

/** The right to start an execution. */
export interface DeduplicationClaim {
  /** The new static data. */
  readonly toStore: Started;
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
  readonly #pending = new Map<string, Promise<boolean>>();
  #minute = 0;
  #startedInMinute = 0;

  /** Rate limit: seconds until the next execution may start; 0 where one may start now. */
  waitSeconds(now: number, perMinute: number): number {
    const minute = Math.floor(now / 60);
    return minute === this.#minute && this.#startedInMinute >= perMinute ? 60 - (now % 60) : 0;
  }

  /**
   * Claims a signup, after waiting for a claim of the same signup in flight.
   *
   * @returns null where the signup has started an execution already
   */
  async claim({ marks, quietSeconds, now, stored }: ClaimRequest): Promise<DeduplicationClaim | null> {
    for (;;) {
      if (isRepeat(stored, marks, now) || isRepeat(this.#started, marks, now)) return null;
      const pending = marks.map(({ hash }) => this.#pending.get(hash)).find((each) => each !== undefined);
      if (pending === undefined) break;
      if (await pending) return null;
    }
    this.#count(now);
    let resolve!: (saved: boolean) => void;
    const promise = new Promise<boolean>((done) => (resolve = done));
    for (const { hash } of marks) this.#pending.set(hash, promise);
    return {
      toStore: withMarks(merged(stored, this.#started), marks, now, quietSeconds),
      settle: (saved) => {
        for (const { hash } of marks) if (this.#pending.get(hash) === promise) this.#pending.delete(hash);
        if (saved) this.#started = withMarks(this.#started, marks, now, quietSeconds);
        resolve(saved);
      },
    };
  }

  #count(now: number): void {
    const minute = Math.floor(now / 60);
    this.#startedInMinute = minute === this.#minute ? this.#startedInMinute + 1 : 1;
    this.#minute = minute;
  }
}

const deduplicators = new Map<string, Deduplicator>();

/** The deduplicator of a node, which lives as long as the process. */
export function deduplicatorOf(scope: string): Deduplicator {
  const deduplicator = deduplicators.get(scope) ?? new Deduplicator();
  deduplicators.set(scope, deduplicator);
  return deduplicator;
}

/**
 * The hashes of a signup: of its address, and of its address with the Idempotency-Key, so that one key used for two
 * people does not lose the second. Suspected signups have hashes of their own: a bot's post never replaces a person's.
 * No e-mail address is stored.
 *
 * @param scope - the node; equal addresses have different hashes in different nodes
 */
export async function marksOf(
  { email, suspected, idempotencyKey }: SignupIdentity,
  quietSeconds: number,
  scope: string,
): Promise<Marks> {
  const person = [scope, suspected, addressKey(email)];
  return [
    ...(quietSeconds > 0 ? [{ hash: await digest(['address', ...person]), seconds: quietSeconds }] : []),
    ...(idempotencyKey === null
      ? []
      : [{ hash: await digest(['attempt', ...person, idempotencyKey]), seconds: idempotencySeconds }]),
  ];
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

/** The static data as JSON. */
export function serializeStarted(started: Started): Record<string, number> {
  return Object.fromEntries(started);
}

/** Whether one of the hashes is known and has not expired. */
function isRepeat(started: Started, marks: Marks, now: number): boolean {
  return marks.some(({ hash, seconds }) => now - (started.get(hash) ?? Number.NEGATIVE_INFINITY) < seconds);
}

/** Adds the hashes, and removes expired ones and those with a time in the future. */
function withMarks(started: Started, marks: Marks, now: number, quietSeconds: number): Started {
  const oldest = now - Math.max(quietSeconds, idempotencySeconds);
  const valid = [...started].filter(([, at]) => at > oldest && at <= now);
  const all = new Map([...valid, ...marks.map(({ hash }) => [hash, now] as const)]);
  return new Map([...all].toSorted(([, a], [, b]) => b - a).slice(0, maxStored));
}

/** Both tables in one, with the later time of each hash. */
function merged(one: Started, other: Started): Started {
  const all = new Map(one);
  for (const [hash, at] of other) all.set(hash, Math.max(at, all.get(hash) ?? at));
  return all;
}

/** The first 96 bits of SHA-256, in hex: short, and collisions are improbable. */
async function digest(parts: readonly unknown[]): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(parts)));
  return [...new Uint8Array(bytes, 0, 12)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
