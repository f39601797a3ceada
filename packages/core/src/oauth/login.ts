/**
 * Signing in with OAuth 2.0 as `client.oauth` offers it. What composes and checks the requests (oauth4webapi) is loaded
 * when the first of these methods is called: who does not sign in does not pay for it.
 */
import type { EngineOptions, Host, TokenSource } from '../engine/index.ts';
import { checkOptions } from './server.ts';
import type { TokenStore } from './store.ts';
import { createTokenSource } from './token-source.ts';
import type { TokenSet } from './tokens.ts';

/** The app that signs people in: `oauth` of `createClient`. */
export interface LoginOptions {
  readonly clientId: string;
  /** Only for apps that can keep one: a server, not a page, a phone or a command. */
  readonly clientSecret?: string | undefined;
  /**
   * Where the browser comes back to: registered with the service, to the letter (on 127.0.0.1 usually with any port).
   */
  readonly redirectUri: string;
  /** What to ask for where `startLogin` does not say; see {@link scopesFor}. Default: the service's own default. */
  readonly scopes?: readonly string[] | undefined;
  /** Keeps the tokens of one login. Where the client has no `token`, its calls use these and renew them. */
  readonly store?: TokenStore | undefined;
  /** Milliseconds before its end at which an access token is renewed. Default 300,000; at most half of its life. */
  readonly refreshAheadMs?: number | undefined;
}

/** What the login flow runs on. */
export interface LoginSettings extends LoginOptions, Pick<EngineOptions, 'timeoutMs' | 'retry' | 'onAttempt'> {
  /** Root address of the app; the endpoints lie below `/oauth`. https, or http on this machine. */
  readonly appUrl: string;
  readonly host: Host;
}

/** Options of `startLogin`. */
export interface AuthorizeOptions {
  /** What to ask for. Default: the `scopes` of {@link LoginOptions}. */
  readonly scopes?: readonly string[] | undefined;
  /** A value of your own that comes back with the browser; unguessable. Default: a random one. */
  readonly state?: string | undefined;
}

/**
 * One login on its way. Keep it – as JSON in the person's session, never in the page – until the browser comes back.
 */
export interface Authorization {
  /** The address to send the person to. */
  readonly url: string;
  /** Must come back with the browser. */
  readonly state: string;
  /** Proves that whoever exchanges the code is whoever asked for it (PKCE). A secret. */
  readonly codeVerifier: string;
}

/** What the service tells an app about one of its tokens. Times are milliseconds since the Unix epoch. */
export type Introspection =
  | { readonly active: false }
  | {
      readonly active: true;
      readonly scopes: readonly string[];
      readonly clientId: string | null;
      /** Null for a refresh token. */
      readonly tokenType: string | null;
      readonly issuedAt: number | null;
      /** Null where it does not end by itself. */
      readonly expiresAt: number | null;
    };

/** What a token tells about itself. Times are milliseconds since the Unix epoch. */
export interface TokenInfo {
  /** The person it acts for. */
  readonly resourceOwnerId: string | null;
  readonly scopes: readonly string[];
  readonly expiresAt: number | null;
  readonly issuedAt: number | null;
  readonly clientId: string | null;
  /** Name of the app; null where the service leaves it out. */
  readonly clientName: string | null;
}

/**
 * The login flow: authorization code with PKCE (S256), for confidential apps (with `clientSecret`) and public ones
 * (without). Beside it, `client.oauth` has the endpoints themselves. All methods reject with {@link OAuthError} where
 * the service refuses, with the client's NetworkError, TimeoutError and InvalidAnswerError, and with a TypeError where
 * `createClient` was not given `oauth` and `appUrl`.
 */
export interface OAuthLogin {
  /** Begins a login: the address to send the person to, and what to keep until they come back. */
  startLogin(options?: AuthorizeOptions): Promise<Authorization>;
  /**
   * Finishes a login: exchanges the code that came back for tokens. Saves them where `oauth` has a `store`.
   *
   * @param callback - the address the browser came back to: whole, or from its path or query on
   * @throws StateMismatchError where it belongs to another login, AccessDeniedError where the person said no
   */
  finishLogin(callback: string | URL, authorization: Pick<Authorization, 'state' | 'codeVerifier'>): Promise<TokenSet>;
  /**
   * New tokens for a refresh token, which usually ends with that: save them before anything else. Where no new refresh
   * token comes back, the old one stays. A client with a `store` does this by itself.
   *
   * @throws OAuthError `invalid_grant` where the refresh token no longer works
   */
  refreshTokens(tokens: Pick<TokenSet, 'refreshToken' | 'scopes'>): Promise<TokenSet>;
  /** Ends both tokens of a login. Ending one that has ended already is no error. */
  revokeTokens(tokens: Pick<TokenSet, 'accessToken' | 'refreshToken'>): Promise<void>;
  /** Asks whether a token – access or refresh – is good, and what it is. Tells only about tokens of this app. */
  introspectToken(token: string): Promise<Introspection>;
  /**
   * Reads what an access token may do, with that token. Default: the one of the `store`.
   *
   * @throws OAuthError `invalid_token` where it is no good, LoginRequiredError where the store has none
   */
  readTokenInfo(accessToken?: string): Promise<TokenInfo>;
  /**
   * The `token` of another client, from the tokens of a store, renewed when they end. A client with `oauth.store` has
   * its own.
   *
   * @returns `get` and `refresh` reject with LoginRequiredError where only a new login helps
   */
  tokenSource(store: TokenStore, options?: Pick<LoginOptions, 'refreshAheadMs'>): Required<TokenSource>;
}

/** The steps that need oauth4webapi. */
export interface LoginSteps extends Omit<OAuthLogin, 'tokenSource' | 'readTokenInfo'> {
  readTokenInfo(accessToken: string): Promise<TokenInfo>;
}

/**
 * The login flow of a client, and the source of its tokens where they come from a store.
 *
 * @param settings - undefined where the client was not given what a login needs
 * @throws TypeError that names every mistake in the settings
 */
export function createLogin(settings: LoginSettings | undefined): {
  readonly login: OAuthLogin;
  readonly source: TokenSource | undefined;
} {
  if (settings) checkOptions(settings);
  let loaded: Promise<LoginSteps> | undefined;
  const flow = (): Promise<LoginSteps> =>
    settings
      ? (loaded ??= import('./oauth.ts').then(({ createFlow }) => createFlow(settings)))
      : Promise.reject(
          new TypeError(
            'To sign in, createClient needs appUrl and oauth: { clientId, redirectUri }, the app at the service.',
          ),
        );
  const login: OAuthLogin = {
    startLogin: async (options) => (await flow()).startLogin(options),
    async finishLogin(callback, authorization) {
      const tokens = await (await flow()).finishLogin(callback, authorization);
      await settings?.store?.save(tokens);
      return tokens;
    },
    refreshTokens: async (tokens) => (await flow()).refreshTokens(tokens),
    revokeTokens: async (tokens) => (await flow()).revokeTokens(tokens),
    introspectToken: async (token) => (await flow()).introspectToken(token),
    async readTokenInfo(accessToken) {
      const { readTokenInfo } = await flow();
      const token = accessToken ?? (await source?.get());
      if (token === undefined) throw new TypeError('Pass the access token, or give createClient oauth.store.');
      return readTokenInfo(token);
    },
    tokenSource: (store, { refreshAheadMs = settings?.refreshAheadMs } = {}) =>
      createTokenSource({ oauth: login, store, refreshAheadMs, ...(settings && { now: () => settings.host.now() }) }),
  };
  const source = settings?.store && login.tokenSource(settings.store);
  return { login, source };
}
