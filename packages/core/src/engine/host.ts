/**
 * What the engine needs from the platform: sending, waiting, two clocks and random numbers. Nothing else reaches
 * outside.
 */

/** The part of an `AbortSignal` the engine uses; every real one fits. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** One HTTP request, ready to send. */
export interface HostRequest {
  readonly method: string;
  /** Absolute, query included and encoded. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds until the attempt counts as lost; from sending to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal?: Signal;
}

/** One HTTP answer, of any status, read to its end. */
export interface HostAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The host. `send` resolves for every status and rejects with a {@link TransportError} where no whole answer arrived.
 */
export interface Host {
  send(request: HostRequest): Promise<HostAnswer>;
  /** Resolves after `ms` milliseconds, or rejects as soon as the signal aborts. */
  sleep(ms: number, signal?: Signal): Promise<void>;
  /** The time of day: milliseconds since the Unix epoch. Used only to read dates in headers and records. */
  now(): number;
  /**
   * Milliseconds of a clock that is never set back or forward, such as `performance.now()`; its zero has no meaning.
   * Deadlines, waits and durations are measured with it, so that correcting the time of day changes none of them.
   */
  monotonic(): number;
  /** A number from 0 up to, not including, 1. */
  random(): number;
}

/** System codes that prove that no connection came about, so that nothing was sent. */
export const neverConnected: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** How an attempt can end without a whole answer. */
export type TransportFailure = 'network' | 'timeout' | 'aborted';

/**
 * Thrown by a host whose attempt ended without a whole answer. Carries no request: its headers hold a secret and its
 * URL may hold an address.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** What happened. */
  readonly failure: TransportFailure;
  /** True only where the request provably never reached the service, for example a refused connection. */
  readonly notSent: boolean;
  /** The system's code, for example `ECONNREFUSED`, where there is one. */
  readonly code: string | undefined;

  /** @param code - the system's code; whether the request was sent follows from it unless `notSent` says */
  constructor(failure: TransportFailure, { code, notSent }: { code?: string | undefined; notSent?: boolean } = {}) {
    super(code ? `${failure} (${code})` : failure);
    this.failure = failure;
    this.notSent = notSent ?? neverConnected.has(code);
    this.code = code;
  }
}
