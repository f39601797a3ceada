/** Proof of work, made and checked by ALTCHA's library: a visitor's device computes for a moment, a flood of posts for long. */
import { randomInt } from 'node:crypto';
import type { Payload } from 'altcha-lib';
import { isRecord } from '@newsletter-kit/core/signup';
import { purposeKey } from './keys.ts';

/** Rounds of PBKDF2 for one try. */
const rounds = 1000;

/** How long a challenge is good, in seconds. */
export const challengeLastsSeconds = 600;

/** Loaded where a form asks for proofs: most never do. */
async function library() {
  const [{ createChallenge, verifySolution }, { deriveKey }] = await Promise.all([import('altcha-lib'), import('altcha-lib/algorithms/pbkdf2')]);
  return { createChallenge, verifySolution, deriveKey };
}

export class ProofOfWork {
  readonly #secrets: { readonly hmacSignatureSecret: string; readonly hmacKeySignatureSecret: string };
  readonly #effort: number;

  /** @param effort - most tries a solution takes; it takes at least half of them */
  constructor(secret: string, effort: number) {
    this.#effort = effort;
    this.#secrets = {
      hmacSignatureSecret: purposeKey(secret, 'challenge').toString('hex'),
      hmacKeySignatureSecret: purposeKey(secret, 'challenge solution').toString('hex'),
    };
  }

  /** A challenge for one form, as ALTCHA's solver takes it. */
  async challenge(form: string, now: number): Promise<Record<string, unknown>> {
    const { createChallenge, deriveKey } = await library();
    const challenge = await createChallenge({
      algorithm: 'PBKDF2/SHA-256',
      cost: rounds,
      counter: randomInt(Math.ceil(this.#effort / 2), this.#effort + 1),
      data: { form },
      deriveKey,
      expiresAt: Math.ceil(now / 1000) + challengeLastsSeconds,
      ...this.#secrets,
    });
    return { ...challenge };
  }

  /**
   * Checks a solution, in the wrapping of ALTCHA's own form field.
   *
   * @returns the challenge's name among all challenges, or null where the solution is wrong, expired, or another form's
   */
  async solved(proof: string, form: string): Promise<string | null> {
    const payload = unwrap(proof);
    if (payload?.challenge.parameters.data?.['form'] !== form) return null;
    const { verifySolution, deriveKey } = await library();
    try {
      const { verified } = await verifySolution({ ...payload, deriveKey, ...this.#secrets });
      return verified ? payload.challenge.parameters.nonce : null;
    } catch {
      return null; // a stranger's numbers and texts can be of any size and shape; the library throws at some
    }
  }
}

function unwrap(proof: string): Payload | null {
  try {
    const payload = JSON.parse(Buffer.from(proof, 'base64').toString()) as unknown;
    if (!isRecord(payload) || !isRecord(payload['solution']) || !isRecord(payload['challenge'])) return null;
    const { parameters, signature } = payload['challenge'];
    // The signature covers the parameters, so with it they are what this relay wrote; without it the library says no.
    return isRecord(parameters) && typeof signature === 'string' ? (payload as unknown as Payload) : null;
  } catch {
    return null;
  }
}
