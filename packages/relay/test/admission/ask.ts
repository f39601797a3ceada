/** Reads the `ask` of a 403 answer, and solves its proof of work as a browser does. */
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { expect } from 'vitest';
import type { Ask } from '@newsletter-kit/core/signup';

/** The `ask` in a 403; fails for any other answer. */
export async function asked(answer: Response, code: 'TOKEN_REQUIRED' | 'PROOF_REQUIRED'): Promise<Ask> {
  const body = (await answer.json()) as { errors: { code: string }[]; ask: Ask };
  expect([answer.status, body.errors.map((error) => error.code)]).toEqual([403, [code]]);
  return body.ask;
}

/** ALTCHA's payload, as its own form field and the tag send it. */
export async function solve({ proof_of_work: challenge }: Ask): Promise<string> {
  if (!challenge) throw new Error('No proof of work was asked for.');
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}
