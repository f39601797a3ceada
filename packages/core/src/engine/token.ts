/** Where a call's token comes from, and what a refused one is exchanged for. */

/**
 * Tokens that can be renewed, such as those of OAuth. An engine asks `get` for every call. Where the service answers
 * 401, it asks `refresh` – once per call, with the token that was refused – and repeats the call once with what comes
 * back.
 */
export interface TokenSource {
  /** The token to use now. */
  get(): string | Promise<string>;
  /**
   * A token in place of a refused one. Calls that were refused at the same time all ask: answer them from one renewal.
   * What it throws is what the call throws.
   *
   * @param rejected - the token the service refused; another one may have been put in its place meanwhile
   */
  refresh?(rejected: string): Promise<string>;
}

/** An API key, a function that gives a token, or a source that can also renew it. */
export type Token = string | (() => string | Promise<string>) | TokenSource;

/** Every form of {@link Token} as a source; a key that was given has nothing to renew it. */
export function tokenSource(token: Token): TokenSource {
  if (typeof token === 'object') return token;
  return { get: typeof token === 'function' ? token : () => token };
}
