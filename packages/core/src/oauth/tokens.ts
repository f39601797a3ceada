/** The tokens of a login: plain data, the store that keeps them, and their refresh. */
import type { TokenSource } from '../engine/index.ts';
import { LoginRequiredError, OAuthError } from './errors.ts';

/** The tokens of one login. Times are absolute, so that they survive a restart. */
export interface TokenSet {
  /** Sent as the bearer token of each call. */
  readonly accessToken: string;
  /** Exchanged for new tokens; null where the app is not registered for refresh tokens. */
  readonly refreshToken: string | null;
  /** When the access token was issued, in milliseconds since the Unix epoch. */
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

/**
 * Whether the access token should be refreshed before it is used: `aheadMs` before it expires, but not in the first
 * half of its lifetime, because a short-lived one would be refreshed by every call.
 *
 * @param aheadMs - 0: whether it has expired
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

/** Options of {@link createTokenSource}. */
export interface TokenSourceOptions {
  /** Exchanges the refresh token for new tokens: `client.oauth`. */
  readonly oauth: { refreshTokens(tokens: Pick<TokenSet, 'refreshToken' | 'scopes'>): Promise<TokenSet> };
  readonly store: TokenStore;
  /**
   * Milliseconds before its expiry at which an access token is refreshed. Default 300,000; at most half of its life.
   */
  readonly refreshAheadMs?: number | undefined;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Pause after a failed early refresh, in milliseconds; until it expires, the old token works. */
const pauseAfterFailureMs = 30_000;

/**
 * A token source for `createClient({ token })` on the tokens of a store.
 *
 * Calls that are refused at the same time wait for one refresh; a call that is refused later gets the token that has
 * replaced its own. The store is read again before each refresh, so that newer tokens of another process are used
 * instead of revoked. A refresh token that the service refuses stays in the store, because a wrong client id gives the
 * same answer, but it is not sent again.
 *
 * @returns `get` and `refresh` reject with {@link LoginRequiredError} where only a new login helps, with NetworkError
 *   and others where the refresh may work later
 */
export function createTokenSource({
  oauth,
  store,
  refreshAheadMs = 300_000,
  now = Date.now,
}: TokenSourceOptions): Required<TokenSource> {
  let current: TokenSet | null = null;
  /** The refresh in flight, shared by all callers (single flight). */
  let inFlight: Promise<string> | null = null;
  let refusedRefreshToken: string | null = null;
  let nextEarlyRefresh = Number.NEGATIVE_INFINITY;

  function refreshOnce(rejected: string): Promise<string> {
    const exclusively = store.exclusively?.bind(store) ?? ((work: () => Promise<string>) => work());
    inFlight ??= exclusively(() => refreshUnlessReplaced(rejected)).finally(() => {
      inFlight = null;
    });
    return inFlight;
  }

  async function refreshUnlessReplaced(rejected: string): Promise<string> {
    const stored = await store.load();
    if (!stored) {
      current = null;
      throw new LoginRequiredError('no-tokens');
    }
    if (stored.accessToken !== rejected) return use(stored);
    if (stored.refreshToken === null) throw new LoginRequiredError('no-refresh-token');
    if (stored.refreshToken === refusedRefreshToken) throw new LoginRequiredError('refused');
    try {
      const renewed = await oauth.refreshTokens(stored);
      await store.save(renewed);
      return use(renewed);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // Another process that shares the store without its lock may have refreshed first.
      const now = await store.load();
      if (now && now.accessToken !== rejected) return use(now);
      refusedRefreshToken = stored.refreshToken;
      throw new LoginRequiredError('refused', error);
    }
  }

  function use(tokens: TokenSet): string {
    current = tokens;
    return tokens.accessToken;
  }

  return {
    async get() {
      current ??= await store.load();
      const tokens = current;
      if (!tokens) throw new LoginRequiredError('no-tokens');
      const expired = isDue(tokens, now(), 0);
      const early = isDue(tokens, now(), refreshAheadMs) && now() >= nextEarlyRefresh && tokens.refreshToken !== null;
      if (!expired && !early && !inFlight) return tokens.accessToken;
      try {
        return await refreshOnce(tokens.accessToken);
      } catch (error) {
        if (expired || current === null) throw error;
        // By the clock the token still works; the service decides.
        nextEarlyRefresh = now() + pauseAfterFailureMs;
        return tokens.accessToken;
      }
    },
    async refresh(rejected) {
      const token = await refreshOnce(rejected);
      // A refresh in flight may have begun for an older token, and returned the one that is refused here.
      return token === rejected ? refreshOnce(rejected) : token;
    },
  };
}

/** Whether the service refused the refresh token, rather than failed. */
function isRefusal(error: unknown): error is OAuthError {
  return error instanceof OAuthError && error.code === 'invalid_grant';
}
