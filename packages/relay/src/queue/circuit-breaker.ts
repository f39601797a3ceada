/**
 * Circuit breaker: pauses all calls that share a cause of failure – an API key, a publication, the mail server. After
 * the pause one call at a time is tried, until one succeeds.
 */
import { backoffMs, type BackoffOptions, type Retry } from './retry.ts';

/** The parts of a failure that a {@link CircuitBreaker} needs. */
export interface DeliveryFailure {
  /** Names the cause. A new cause is reported, a repeated one is not. */
  readonly cause: string;
  /** Wait that the other side asked for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Options of {@link CircuitBreaker}. */
export interface CircuitBreakerOptions<F extends DeliveryFailure> {
  readonly backoff: BackoffOptions;
  readonly now: () => number;
  readonly random: () => number;
  /** Called when the circuit breaker opens, and when the cause of the failures changes. */
  readonly onOpen: (failure: F) => void;
  /** Called at the first success after that. */
  readonly onClose: () => void;
}

/** Number of consecutive failures that may each concern one signup alone; the next one opens the circuit breaker. */
const maxPossibleFailures = 2;

export class CircuitBreaker<F extends DeliveryFailure> {
  readonly #options: CircuitBreakerOptions<F>;
  #openUntil = 0;
  /** Failures since the last success, counted once per pause. */
  #failures = 0;
  /** Failures since the last success that may each concern one signup alone. */
  #possibleFailures = 0;
  #cause: string | null = null;

  constructor(options: CircuitBreakerOptions<F>) {
    this.#options = options;
  }

  /** Milliseconds for which nothing is sent; 0 if the circuit breaker is not open. */
  get openForMs(): number {
    const { now, backoff } = this.#options;
    const remaining = this.#openUntil - now();
    // Longer than any pause: the clock was set back.
    if (remaining > 2 * backoff.maxRetryAfterMs) this.#openUntil = 0;
    return Math.max(0, this.#openUntil - now());
  }

  /** Whether it has opened since the last success: then one call at a time is tried. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Ends the pause: an operator says that the cause is gone. */
  endPause(): void {
    this.#openUntil = 0;
  }

  /** When a call last succeeded, in milliseconds since the Unix epoch. */
  lastSuccess = Number.NEGATIVE_INFINITY;

  recordSuccess(): void {
    this.lastSuccess = this.#options.now();
    this.#failures = 0;
    this.#possibleFailures = 0;
    if (this.#cause === null) return;
    this.#cause = null;
    this.#options.onClose();
  }

  /** Records a failure that may concern one signup alone; several in succession open the circuit breaker. */
  recordPossibleFailure(failure: F): void {
    this.#possibleFailures += 1;
    if (this.#possibleFailures > maxPossibleFailures || this.isFailing) this.open(failure);
  }

  /** Pauses all calls, with exponential backoff. */
  open(failure: F): void {
    const { backoff, random, onOpen } = this.#options;
    const now = this.#options.now();
    if (now >= this.#openUntil) this.#failures += 1;
    const pauseMs = backoffMs(Math.max(1, this.#failures), failure.retryAfterMs, backoff, random);
    this.#openUntil = Math.max(this.#openUntil, now + pauseMs);
    if (failure.cause === this.#cause) return;
    this.#cause = failure.cause;
    onOpen(failure);
  }
}

/** The circuit breakers of a lane's API key and publication, each shared with other lanes. */
export function createApiCircuits(key: CircuitBreaker<Retry>, publication: CircuitBreaker<Retry>) {
  return {
    get openForMs(): number {
      return Math.max(key.openForMs, publication.openForMs);
    },
    /** Whether the API has taken a call of this lane since then. */
    hasSucceededSince: (time: number): boolean => publication.lastSuccess > time,
    get isFailing(): boolean {
      return key.isFailing || publication.isFailing;
    },
    recordSuccess(): void {
      key.recordSuccess();
      publication.recordSuccess();
    },
    recordFailure(failure: Retry): void {
      if (failure.scope === 'publication') publication.open(failure);
      else if (failure.scope === 'key') key.open(failure);
      else key.recordPossibleFailure(failure);
    },
  };
}

export type ApiCircuits = ReturnType<typeof createApiCircuits>;
