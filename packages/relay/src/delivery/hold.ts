/** Pauses everything that shares a cause of failure: an API key, a publication, or the mail server. */
import { backoff, type Patience } from './backoff.ts';

/** What a {@link Hold} needs to know of a failure. */
export interface Failure {
  /** Names the cause: it is reported when it begins, not with every failure. */
  readonly cause: string;
  /** How long the other side asks to wait, in milliseconds. */
  readonly askedMs?: number | undefined;
}

/** What a {@link Hold} is made of. */
export interface HoldOptions<Cause extends Failure> {
  readonly patience: Patience;
  readonly now: () => number;
  readonly random: () => number;
  /** Told when a pause begins, and when the cause behind it changes. */
  readonly onPause: (failure: Cause) => void;
  /** Told at the first success after that. */
  readonly onResume: () => void;
}

/** Failures in succession of which each may be that of its signup; from then on they are those of the service. */
const mostSingleFailures = 2;

export class Hold<Cause extends Failure> {
  readonly #options: HoldOptions<Cause>;
  #until = 0;
  /** Failures since the last success, counted once per pause. */
  #failures = 0;
  /** Failures since the last success that may each concern one signup alone. */
  #single = 0;
  #cause: string | null = null;

  constructor(options: HoldOptions<Cause>) {
    this.#options = options;
  }

  /** Milliseconds in which nothing is sent; 0 without a pause. */
  get remainingMs(): number {
    const { now, patience } = this.#options;
    const remaining = this.#until - now();
    // More than any pause: the clock was set back.
    if (remaining > 2 * patience.longestAskedMs) this.#until = 0;
    return Math.max(0, this.#until - now());
  }

  /** Whether a pause was needed since the last success: then one signup at a time is tried. */
  get failing(): boolean {
    return this.#failures > 0;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#single = 0;
    if (this.#cause === null) return;
    this.#cause = null;
    this.#options.onResume();
  }

  /** Notes a failure that may concern one signup alone; several in succession pause everything. */
  suspect(failure: Cause): void {
    this.#single += 1;
    if (this.#single > mostSingleFailures || this.failing) this.pause(failure);
  }

  /** Pauses everything for a while. */
  pause(failure: Cause): void {
    const { patience, random, onPause } = this.#options;
    const now = this.#options.now();
    if (now >= this.#until) this.#failures += 1;
    this.#until = Math.max(this.#until, now + backoff(Math.max(1, this.#failures), failure.askedMs, patience, random));
    if (failure.cause === this.#cause) return;
    this.#cause = failure.cause;
    onPause(failure);
  }
}
