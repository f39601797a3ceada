/** What an endpoint asks for before it takes a post. It stands as `ask` in the body of a 403; most endpoints never ask. */

/**
 * What to send along with the same post, under the same idempotency key. An endpoint asks for as little as its protection
 * needs: usually nothing, a token where forms are signed, a proof while it is under attack.
 */
export interface Ask {
  /** To be sent back as `token`, no sooner than {@link Ask.wait_seconds} from now. */
  readonly token?: string;
  /** How long the token wants to age, in seconds. Default 0. */
  readonly wait_seconds?: number;
  /** A challenge of ALTCHA, as its library made it; the solution is sent back as `proof`. */
  readonly proof_of_work?: Readonly<Record<string, unknown>>;
  /** Cloudflare Turnstile: what its widget answers is sent back as `proof`. */
  readonly turnstile?: { readonly site_key: string };
}
