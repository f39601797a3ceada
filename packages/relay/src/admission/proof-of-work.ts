/**
 * Proof of work, made and checked by ALTCHA's library: a visitor's device computes for a moment, a flood of posts for
 * long.
 */
import { randomInt } from 'node:crypto';
import type { ProofOfWork as Challenge } from '@newsletter-kit/core/signup';
import * as z from 'zod';
import { purposeKey } from './keys.ts';

/** Rounds of PBKDF2 for one try. */
const rounds = 1000;

/** How long a challenge is good, in seconds. */
export const challengeLastsSeconds = 600;

/** Loaded where a form asks for proofs: most never do. */
async function library() {
  const [{ createChallenge, verifySolution }, { deriveKey }] = await Promise.all([
    import('altcha-lib'),
    import('altcha-lib/algorithms/pbkdf2'),
  ]);
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
  async challenge(form: string, now: number): Promise<Challenge> {
    const { createChallenge, deriveKey } = await library();
    return createChallenge({
      algorithm: 'PBKDF2/SHA-256',
      cost: rounds,
      counter: randomInt(Math.ceil(this.#effort / 2), this.#effort + 1),
      data: { form },
      deriveKey,
      expiresAt: Math.ceil(now / 1000) + challengeLastsSeconds,
      ...this.#secrets,
    });
  }

  /**
   * Checks a solution, in the wrapping of ALTCHA's own form field.
   *
   * @returns the challenge's name among all challenges, or null where the solution is wrong, expired, or another form's
   */
  async solved(proof: string, form: string): Promise<string | null> {
    const payload = unwrap(proof);
    if (payload?.challenge.parameters.data.form !== form) return null;
    const { verifySolution, deriveKey } = await library();
    try {
      const { verified } = await verifySolution({ ...payload, deriveKey, ...this.#secrets });
      return verified ? payload.challenge.parameters.nonce : null;
    } catch {
      return null; // a stranger's numbers and texts can be of any size and shape; the library throws at some
    }
  }
}

/**
 * What {@link ProofOfWork.challenge} makes, beside its solution. The signature covers all parameters, so none may be
 * left out.
 */
const solvedChallenge = z.object({
  challenge: z.object({
    parameters: z.strictObject({
      algorithm: z.string(),
      nonce: z.string(),
      salt: z.string(),
      cost: z.number(),
      keyLength: z.number(),
      keyPrefix: z.string(),
      keySignature: z.string(),
      expiresAt: z.number(),
      data: z.strictObject({ form: z.string() }),
    }),
    signature: z.string(),
  }),
  solution: z.object({ counter: z.number(), derivedKey: z.string() }),
});

function unwrap(proof: string): z.infer<typeof solvedChallenge> | null {
  try {
    return solvedChallenge.safeParse(JSON.parse(Buffer.from(proof, 'base64').toString())).data ?? null;
  } catch {
    return null;
  }
}
