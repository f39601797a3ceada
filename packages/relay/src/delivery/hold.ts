/** Pauses everything that shares a cause of failure: an API key, or a publication. */
import type { Notice } from '../ops/happening.ts';
import type { Log } from '../ops/log.ts';
import { backoff, type Patience } from './backoff.ts';
import type { WaitVerdict } from './verdict.ts';

/** What a {@link Hold} is made of. */
export interface HoldOptions {
  /** What it is for, for the operator: `key of "shop"`, `publication pub_…`. Holds no secret. */
  readonly scope: string;
  /** Names of the forms that have this key or publication. */
  readonly forms: readonly string[];
  readonly log: Log;
  readonly notice: Notice;
  readonly patience: Patience;
  readonly now: () => number;
  readonly random: () => number;
}

/** Failures in succession of which each may be that of its signup; from then on they are those of the service. */
const mostSingleFailures = 2;

export class Hold {
  readonly #options: HoldOptions;
  #until = 0;
  /** Failures since the last success, counted once per pause. */
  #failures = 0;
  /** Failures since the last success that may each concern one signup alone. */
  #single = 0;
  #trouble: string | null = null;

  constructor(options: HoldOptions) {
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
    if (this.#trouble === null) return;
    const { scope, log, notice } = this.#options;
    log.info({ scope }, 'the API takes signups again');
    notice({ what: 'flowing', scope });
    this.#trouble = null;
  }

  /** Notes a failure that may concern one signup alone; several in succession pause everything. */
  suspect(verdict: WaitVerdict): void {
    this.#single += 1;
    if (this.#single > mostSingleFailures || this.failing) this.pause(verdict);
  }

  /** Pauses everything for a while. */
  pause(verdict: WaitVerdict): void {
    const { scope, forms, log, notice, patience, random } = this.#options;
    const now = this.#options.now();
    if (now >= this.#until) this.#failures += 1;
    this.#until = Math.max(this.#until, now + backoff(Math.max(1, this.#failures), verdict.askedMs, patience, random));
    if (verdict.trouble === this.#trouble) return;
    this.#trouble = verdict.trouble;
    const { status, trouble, reason, needsOperator } = verdict;
    log[needsOperator ? 'error' : 'warn'](
      { scope, trouble, reason },
      'the API takes no signups; they are kept and wait',
    );
    notice({ what: 'stalled', scope, forms, status, trouble, reason, needsOperator });
  }
}
