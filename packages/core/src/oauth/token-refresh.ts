/**
 * Token refresh: gives each call a working access token, refreshed before it expires or after the service refused it.
 * Concurrent calls share one refresh.
 */
import type { TokenSource } from '../engine/index.ts';
import { LoginRequiredError, OAuthError } from './errors.ts';
import type { OAuthLogin } from './types.ts';
import { isDue, isExpired, type TokenSet, type TokenStore } from './tokens.ts';

/** Options of {@link createTokenSource}. */
export interface TokenSourceOptions {
  readonly oauth: Pick<OAuthLogin, 'refreshTokens'>;
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
    const held = await store.load();
    if (!held) {
      current = null;
      throw new LoginRequiredError('no-tokens');
    }
    if (held.accessToken !== rejected) return use(held);
    if (held.refreshToken === null) throw new LoginRequiredError('no-refresh-token');
    if (held.refreshToken === refusedRefreshToken) throw new LoginRequiredError('refused');
    try {
      const renewed = await oauth.refreshTokens(held);
      await store.save(renewed);
      return use(renewed);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // Another process that shares the store without its lock may have refreshed first.
      const now = await store.load();
      if (now && now.accessToken !== rejected) return use(now);
      refusedRefreshToken = held.refreshToken;
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
      const expired = isExpired(tokens, now());
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
