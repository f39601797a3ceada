/** Proof Key for Code Exchange (RFC 7636): code challenge and code verifier. */
import { createHash } from 'node:crypto';

/** Each method with what makes a challenge of a verifier. */
const methods: ReadonlyMap<string, (verifier: string) => string> = new Map([
  ['S256', (verifier) => createHash('sha256').update(verifier).digest('base64url')],
  ['plain', (verifier) => verifier],
]);

export const isChallengeMethod = (method: string | undefined): method is string =>
  method !== undefined && methods.has(method);

/** Whether this can be a challenge: a verifier has 43 to 128 characters, a SHA-256 hash always 43. */
export function isChallenge(challenge: string, method: string): boolean {
  return (method === 'S256' ? /^[\w-]{43}$/ : /^[\w.~-]{43,128}$/).test(challenge);
}

/** Whether the verifier answers the challenge. */
export function verifierMatches(verifier: string, challenge: string, method: string): boolean {
  return methods.get(method)?.(verifier) === challenge;
}
