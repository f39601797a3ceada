/** Types of the OAuth 2.0 login: its settings, its steps and what they return. */
import type { EngineOptions } from '../engine/engine.ts';
import type { Host } from '../engine/host.ts';
import type { TokenSource } from '../engine/token.ts';
import type { TokenStore, TokenSet } from './tokens.ts';

/** The app that signs people in: `oauth` of `createClient`. */
export interface LoginOptions {
  readonly clientId: string;
  /** Only for confidential apps, which run on a server; not for a page, a phone or a command. */
  readonly clientSecret?: string | undefined;
  /**
   * Where the browser comes back to: registered with the service, to the letter (on 127.0.0.1 usually with any port).
   */
  readonly redirectUri: string;
  /** Scopes to request where `startLogin` names none; see {@link scopesFor}. Default: the service's own default. */
  readonly scopes?: readonly string[] | undefined;
  /** Keeps the tokens of one login. Where the client has no `token`, its calls use these and renew them. */
  readonly store?: TokenStore | undefined;
  /**
   * Milliseconds before its expiry at which an access token is refreshed. Default 300,000; at most half of its life.
   */
  readonly refreshAheadMs?: number | undefined;
}

/** All that the login flow needs: the settings of the app, its address and the host. */
export interface LoginSettings
  extends LoginOptions, Pick<EngineOptions, 'timeoutMs' | 'retry' | 'extraHeaders' | 'onAttempt'> {
  /** Root address of the app; the endpoints lie below `/oauth`. https, or http on this machine. */
  readonly appUrl: string;
  readonly host: Host;
}

/** Options of `startLogin`. */
export interface AuthorizeOptions {
  /** Scopes to request. Default: the `scopes` of {@link LoginOptions}. */
  readonly scopes?: readonly string[] | undefined;
  /** A value of your own that the browser brings back; unguessable. Default: a random one. */
  readonly state?: string | undefined;
}

/** A login in progress. Keep it as JSON in the person's session, never in the page, until the browser comes back. */
export interface Authorization {
  /** The address to send the person to. */
  readonly url: string;
  /** The browser must bring it back unchanged. */
  readonly state: string;
  /** Proves that the code is exchanged by the app that requested it (PKCE). A secret. */
  readonly codeVerifier: string;
}

/** Whether a token of the app is active, and its details. Times are milliseconds since the Unix epoch. */
export type Introspection =
  | { readonly active: false }
  | {
      readonly active: true;
      readonly scopes: readonly string[];
      readonly clientId: string | null;
      /** Null for a refresh token. */
      readonly tokenType: string | null;
      readonly issuedAt: number | null;
      /** Null for a token that does not expire. */
      readonly expiresAt: number | null;
    };

/** Details of an access token. Times are milliseconds since the Unix epoch. */
export interface TokenInfo {
  /** The person the token acts for. */
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
  /** Begins a login: gives the address to send the person to, and the values to keep until the browser comes back. */
  startLogin(options?: AuthorizeOptions): Promise<Authorization>;
  /**
   * Finishes a login: exchanges the code that came back for tokens. Saves them where `oauth` has a `store`.
   *
   * @param callback - the address the browser came back to: whole, or from its path or query on
   * @throws StateMismatchError where it belongs to another login, AccessDeniedError where the person denied access
   */
  finishLogin(callback: string | URL, authorization: Pick<Authorization, 'state' | 'codeVerifier'>): Promise<TokenSet>;
  /**
   * Exchanges a refresh token for new tokens. The old refresh token usually stops working: save the new one first.
   * Where the service answers no new refresh token, the old one stays. A client with a `store` refreshes by itself.
   *
   * @throws OAuthError `invalid_grant` where the refresh token no longer works
   */
  refreshTokens(tokens: Pick<TokenSet, 'refreshToken' | 'scopes'>): Promise<TokenSet>;
  /** Revokes both tokens of a login. Revoking a revoked token is no error. */
  revokeTokens(tokens: Pick<TokenSet, 'accessToken' | 'refreshToken'>): Promise<void>;
  /** Asks whether an access or refresh token of this app is active, and for its details. */
  introspectToken(token: string): Promise<Introspection>;
  /**
   * Reads the details of an access token, with that token. Default: the token of the `store`.
   *
   * @throws OAuthError `invalid_token` where the token does not work, LoginRequiredError where the store has none
   */
  readTokenInfo(accessToken?: string): Promise<TokenInfo>;
  /**
   * A value for the `token` of another client: reads the tokens of a store and refreshes them when they expire. A
   * client with `oauth.store` has its own.
   *
   * @returns `get` and `refresh` reject with LoginRequiredError where only a new login helps
   */
  tokenSource(store: TokenStore, options?: Pick<LoginOptions, 'refreshAheadMs'>): Required<TokenSource>;
}

/** The steps that need oauth4webapi. */
export interface LoginSteps extends Omit<OAuthLogin, 'tokenSource' | 'readTokenInfo'> {
  readTokenInfo(accessToken: string): Promise<TokenInfo>;
}
