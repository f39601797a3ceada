/** Asks Cloudflare whether Turnstile let a visitor through. Where it cannot be asked, nobody is lost over that. */
import { isRecord } from '@newsletter-kit/core/endpoint';

/** Cloudflare's address for the question. */
export const turnstileUrl = 'https://challenges.cloudflare.com/turnstile/v0/siteverify';

/** What came of asking. `unknown`: it did not answer in time, or not as it should; the reason is for the operator. */
export type TurnstileVerdict = { readonly passed: boolean } | { readonly unknown: string };

/** One question. */
export interface TurnstileQuestion {
  readonly url: string;
  readonly secret: string;
  /** What the widget on the page answered. */
  readonly proof: string;
  readonly client: string | null;
  /** Of the sites the form stands on. */
  readonly hostnames: ReadonlySet<string>;
  readonly timeoutMs: number;
}

/** Cloudflare's codes for a wrong answer of the visitor; all others are about the question. */
const visitorsFault: ReadonlySet<unknown> = new Set([
  'missing-input-response',
  'invalid-input-response',
  'timeout-or-duplicate',
]);

export async function askTurnstile({
  url,
  secret,
  proof,
  client,
  hostnames,
  timeoutMs,
}: TurnstileQuestion): Promise<TurnstileVerdict> {
  let body: unknown;
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ secret, response: proof, ...(client !== null && { remoteip: client }) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    body = await answer.json();
  } catch (error) {
    return {
      unknown:
        error instanceof Error && error.name === 'TimeoutError'
          ? `no answer within ${timeoutMs} ms`
          : 'no answer that can be read',
    };
  }
  if (!isRecord(body)) return { unknown: 'no answer that can be read' };
  if (body['success'] === true)
    return { passed: typeof body['hostname'] === 'string' && hostnames.has(body['hostname']) };
  const codes = Array.isArray(body['error-codes']) ? (body['error-codes'] as unknown[]) : [];
  if (codes.some((code) => visitorsFault.has(code))) return { passed: false };
  return {
    unknown: codes.some((code) => /secret/.test(String(code)))
      ? 'RELAY_TURNSTILE_SECRET is not accepted'
      : 'an error of its own',
  };
}
