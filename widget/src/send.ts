/** Sends one submission to an endpoint and says in a few words how that went. */
import { cleanText } from '@newsletter-kit/core/signup';
import type { FailureKind } from './events.ts';
import type { Intent } from './intent.ts';

/** A signup that did not go through. */
export interface Failure {
  readonly kind: FailureKind;
  /** HTTP status, where an answer came. */
  readonly status?: number;
  /** Seconds to wait before the next attempt; 0 where the endpoint named none. */
  readonly retryAfter?: number;
  /** What the endpoint says is wrong: plain text, perhaps empty. */
  readonly said?: string;
  /** The endpoint's code for it. */
  readonly code?: string;
}

/** How long we wait for an answer, in milliseconds. */
const patience = 20_000;

const kindOfStatus: Readonly<Record<number, FailureKind>> = { 400: 'refused', 413: 'tooLong', 429: 'limited' };

/**
 * Posts the body. A refusal, a dead endpoint and a broken network are results, not exceptions. The request outlives the
 * page (`keepalive`), so leaving right after the click loses nothing.
 *
 * @returns undefined where the endpoint has taken the signup
 */
export async function send(endpoint: string, { body, key }: Intent): Promise<Failure | undefined> {
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body,
      keepalive: true,
      signal: AbortSignal.timeout(patience),
    });
    // A page instead of an answer: some server took the address for one of its own. Nobody has stored this signup.
    const { headers, ok, status } = response;
    if (ok && !headers.get('Content-Type')?.startsWith('text/html')) return undefined;
    return {
      kind: kindOfStatus[status] ?? 'unavailable',
      status,
      retryAfter: secondsUntil(headers.get('Retry-After') ?? ''),
      ...(await readError(response)),
    };
  } catch {
    return { kind: 'unreachable' };
  }
}

/** `Retry-After`: seconds or a date (RFC 9110, 10.2.3); at most an hour, lest a wrong clock shut the form for good. */
function secondsUntil(header: string): number {
  const seconds = Number(header) || (Date.parse(header) - Date.now()) / 1000;
  return Math.min(Math.max(Math.ceil(seconds) || 0, 0), 3600);
}

/** The first thing the error body of the API says, cleaned and shortened; empty where the answer is anything else. */
async function readError(response: Response): Promise<Pick<Failure, 'said' | 'code'>> {
  const body: unknown = await response.json().catch(() => null);
  const error = property(property(body, 'errors'), '0');
  return { said: cleanText(asText(property(error, 'message')), 400), code: asText(property(error, 'code')) };
}

/** A text of an untrusted value; empty where it is anything else. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function property(value: unknown, name: string): unknown {
  return Reflect.get(new Object(value), name);
}
