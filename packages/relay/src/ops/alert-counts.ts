/** Counts for alerts: dead letters until the next alert, and posts of the last minutes. */
import type { SendAlert } from './alerts.ts';

/** Time over which posts are counted, in milliseconds. */
const postWindowMs = 5 * 60_000;

/** Collects dead letters and sends one alert for all of a short time. */
export class DeadLetterBatch {
  readonly #sendAlert: SendAlert;
  readonly #gatherMs: number;
  readonly #forms = new Set<string>();
  #count = 0;
  #lastReason = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(send: SendAlert, gatherMs: number) {
    this.#sendAlert = send;
    this.#gatherMs = gatherMs;
  }

  add(form: string, reason: string): void {
    this.#count += 1;
    this.#lastReason = reason;
    this.#forms.add(form);
    this.#timer ??= setTimeout(() => this.send(), this.#gatherMs).unref();
  }

  send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#count === 0) return;
    const subject = this.#count === 1 ? 'A signup was refused' : `${this.#count} signups were refused`;
    const message = `${subject} for good; the last reason: ${this.#lastReason} See "newsletter-relay dead".`;
    this.#sendAlert('dead_letters', message, [...this.#forms], this.#count);
    this.#count = 0;
    this.#forms.clear();
  }
}

/** Counts posts kept and posts answered with 5xx per minute, over {@link postWindowMs}. */
export class PostCounter {
  readonly #now: () => number;
  readonly #minutes = new Map<number, { kept: number; failed: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  count(result: 'kept' | 'failed'): void {
    const minute = this.#minute();
    const counted = this.#minutes.get(minute) ?? { kept: 0, failed: 0 };
    counted[result] += 1;
    this.#minutes.set(minute, counted);
    if (this.#minutes.size > postWindowMs / 60_000 + 1) this.#dropOld();
  }

  clear(): void {
    this.#minutes.clear();
  }

  last(): { readonly kept: number; readonly failed: number } {
    this.#dropOld();
    const sum = { kept: 0, failed: 0 };
    for (const { kept, failed } of this.#minutes.values()) {
      sum.kept += kept;
      sum.failed += failed;
    }
    return sum;
  }

  #minute(): number {
    return Math.floor(this.#now() / 60_000);
  }

  #dropOld(): void {
    for (const minute of this.#minutes.keys())
      if (minute <= this.#minute() - postWindowMs / 60_000) this.#minutes.delete(minute);
  }
}
