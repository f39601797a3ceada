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
const timeoutMs = 2000;

/** Turnstile of a form. @param url - where responses are verified */
export function turnstileOf(
  { siteKey, secret }: NonNullable<Form['protection']['turnstile']>,
  url = siteverify,
): ProofProvider {
  return {
    ask: () => Promise.resolve({ turnstile: { site_key: siteKey } }),
    read(response, { client, form }) {
      const fields = new URLSearchParams({ secret, response, ...(client !== null && { remoteip: client }) });
      const hostnames = new Set([...form.origins].map((origin) => new URL(origin).hostname));
      return Promise.resolve({ nonce: null, verify: async () => verdictOf(await ask(url, fields), hostnames) });
    },
  };
}

/** @returns the answer, or why it is unknown */
async function ask(url: string, body: URLSearchParams): Promise<unknown> {
  try {
    const answer = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(timeoutMs) });
    return await answer.json();
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? `no answer within ${timeoutMs} ms` : undefined;
  }
}

/** Cloudflare's error codes for an invalid response; all other codes are about the request itself. */
const invalidResponseCodes: ReadonlySet<unknown> = new Set([
  'missing-input-response',
  'invalid-input-response',
  'timeout-or-duplicate',
]);

/** @param hostnames - of the websites with the form */
function verdictOf(body: unknown, hostnames: ReadonlySet<unknown>): ProofVerdict {
  if (!isRecord(body)) return { unknown: typeof body === 'string' ? body : 'an unreadable answer' };
  if (body['success'] === true) return { passed: hostnames.has(body['hostname']) };
  const codes = Array.isArray(body['error-codes']) ? (body['error-codes'] as unknown[]) : [];
  if (codes.some((code) => invalidResponseCodes.has(code))) return { passed: false };
  const isSecret = codes.some((code) => /secret/.test(String(code)));
  return { unknown: isSecret ? 'RELAY_TURNSTILE_SECRET is not accepted' : 'an internal error of Turnstile' };
}
