/** What a visitor proves with that a post is worth taking: one interface, of the proof of work and of Turnstile. */
import type { Ask } from '@newsletter-kit/core/signup';
import type { SignupPost } from './signup-post.ts';

export interface ProofProvider {
  /** What a post to the form is asked for. */
  ask(post: SignupPost, now: number): Promise<Pick<Ask, 'proof_of_work' | 'turnstile'>>;
  /**
   * Reads a proof without state and calls, so that a Worker can do it in front of its Durable Object.
   *
   * @returns null where it is wrong
   */
  read(proof: string, post: SignupPost): Promise<ReadProof | null>;
}

/** A proof that is not wrong by itself. */
export interface ReadProof {
  /** Unique among all proofs, for single use; null where the verification sees to that. */
  readonly nonce: string | null;
  /** `unknown`, with a reason for the operator: what verifies it is unavailable, and no signup is lost for that. */
  verify(this: void): Promise<ProofVerdict>;
}

export type ProofVerdict = { readonly passed: boolean } | { readonly unknown: string };

/** What tests change of the proofs. */
export interface ProofOptions {
  /** Maximum number of tries for a proof of work. Default 1000: a third of a second of a laptop, one of a phone. */
  readonly effort?: number | undefined;
  /** Address that verifies responses of Turnstile. Default: Cloudflare's. */
  readonly turnstileUrl?: string | undefined;
}
