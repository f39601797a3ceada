/** The promise that a call returns: gives the data, and the status and headers of the response. */
import { deviationWarning, type Deviation } from './deviations.ts';
import type { ServiceMessage } from './errors.ts';
import type { HostAnswer } from './host.ts';

/** Status, headers and warnings of a response. */
export interface ResponseInfo {
  readonly status: number;
  /** Names in lower case. Empty where no response carried the data: see {@link WithResponse}. */
  readonly headers: Readonly<Record<string, string>>;
  /** The id under which the service logged the request, from `X-Request-Id` or its usual variants; null without one. */
  readonly requestId: string | null;
  /**
   * Warnings of the service in headers, for example `X-Pagination-Warning`: `code` is the name of the header in
   * lower case, `message` its value. After them what this call deviated in from the specification, with the code
   * `deviation`: see {@link Deviation}.
   */
  readonly warnings: readonly ServiceMessage[];
}

/**
 * The data of a call and the response it came in. Where the response to a non-idempotent call was lost and the record
 * was found in its list, `status` is the operation's success status and `headers` is empty.
 */
export interface WithResponse<T> extends ResponseInfo {
  /** The value that awaiting the call gives. */
  readonly data: T;
}

/** The part of an answer that is kept after its body was read. */
export type Head = Pick<HostAnswer, 'status' | 'headers'> & { readonly deviations?: readonly Deviation[] };

const requestIdHeaders = ['x-request-id', 'request-id', 'x-correlation-id', 'x-amzn-requestid'] as const;

/** Specification, Pagination; RFC 9745 and RFC 8594; RFC 7234, section 5.5. */
const warningHeaders = [
  'x-pagination-warning',
  'x-pagination-migration-guide',
  'deprecation',
  'sunset',
  'warning',
] as const;

/** Reads status, headers, request id and warnings of a response. */
export function responseInfo({ status, headers, deviations = [] }: Head): ResponseInfo {
  const requestIdHeader = requestIdHeaders.find((name) => headers[name]);
  return {
    status,
    headers,
    requestId: requestIdHeader === undefined ? null : (headers[requestIdHeader] ?? null),
    warnings: [
      ...warningHeaders.flatMap((code) => (headers[code] ? [{ code, message: headers[code] }] : [])),
      ...deviations.map(deviationWarning),
    ],
  };
}

/**
 * A promise that delegates to the one of `read`, which is called when a reader comes. A real `Promise`, so
 * `instanceof`, `catch`, `finally`, `Promise.all` and `Promise.race` work; derived promises are plain ones.
 */
export abstract class DerivedPromise<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** The promise that does the work. */
  protected abstract read(): Promise<T>;

  // oxlint-disable-next-line unicorn/no-thenable -- a Promise subclass
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.read().then(onFulfilled, onRejected);
  }
}

/**
 * A call in progress: `await` gives its data, `withResponse()` also the status and headers.
 *
 * @example
 * ```ts
 * const { data, status, requestId } = await client.customFields.list().withResponse();
 * ```
 */
export class ApiPromise<T> extends DerivedPromise<T> {
  readonly #answer: Promise<{ readonly data: T; readonly head: Head }>;

  constructor(answer: Promise<{ readonly data: T; readonly head: Head }>) {
    super(() => {}); // `then` never reads this promise itself
    this.#answer = answer;
  }

  protected override read(): Promise<T> {
    return this.#answer.then(({ data }) => data);
  }

  /** The data with status, headers, request id and warnings. Rejects as awaiting the call does. */
  async withResponse(): Promise<WithResponse<T>> {
    const { data, head } = await this.#answer;
    return { data, ...responseInfo(head) };
  }
}
