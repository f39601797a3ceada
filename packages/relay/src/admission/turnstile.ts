/** Verifies Turnstile responses at Cloudflare; `unknown` where Cloudflare is unavailable, so that no signup is lost. */
import { isRecord } from '@newsletter-kit/core/engine';
import type { Form } from '../config/form.ts';
import type { ProofProvider, ProofVerdict } from './proof.ts';

/** Where Cloudflare verifies responses. */
const siteverify = 'https://challenges.cloudflare.com/turnstile/v0/siteverify';

/**
 * Time limit of the verification, in milliseconds. The visitor waits for it: with a lookup of the mail domain it has to
 * leave the store some of the time in which every post is answered.
 */
const defaultTimeoutMs = 2000;

/** Turnstile of a form. @param url - where responses are verified */
export function turnstileOf({ siteKey, secret }: TurnstileKeys, url = siteverify): ProofProvider {
  return {
    ask: () => Promise.resolve({ turnstile: { site_key: siteKey } }),
    read(response, { client, form }) {
      const hostnames = new Set([...form.origins].map((origin) => new URL(origin).hostname));
      const verify = () => verifyTurnstile({ url, secret, response, client, hostnames, timeoutMs: defaultTimeoutMs });
      return Promise.resolve({ nonce: null, verify });
    },
  };
}

type TurnstileKeys = NonNullable<Form['protection']['turnstile']>;

/** Arguments of {@link verifyTurnstile}. */
interface TurnstileVerification {
  readonly url: string;
  readonly secret: string;
  /** The response of Turnstile's widget on the page. */
  readonly response: string;
  /** The visitor's IP address. */
  readonly client: string | null;
  /** Hostnames of the websites with the form. */
  readonly hostnames: ReadonlySet<string>;
  readonly timeoutMs: number;
}

/** Cloudflare's error codes for an invalid response; all other codes are about the request itself. */
const invalidResponseCodes: ReadonlySet<unknown> = new Set([
  'missing-input-response',
  'invalid-input-response',
  'timeout-or-duplicate',
]);

/** Verifies a response. */
export async function verifyTurnstile({
  url,
  secret,
  response,
  client,
  hostnames,
  timeoutMs,
}: TurnstileVerification): Promise<ProofVerdict> {
  let body: unknown;
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ secret, response, ...(client !== null && { remoteip: client }) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    body = await answer.json();
  } catch (error) {
    return {
      unknown:
        error instanceof Error && error.name === 'TimeoutError'
          ? `no answer within ${timeoutMs} ms`
          : 'an unreadable answer',
    };
  }
  if (!isRecord(body)) return { unknown: 'an unreadable answer' };
  if (body['success'] === true)
    return { passed: typeof body['hostname'] === 'string' && hostnames.has(body['hostname']) };
  const codes = Array.isArray(body['error-codes']) ? (body['error-codes'] as unknown[]) : [];
  if (codes.some((code) => invalidResponseCodes.has(code))) return { passed: false };
  return {
    unknown: codes.some((code) => /secret/.test(String(code)))
      ? 'RELAY_TURNSTILE_SECRET is not accepted'
      : 'an internal error of Turnstile',
  };
}
