/**
 * The host: the interface to the platform that the engine needs. Sending, waiting, two clocks and random numbers; the
 * engine uses nothing else of the platform.
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

/** System codes that prove that no connection was made, so that nothing was sent. */
const neverConnected: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether a proxy refused to connect to the service. The code is `ERR_PROXY_` and the status that it answered. */
const isRefusedByProxy = (code = ''): boolean => code.startsWith('ERR_PROXY_');

/** Codes of failures that persist until a setting is corrected, and what to correct. */
const misconfigurations: readonly (readonly [RegExp, string])[] = [
  [
    /^(CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)_\w+|ERR_TLS_CERT_\w+|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/,
    'the TLS certificate of the service was not accepted. Check the host name in the base URL and the clock of this machine; add a private certificate authority to those that are trusted (Node: NODE_EXTRA_CA_CERTS)',
  ],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|TLSV1_ALERT_PROTOCOL_VERSION)$/,
    'the service does not speak TLS at this address. Check the port, and whether the base URL must begin with http:// or https://',
  ],
  [
    /^ERR_(INVALID_URL|UNSUPPORTED_PROTOCOL|UNSAFE_PORT)$/,
    'no request can be sent to this address. Correct the base URL: it is an http(s) address with a port that the platform allows',
  ],
  [
    /^ERR_PROXY_4\d\d$/,
    'a proxy refused the connection to the service. Check the user and password in HTTPS_PROXY or HTTP_PROXY, and whether the proxy lets this address through',
  ],
  [/^ERR_REDIRECTED$/, 'the service answered with a redirect, which is not followed. Correct the base URL'],
];

/** How an attempt can end without a whole answer. */
export type TransportFailure = 'network' | 'timeout' | 'aborted';

/** Details of a {@link TransportError}. */
export interface TransportErrorDetails {
  /** The system's code, for example `ECONNREFUSED`. */
  readonly code?: string | undefined;
  /** Whether the request provably never reached the service. Default: as the code says. */
  readonly notSent?: boolean | undefined;
  /** Host and port of the proxy that the request was to pass. */
  readonly proxy?: string | undefined;
  /** The platform's own error, without the key and without addresses. */
  readonly cause?: unknown;
}

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
  /** What to correct where each further attempt would fail too, such as a wrong address; else null. */
  readonly misconfiguration: string | null;
  /** Host and port of the proxy that the request was to pass, where one is known. */
  readonly proxy: string | undefined;

  constructor(failure: TransportFailure, { code, notSent, proxy, cause }: TransportErrorDetails = {}) {
    super(code ? `${failure} (${code})` : failure, cause === undefined ? undefined : { cause });
    this.failure = failure;
    this.misconfiguration = misconfigurations.find(([codes]) => codes.test(code ?? ''))?.[1] ?? null;
    this.proxy = proxy;
    this.notSent =
      notSent ??
      (neverConnected.has(code) ||
        isRefusedByProxy(code) ||
        (this.misconfiguration !== null && code !== 'ERR_REDIRECTED'));
    this.code = code;
  }
}
