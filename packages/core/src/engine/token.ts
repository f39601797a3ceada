/** Token sources: where a call's token comes from, and the refresh of a token that the service refused. */

/**
 * A source of tokens that can be refreshed, such as those of OAuth. An engine asks `get` for every call. Where the
 * service answers 401, it asks `refresh` with the token that was refused and repeats the call with what comes back: up
 * to three times a call, as a refreshed token may be invalidated before it is used, and no more once the same token
 * comes back.
 */
export interface TokenSource {
  /** The token to use now. */
  get(): string | Promise<string>;
  /**
   * A token in place of a refused one. Concurrent refused calls all ask: answer them from one refresh. The call
   * throws its error.
   *
   * @param rejected - the token the service refused; another token may have replaced it meanwhile
   */
  refresh?(rejected: string): Promise<string>;
}

/** An API key, a function that returns a token, or a source that can also refresh it. */
export type Token = string | (() => string | Promise<string>) | TokenSource;

/**
 * Every form of {@link Token} as a source; a plain key cannot be refreshed.
 *
 * @throws TypeError where the key cannot stand in a header
 */
export function tokenSource(token: Token): TokenSource {
  if (typeof token === 'object') return token;
  if (typeof token === 'function') return { get: token };
  const problem = tokenProblem(token);
  if (problem !== null) throw new TypeError(`${problem}.`);
  return { get: () => token };
}

/** Why a token cannot stand in the `Authorization` header, without the token itself; null where it can. */
export function tokenProblem(token: string): string | null {
  if (/^[\x21-\x7e]*$/.test(token)) return null;
  const found = /[\r\n]/.test(token) ? 'a line end' : /\s/.test(token) ? 'a blank' : 'a character';
  return `token holds ${found} that no key has. Copy it again, without what stands before or after it`;
}
