/** The tokens of a login as plain data, and the store that keeps them. */

/** The tokens of one login. Times are absolute, so that they survive a restart. */
export interface TokenSet {
  /** Sent as the bearer token of each call. */
  readonly accessToken: string;
  /** Exchanged for new tokens; null where the app is not registered for refresh tokens. */
  readonly refreshToken: string | null;
  /** When the access token was given, in milliseconds since the Unix epoch. */
  readonly issuedAt: number;
  /** When the access token stops working, in milliseconds since the Unix epoch; null where the service does not say. */
  readonly expiresAt: number | null;
  /** What the access token may do; empty where the service does not say. */
  readonly scopes: readonly string[];
}

/** Reads tokens that a store has kept; null for anything else. Drops unknown keys. */
export function readTokenSet(value: unknown): TokenSet | null {
  if (typeof value !== 'object' || value === null) return null;
  const { accessToken, refreshToken, issuedAt, expiresAt, scopes }: Readonly<Partial<Record<keyof TokenSet, unknown>>> =
    value;
  if (typeof accessToken !== 'string' || accessToken === '') return null;
  if (refreshToken !== null && typeof refreshToken !== 'string') return null;
  if (typeof issuedAt !== 'number' || (expiresAt !== null && typeof expiresAt !== 'number')) return null;
  if (!Array.isArray(scopes) || !scopes.every((scope) => typeof scope === 'string')) return null;
  return { accessToken, refreshToken, issuedAt, expiresAt, scopes };
}

/** Whether the access token has expired by the clock. */
export function isExpired({ expiresAt }: TokenSet, now: number): boolean {
  return expiresAt !== null && now >= expiresAt;
}

/**
 * Whether the access token should be refreshed before it is used: `aheadMs` before it expires, but not in the first
 * half of its lifetime, because a short-lived one would be refreshed by every call.
 */
export function isDue({ issuedAt, expiresAt }: TokenSet, now: number, aheadMs: number): boolean {
  return expiresAt !== null && now >= expiresAt - Math.min(aheadMs, (expiresAt - issuedAt) / 2);
}

/** Reads scopes in both forms that services send: a text separated by spaces, or a list. */
export function readScopes(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((scope) => typeof scope === 'string');
  return typeof value === 'string' ? value.split(/\s+/).filter(Boolean) : [];
}

/** Keeps the tokens of one login. A database row does as well as a file. */
export interface TokenStore {
  /** The tokens; null without a login. */
  load(): Promise<TokenSet | null>;
  /**
   * Replaces the tokens. Must be atomic: a lost refresh token cannot be recovered.
   */
  save(tokens: TokenSet): Promise<void>;
  /** Forgets the tokens. */
  clear(): Promise<void>;
  /**
   * Runs `work` under a lock that all users of this store share. A refresh token works once, so two processes that
   * refresh at the same time would end each other's login. Leave it out where only one process uses the store.
   */
  exclusively?<T>(work: () => Promise<T>): Promise<T>;
}

/** A store in memory. */
export function createMemoryTokenStore(tokens: TokenSet | null = null): TokenStore {
  let stored = tokens;
  return {
    load: async () => stored,
    async save(tokens) {
      stored = tokens;
    },
    async clear() {
      stored = null;
    },
  };
}
