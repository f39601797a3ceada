/**
 * What an endpoint asks for before it takes a post. It stands as `ask` in the body of a 403; most endpoints never ask.
 */

/**
 * What to send along with the same post, under the same idempotency key. An endpoint asks for as little as its
 * protection needs: usually nothing, a token where forms are signed, a proof while it is under attack.
 */
export interface Ask {
  /** To be sent back as `token`, no sooner than {@link Ask.wait_seconds} from now. */
  readonly token?: string;
  /** How long the token wants to age, in seconds. Default 0. */
  readonly wait_seconds?: number;
  /** A challenge of ALTCHA, as its library made it; the solution is sent back as `proof`. */
  readonly proof_of_work?: ProofOfWork;
  /** Cloudflare Turnstile: what its widget answers is sent back as `proof`. */
  readonly turnstile?: { readonly site_key: string };
}

/**
 * A challenge in ALTCHA's second format: its server makes it and checks the solution, its solver knows what it means.
 */
export interface ProofOfWork {
  readonly parameters: {
    readonly algorithm: string;
    readonly nonce: string;
    readonly salt: string;
    readonly cost: number;
    readonly keyLength: number;
    readonly keyPrefix: string;
    readonly keySignature?: string;
    readonly memoryCost?: number;
    readonly parallelism?: number;
    /** Seconds since 1970. */
    readonly expiresAt?: number;
    readonly data?: Readonly<Record<string, string | number | boolean | null>>;
  };
  readonly signature?: string;
}
