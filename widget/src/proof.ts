/**
 * Solves the proof of work an endpoint asks for. The hashing is done by the browser's own Web Crypto, off the page's
 * thread and one digest at a time, so the page stays responsive; a worker would want leave in the page's CSP and its
 * own origin.
 */
import { solveChallenge } from 'altcha-lib';
import { deriveKey as derivePbkdf2 } from 'altcha-lib/algorithms/web/pbkdf2';
import { deriveKey as deriveSha } from 'altcha-lib/algorithms/web/sha';
import type { ProofOfWork } from '@newsletter-kit/core/signup';

/**
 * Searches for at most 90 seconds. Needs a page with TLS or on this machine: elsewhere browsers hide Web Crypto.
 *
 * @returns the challenge and its solution in ALTCHA's own wrapping, which its servers read
 * @throws where the challenge is none, asks for what browsers cannot do, or is not solved in time
 */
export async function solve(challenge: ProofOfWork): Promise<string> {
  const deriveKey = challenge.parameters.algorithm.startsWith('PBKDF2') ? derivePbkdf2 : deriveSha;
  const solution = await solveChallenge({ challenge, deriveKey });
  if (!solution) throw new Error('The proof of work was not found within 90 seconds.');
  // Base64 knows bytes, JSON knows escapes: so a challenge may speak of anything.
  return btoa(
    JSON.stringify({ challenge, solution }).replace(
      /[^ -~]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
}
