/** Sends one submission to an endpoint, and classifies the answer. */
import { cleanText, type Ask } from '@newsletter-kit/core/signup';
import type { FailureKind } from './events.ts';

/**
 * A body and its idempotency key: the same values sent again are the same signup, changed values a new one.
 */
export interface Intent {
  readonly body: string;
  /** The `Idempotency-Key` of every request with this body. */
  readonly key: string;
}

/** The last intent where it has the same body, else a new one. */
export function intentOf(body: string, last: Intent | undefined): Intent {
  return last?.body === body ? last : { body, key: uuid() };
}

/**
 * A random UUID. On pages without TLS browsers hide `crypto.randomUUID`, but not the one at the end of every blob URL
 * (File API, "generate a new blob URL").
 */
function uuid(): string {
  const url = URL.createObjectURL(new Blob());
  URL.revokeObjectURL(url);
  return url.slice(-36);
}

/** One post: an intent, where it goes, and how long to wait for an answer. */
export interface Post extends Intent {
  readonly endpoint: string;
  /** In seconds. */
  readonly timeout: number;
}

/** A signup that did not go through. */
export interface Failure {
  readonly kind: FailureKind;
  /** HTTP status, where an answer came. */
  readonly status?: number;
  /** Seconds to wait before the next attempt; undefined where the endpoint named none. */
  readonly retryAfter?: number | undefined;
  /** What the endpoint says is wrong: plain text, perhaps empty. */
  readonly said?: string;
  /** The endpoint's code for it. */
  readonly code?: string;
  /** What the endpoint wants before it takes the same post. */
  readonly ask?: Ask | undefined;
  /** What the browser says where no answer came. */
  readonly cause?: unknown;
}

const kindOfStatus: Readonly<Record<number, FailureKind>> = { 400: 'refused', 413: 'tooLong', 429: 'limited' };

/** How long a request may still take after its page was put aside and brought back, in milliseconds. */
const grace = 1000;

/**
 * Posts the body. A refusal, a dead endpoint and a broken network are results, not exceptions. The request outlives the
 * page (`keepalive`), so leaving right after the click loses nothing. Redirects are not followed: browsers would turn
 * the post into a GET, or carry the address to whoever the redirect names. Back on a page that the browser had put
 * aside, WebKit settles nothing of what was on its way, and heeds no signal: then it is sent once more, under the same
 * key.
 *
 * @returns undefined where the endpoint has taken the signup
 */
export async function send(post: Post): Promise<Failure | undefined> {
  const { endpoint, timeout, body, key } = post;
  const over = new AbortController();
  const lost = new Promise<undefined>((resolve) => {
    addEventListener('pageshow', ({ persisted }) => persisted && setTimeout(resolve, grace), over);
  });
  try {
    const answer = fetch(endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body,
      keepalive: true,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout * 1000),
    });
    const response = await Promise.race([answer, lost]);
    if (!response) return await send(post);
    const { body: content, headers, ok, status } = response;
    const type = headers.get('Content-Type') ?? '';
    // Some servers never stop.
    if (!type.includes('json')) void content?.cancel();
    // A page or a plain text: a server that is no signup endpoint. Nobody has stored this signup.
    if (ok && !type.startsWith('text/')) return undefined;
    return {
      kind: kindOfStatus[status] ?? 'unavailable',
      status,
      retryAfter: secondsUntil(headers.get('Retry-After') ?? ''),
      ...(await readRefusal(response)),
    };
  } catch (error) {
    return { kind: navigator.onLine ? 'unreachable' : 'offline', cause: error };
  } finally {
    over.abort();
  }
}

/** `Retry-After`: seconds or a date (RFC 9110, 10.2.3); at most an hour, lest a wrong clock shut the form for good. */
function secondsUntil(header: string): number | undefined {
  const seconds = Number(header) || (Date.parse(header) - Date.now()) / 1000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), 3600) : undefined;
}

/** The part of an error body that we read; any of it may be anything else. */
interface ErrorBody {
  readonly errors?: readonly { readonly message?: unknown; readonly code?: unknown }[] | null;
  readonly ask?: unknown;
}

/**
 * What the error body of the API says first, cleaned and shortened, and what it asks for; empty where the answer is
 * anything else.
 */
async function readRefusal(response: Response): Promise<Pick<Failure, 'said' | 'code' | 'ask'>> {
  const body = await (response.json() as Promise<ErrorBody | null>).catch(() => null);
  const error = body?.errors?.[0];
  const ask = body?.ask;
  return {
    said: cleanText(asText(error?.message), 400),
    code: asText(error?.code),
    ask: ask instanceof Object ? ask : undefined,
  };
}

/** A text of an untrusted value; empty where it is anything else. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
