/** Where tokens are kept between calls and restarts. */
import type { TokenSet } from './tokens.ts';

/** Keeps the tokens of one login. A database row does as well as a file. */
export interface TokenStore {
  /** The tokens; null where nobody is logged in. */
  load(): Promise<TokenSet | null>;
  /**
   * Keeps these tokens in place of others. Must be whole or not at all: a refresh token that is lost cannot be had
   * again.
   */
  save(tokens: TokenSet): Promise<void>;
  /** Forgets the tokens. */
  clear(): Promise<void>;
  /**
   * Runs `work` while nobody else who shares this store runs theirs. Refresh tokens are good once, so two processes
   * that refresh at a time would end each other's login. Leave it out where only one process uses the store.
   */
  exclusively?<T>(work: () => Promise<T>): Promise<T>;
}

/** A store that forgets everything when the process ends. */
export function createMemoryTokenStore(tokens: TokenSet | null = null): TokenStore {
  let kept = tokens;
  return {
    load: async () => kept,
    async save(tokens) {
      kept = tokens;
    },
    async clear() {
      kept = null;
    },
  };
}
