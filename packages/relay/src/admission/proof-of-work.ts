/**
 * Proof of work: creates challenges and verifies their solutions with ALTCHA's library. One solution costs a visitor's
 * device a moment of computing, thousands of posts cost a bot hours.
 */
import { randomInt } from 'node:crypto';
import * as z from 'zod';
import { purposeKey } from '../secrets.ts';
import type { ProofProvider } from './proof.ts';

/** Rounds of PBKDF2 per try. */
const rounds = 1000;

/** Lifetime of a challenge, in seconds. */
export const challengeLifetimeSeconds = 600;

/** Loads the library where a form first requires a proof; most never do. */
async function library() {
  const [{ createChallenge, verifySolution }, { deriveKey }] = await Promise.all([
    import('altcha-lib'),
    import('altcha-lib/algorithms/pbkdf2'),
  ]);
  return { createChallenge, verifySolution, deriveKey };
}

/**
 * The proof of work of all forms.
 *
 * @param effort - maximum number of tries for a solution; the minimum is half of it
 */
export function proofOfWork(secret: string, effort = 1000): ProofProvider {
  const secrets = {
    hmacSignatureSecret: purposeKey(secret, 'challenge').toString('hex'),
    hmacKeySignatureSecret: purposeKey(secret, 'challenge solution').toString('hex'),
  };
  return {
    /** Creates a challenge for one form, in the format of ALTCHA's solver. */
    async ask({ form }, now) {
      const { createChallenge, deriveKey } = await library();
      const challenge = await createChallenge({
        algorithm: 'PBKDF2/SHA-256',
        cost: rounds,
        counter: randomInt(Math.ceil(effort / 2), effort + 1),
        data: { form: form.name },
        deriveKey,
        expiresAt: Math.ceil(now / 1000) + challengeLifetimeSeconds,
        ...secrets,
      });
      return { proof_of_work: challenge };
    },

    /**
     * Verifies a solution, encoded as ALTCHA's form field encodes it, by its signatures, which computes no more than
     * two hashes. It is wrong where it has expired or is of another form.
     */
    async read(proof, { form }) {
      const payload = decode(proof);
      if (payload?.challenge.parameters.data.form !== form.name) return null;
      const { verifySolution, deriveKey } = await library();
      try {
        const { verified } = await verifySolution({ ...payload, deriveKey, ...secrets });
        const { nonce } = payload.challenge.parameters;
        return verified ? { nonce, verify: () => Promise.resolve({ passed: true }) } : null;
      } catch {
        return null; // The library throws on some malformed solutions.
      }
    },
  };
}

/**
 * A challenge of {@link proofOfWork} and its solution. The signature covers all parameters, so none may be
 * missing.
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

function decode(proof: string): z.infer<typeof solvedChallenge> | null {
  try {
    return solvedChallenge.safeParse(JSON.parse(Buffer.from(proof, 'base64').toString())).data ?? null;
  } catch {
    return null;
  }
}
