/** The verdict on a Turnstile response, by the answer of Cloudflare's verification. */
import { describe, expect, it } from 'vitest';
import type { ProofVerdict } from '../../src/admission/proof.ts';
import { verifyTurnstile } from '../../src/admission/turnstile.ts';
import { onPort } from '../sandbox-api.ts';

/** Verifies a response at a server that gives this answer. */
async function verdictOn(
  answer: (request: Request) => Promise<Response>,
  { client = '203.0.113.9' as string | null, timeoutMs = 30_000 } = {},
): Promise<ProofVerdict> {
  return verifyTurnstile({
    url: await onPort(answer),
    secret: 'the-secret',
    response: 'the-response',
    client,
    hostnames: new Set(['shop.example', 'www.shop.example']),
    timeoutMs,
  });
}

const json = (body: unknown) => () => Promise.resolve(Response.json(body));

describe('a Turnstile response', () => {
  it.each([
    [{ success: true, hostname: 'www.shop.example' }, { passed: true }],
    [{ success: true, hostname: 'evil.example' }, { passed: false }],
    [{ success: true }, { passed: false }],
    [{ success: true, hostname: 7 }, { passed: false }],
    [{ success: false, 'error-codes': ['missing-input-response'] }, { passed: false }],
    [{ success: false, 'error-codes': ['invalid-input-response'] }, { passed: false }],
    [{ success: false, 'error-codes': ['bad-request', 'timeout-or-duplicate'] }, { passed: false }],
    [{ success: false, 'error-codes': ['internal-error'] }, { unknown: 'an internal error of Turnstile' }],
    [{ success: false, 'error-codes': 'invalid-input-response' }, { unknown: 'an internal error of Turnstile' }],
    [{ success: false }, { unknown: 'an internal error of Turnstile' }],
    [
      { success: false, 'error-codes': ['bad-request', 'invalid-input-secret'] },
      { unknown: 'RELAY_TURNSTILE_SECRET is not accepted' },
    ],
    [null, { unknown: 'an unreadable answer' }],
    ['no object', { unknown: 'an unreadable answer' }],
  ])('answered with %j', async (body, verdict) => {
    expect(await verdictOn(json(body))).toEqual(verdict);
  });

  it('is unknown where the answer is no JSON', async () => {
    const verdict = await verdictOn(() => Promise.resolve(new Response('Bad Gateway', { status: 502 })));
    expect(verdict).toEqual({ unknown: 'an unreadable answer' });
  });

  it('is unknown where no answer comes in time', async () => {
    const verdict = await verdictOn(() => new Promise(() => {}), { timeoutMs: 50 });
    expect(verdict).toEqual({ unknown: 'no answer within 50 ms' });
  });

  it.each([
    ['203.0.113.9', { secret: 'the-secret', response: 'the-response', remoteip: '203.0.113.9' }],
    [null, { secret: 'the-secret', response: 'the-response' }],
  ])('of the client %s is sent as a form', async (client, fields) => {
    const received: unknown[] = [];
    await verdictOn(
      async (request) => {
        received.push(request.method, Object.fromEntries(new URLSearchParams(await request.text())));
        return Response.json({ success: true, hostname: 'shop.example' });
      },
      { client },
    );
    expect(received).toEqual(['POST', fields]);
  });
});
