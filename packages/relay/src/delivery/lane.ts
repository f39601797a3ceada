/**
 * A lane delivers the signups of one publication with one API key: each alone, or in bulk while there is a backlog.
 * Lanes run independently of each other.
 */
import type { Claim } from '../store/signup-store.ts';
import { BulkDelivery, type BulkDeliveryOptions } from './bulk-delivery.ts';
import { InFlight, runLoop, WakeSignal } from './loop.ts';
import type { Retry } from './retry-decision.ts';
import { clockSkewMs, SingleDelivery } from './single-delivery.ts';

/** Options of {@link Lane}. */
export interface LaneOptions extends Omit<BulkDeliveryOptions, 'onEnd'> {
  /** Maximum number of single deliveries in flight. */
  readonly concurrency: number;
}

export class Lane {
  readonly #options: LaneOptions;
  readonly #forms: readonly string[];
  readonly #wakeSignal = new WakeSignal();
  readonly #inFlight = new InFlight(() => this.#wakeSignal.notify());
  readonly #single: SingleDelivery;
  readonly #bulk: BulkDelivery;
  /** The time of the last run, by which a clock that was set back is noticed. */
  #lastNow = 0;
  #loop: Promise<void> | null = null;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#forms = Object.keys(options.forms);
    this.#single = new SingleDelivery(options);
    this.#bulk = new BulkDelivery({ ...options, onEnd: () => this.#wakeSignal.notify() });
  }

  start(): void {
    const { stopping, health, store, circuits } = this.#options;
    this.#loop ??= runLoop({
      wakeSignal: this.#wakeSignal,
      stopping,
      health,
      isShared: store.shared,
      openForMs: () => circuits.openForMs,
      startDue: async () => {
        if (await store.paused()) return null;
        await this.#startDue();
        return this.#untilNextMs();
      },
    });
  }

  /** Whether it delivers the signups of this form. */
  has(form: string): boolean {
    return Object.hasOwn(this.#options.forms, form);
  }

  /** Records a failure that was met outside of a delivery. */
  recordFailure(failure: Retry): void {
    this.#options.circuits.recordFailure(failure);
  }

  /** Wakes the loop: something new may be due. */
  wake(): void {
    this.#wakeSignal.notify();
  }

  /** Waits until nothing is in flight; `stopping` and `givenUp` must be aborted for that. */
  async end(): Promise<void> {
    this.#wakeSignal.notify();
    await this.#loop;
    await Promise.all([this.#inFlight.end(), this.#bulk.end()]);
  }

  /** While the API fails, one signup at a time is tried. */
  get #limit(): number {
    return this.#options.circuits.isFailing ? 1 : this.#options.concurrency;
  }

  async #startDue(): Promise<void> {
    const { store, circuits } = this.#options;
    // An attempt may have failed since the loop checked.
    if (circuits.openForMs > 0) return;
    await this.#checkClock();
    if (await this.#bulk.hasBacklog()) this.#bulk.startBatch();
    else {
      const free = this.#limit - this.#inFlight.size;
      const claimed = free > 0 ? await store.claim(this.#claim(free)) : [];
      for (const signup of claimed) this.#inFlight.add(this.#single.deliver(signup));
    }
    this.#bulk.startConfirmation();
  }

  /** After the clock was set back, makes due what would otherwise wait until the old time. */
  async #checkClock(): Promise<void> {
    const { store, patience, now } = this.#options;
    const at = now();
    if (at < this.#lastNow - clockSkewMs) {
      this.#bulk.clockWasSetBack(at);
      await store.pullForward(at, 2 * patience.longestAskedMs);
    }
    this.#lastNow = at;
  }

  #claim(limit: number): Claim {
    return { forms: this.#forms, limit, now: this.#options.now() };
  }

  /** Milliseconds until something is due; null if unknown. */
  async #untilNextMs(): Promise<number | null> {
    const { store, now } = this.#options;
    if (this.#bulk.isSending || this.#inFlight.size >= this.#limit) return null;
    const moments = [await store.nextDueAt(this.#forms), this.#bulk.nextConfirmationAt];
    const next = Math.min(...moments.filter((moment) => moment !== null));
    return Number.isFinite(next) ? next - now() : null;
  }
}
