/** Whether the API takes signups: the 429 or outage that one of them meets is everybody's. */
import type { Notice } from '../ops/happening.ts';
import type { Log } from '../ops/log.ts';
import { backoff, type Patience } from './backoff.ts';
import type { Verdict } from './verdict.ts';

/** What a {@link Flow} is made of. */
export interface FlowOptions {
  readonly log: Log;
  readonly notice: Notice;
  readonly patience: Patience;
  readonly now: () => number;
  readonly random: () => number;
}

export class Flow {
  readonly #options: FlowOptions;
  #heldUntil = 0;
  /** Failures since the last success, counted once per hold. */
  #failures = 0;
  #trouble: string | null = null;

  constructor(options: FlowOptions) {
    this.#options = options;
  }

  /** Nothing is sent before this moment. */
  get heldUntil(): number {
    return this.#heldUntil;
  }

  /** Whether the API has failed since it last took one. */
  get fails(): boolean {
    return this.#failures > 0;
  }

  succeeded(): void {
    this.#failures = 0;
    if (this.#trouble === null) return;
    this.#options.log.info('the API takes signups again');
    this.#options.notice({ what: 'flowing' });
    this.#trouble = null;
  }

  /** Holds everything back for a while. */
  stall(verdict: Extract<Verdict, { kind: 'wait' }>): void {
    const { log, notice, patience, random } = this.#options;
    const now = this.#options.now();
    if (now >= this.#heldUntil) this.#failures += 1;
    const hold = now + backoff(this.#failures, verdict.askedMs, patience, random);
    this.#heldUntil = Math.max(this.#heldUntil, hold);
    if (verdict.trouble === this.#trouble) return;
    this.#trouble = verdict.trouble;
    const level = verdict.needsOperator ? 'error' : 'warn';
    log[level](
      { trouble: verdict.trouble, reason: verdict.reason },
      'the API takes no signups; they are kept and wait',
    );
    notice({ what: 'stalled', trouble: verdict.trouble, reason: verdict.reason, needsOperator: verdict.needsOperator });
  }
}
