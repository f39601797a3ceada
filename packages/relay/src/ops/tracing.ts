/** The tracing interface: spans of a signup from its post to the call of the API. Does not load OpenTelemetry. */
import type { OperationId } from '@newsletter-kit/core/contract';

/** A span that has not ended. */
export interface Span {
  /** Its context as a W3C `traceparent`, kept with the signup; null without tracing. */
  readonly traceparent: string | null;
  /** Fields of log lines about it: `trace_id`, or none without tracing. */
  readonly logFields: Readonly<Record<string, string>>;
  /**
   * Ends it.
   *
   * @param result - `status`: the status answered to a post. `failure`: why it failed, without an address or a secret
   */
  end(result?: { readonly status?: number; readonly failure?: string }): void;
}

/** The parts of a signup that its spans need. */
export interface TracedSignup {
  readonly form: string;
  /** As {@link Span.traceparent} was when the signup was kept. */
  readonly trace: string | null;
}

/** Starts spans. No attribute contains an address or a secret. */
export interface Tracing {
  /**
   * A post to a form. Its trace is that of the `traceparent` header, else that of the `Idempotency-Key` where that is a
   * UUID, else a new one.
   *
   * @param header - gives a header by its lower-case name
   */
  post(form: string, header: (name: string) => string | null): Span;
  /** An attempt to deliver one signup, in the trace of its post. */
  delivery(signup: TracedSignup, attempt: number): Span;
  /** An attempt to send its confirmation mail. */
  mail(signup: TracedSignup): Span;
  /** A bulk creation, with a delivery in the trace of each signup; all are linked with each other. */
  batch(signups: readonly TracedSignup[]): Span;
  /** Records in the trace of a signup sent in bulk that its subscription was found at the API. */
  confirmed(signup: TracedSignup): void;
  /** Makes a call to the API as part of a span. @param send - gets the headers that pass the trace on */
  call<T>(
    span: Span,
    operation: OperationId,
    send: (headers: Readonly<Record<string, string>>) => Promise<T>,
  ): Promise<T>;
  /** Sends what was recorded. */
  stop(): Promise<void>;
}

const noSpan: Span = { traceparent: null, logFields: {}, end: () => {} };

/** Records nothing. */
export const noTracing: Tracing = {
  post: () => noSpan,
  delivery: () => noSpan,
  mail: () => noSpan,
  batch: () => noSpan,
  confirmed: () => {},
  call: (_span, _operation, send) => send({}),
  stop: () => Promise.resolve(),
};

/** Runs a function in a span, which ends with it and fails if it throws. */
export async function spanning<T>(span: Span, run: (span: Span) => Promise<T>): Promise<T> {
  try {
    const result = await run(span);
    span.end();
    return result;
  } catch (error) {
    // Only the class: the message may contain what was sent.
    span.end({ failure: error instanceof Error ? error.name : 'unknown' });
    throw error;
  }
}
