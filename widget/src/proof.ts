/**
 * Solves the proof of work that an endpoint asks for. Web Crypto computes one digest at a time outside the main thread,
 * so the page stays responsive. A worker would need a directive in the page's CSP and a file on its origin.
 */
import { solveChallenge } from 'altcha-lib';
import { deriveKey as derivePbkdf2 } from 'altcha-lib/algorithms/web/pbkdf2';
import { deriveKey as deriveSha } from 'altcha-lib/algorithms/web/sha';
import type { ProofOfWork } from '@newsletter-kit/core/signup';

/**
 * Searches for at most 90 seconds. Needs a page with TLS or on localhost: elsewhere browsers hide Web Crypto.
 *
 * @returns the challenge and its solution in ALTCHA's encoding
 * @throws if the challenge is invalid, needs an algorithm that browsers lack, or is not solved in time
 */
export async function solve(challenge: ProofOfWork): Promise<string> {
  const deriveKey = challenge.parameters.algorithm.startsWith('PBKDF2') ? derivePbkdf2 : deriveSha;
  const solution = await solveChallenge({ challenge, deriveKey });
  if (!solution) throw new Error('The proof of work was not found within 90 seconds.');
  // `btoa` takes only Latin-1: other characters become JSON escapes.
  return btoa(
    JSON.stringify({ challenge, solution }).replace(
      /[^ -~]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
}
