/**
 * Gives calls a token that works: renewed ahead of its end, or once the service refuses it, by one refresh however many
 * ask.
 */
import type { TokenSource } from '../engine/index.ts';
import { LoginRequiredError, OAuthError } from './errors.ts';
import type { OAuthLogin } from './login.ts';
import type { TokenStore } from './store.ts';
import { isDue, isExpired, type TokenSet } from './tokens.ts';

/** Options of {@link createTokenSource}. */
export interface TokenSourceOptions {
  readonly oauth: Pick<OAuthLogin, 'refreshTokens'>;
  readonly store: TokenStore;
  /** Milliseconds before its end at which an access token is renewed. Default 300,000; at most half of its life. */
  readonly refreshAheadMs?: number | undefined;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/**
 * How long a renewal ahead of time that failed is not tried again, in milliseconds: until the end, the old token works.
 */
const quietMs = 30_000;

/**
 * A token source for `createClient({ token })` on the tokens of a store.
 *
 * Calls that are refused at the same time wait for one refresh; one that learns of its refusal later gets the token
 * that is there by then. The store is read again before each refresh, so that another process's newer tokens are used
 * and not ended. A refresh token that the service refuses is left in the store, because a wrong client id looks the
 * same, but not sent again.
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
  let renewal: Promise<string> | null = null;
  let refused: string | null = null;
  let quietUntil = Number.NEGATIVE_INFINITY;

  function renew(rejected: string): Promise<string> {
    const exclusively = store.exclusively?.bind(store) ?? ((work: () => Promise<string>) => work());
    renewal ??= exclusively(() => replace(rejected)).finally(() => {
      renewal = null;
    });
    return renewal;
  }

  async function replace(rejected: string): Promise<string> {
    const held = await store.load();
    if (!held) {
      current = null;
      throw new LoginRequiredError('no-tokens');
    }
    if (held.accessToken !== rejected) return use(held);
    if (held.refreshToken === null) throw new LoginRequiredError('no-refresh-token');
    if (held.refreshToken === refused) throw new LoginRequiredError('refused');
    try {
      const renewed = await oauth.refreshTokens(held);
      await store.save(renewed);
      return use(renewed);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // Somebody who shares the store without its lock may have been faster.
      const now = await store.load();
      if (now && now.accessToken !== rejected) return use(now);
      refused = held.refreshToken;
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
      const early = isDue(tokens, now(), refreshAheadMs) && now() >= quietUntil && tokens.refreshToken !== null;
      if (!expired && !early && !renewal) return tokens.accessToken;
      try {
        return await renew(tokens.accessToken);
      } catch (error) {
        if (expired || current === null) throw error;
        // It still works by the clock, and the service has the last word.
        quietUntil = now() + quietMs;
        return tokens.accessToken;
      }
    },
    async refresh(rejected) {
      const token = await renew(rejected);
      // A renewal that was under way may have begun for an older token, and found the one refused here.
      return token === rejected ? renew(rejected) : token;
    },
  };
}

/** Whether the service says that this refresh token is of no use, and not that it is out of order. */
function isRefusal(error: unknown): error is OAuthError {
  return error instanceof OAuthError && error.code === 'invalid_grant';
}
