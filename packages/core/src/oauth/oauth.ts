/**
 * The app's side of OAuth 2.0. oauth4webapi composes what is sent and checks what comes back; the engine carries it, so
 * that retries, timeouts and errors are those of every other call.
 */
import * as oauth4webapi from 'oauth4webapi';
import { createEngine, InvalidAnswerError, type EngineOptions, type Host } from '../engine/index.ts';
import { createFetchHost, type Fetch } from '../hosts/fetch.ts';
import { checkCallback } from './callback.ts';
import { speakOAuth } from './refusal.ts';
import { authorizationServer, checkOptions } from './server.ts';
import { readScopes, type TokenSet } from './tokens.ts';

/** Options of {@link createOAuth}. */
export interface OAuthOptions extends Pick<EngineOptions, 'timeoutMs' | 'retry' | 'onAttempt'> {
  /**
   * Root address of the app, for example `https://app.example.com`; the endpoints lie below `/oauth`. https, or http on
   * this machine.
   */
  readonly appUrl: string;
  readonly clientId: string;
  /** Only for apps that can keep one: a server, not a page, a phone or a command. */
  readonly clientSecret?: string | undefined;
  /**
   * Where the browser comes back to: registered with the service, to the letter (on 127.0.0.1 usually with any port).
   */
  readonly redirectUri: string;
  /** What to ask for where `authorize` does not say; see {@link scopesFor}. Default: the service's own default. */
  readonly scopes?: readonly string[] | undefined;
  /** Used in place of the platform's `fetch`, for example a sandbox's `fetch` in process. */
  readonly fetch?: Fetch | undefined;
  /** A host of your own, in place of the one over `fetch`. It must not follow redirects: requests hold secrets. */
  readonly host?: Host | undefined;
  /** Milliseconds since the Unix epoch. Default: the host's clock. */
  readonly now?: (() => number) | undefined;
}

/** Options of `authorize`. */
export interface AuthorizeOptions {
  /** What to ask for. Default: the `scopes` of {@link OAuthOptions}. */
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
 * The steps of a login. All reject with {@link OAuthError} where the service refuses, and with the client's
 * NetworkError, TimeoutError and InvalidAnswerError.
 */
export interface OAuth {
  /** Begins a login: the address to send the person to, and what to keep until they come back. */
  authorize(options?: AuthorizeOptions): Promise<Authorization>;
  /**
   * Finishes a login: exchanges the code that came back for tokens.
   *
   * @param callback - the address the browser came back to: whole, or from its path or query on
   * @throws StateMismatchError where it belongs to another login, AccessDeniedError where the person said no
   */
  exchange(callback: string | URL, authorization: Pick<Authorization, 'state' | 'codeVerifier'>): Promise<TokenSet>;
  /**
   * New tokens for a refresh token, which usually ends with that: save them before anything else. Where no new refresh
   * token comes back, the old one stays. See {@link createTokenSource} for what does this by itself.
   *
   * @throws OAuthError `invalid_grant` where the refresh token no longer works
   */
  refresh(tokens: Pick<TokenSet, 'refreshToken' | 'scopes'>): Promise<TokenSet>;
  /** Ends both tokens of a login. Ending one that has ended already is no error. */
  revoke(tokens: Pick<TokenSet, 'accessToken' | 'refreshToken'>): Promise<void>;
  /** Asks whether a token – access or refresh – is good, and what it is. Tells only about tokens of this app. */
  introspect(token: string): Promise<Introspection>;
  /** Reads what an access token may do, with that token. @throws OAuthError `invalid_token` where it is no good */
  tokenInfo(accessToken: string): Promise<TokenInfo>;
}

/**
 * The authorization code flow with PKCE (S256), for confidential apps (with `clientSecret`) and public ones (without).
 *
 * @example
 * ```ts
 * const oauth = createOAuth({ appUrl, clientId, redirectUri, scopes: scopesFor(['subscriptions.list']) });
 * const login = await oauth.authorize();            // keep it, send the person to login.url
 * const tokens = await oauth.exchange(cameBack, login);
 * ```
 * @throws TypeError that names every mistake in the options
 */
export function createOAuth(options: OAuthOptions): OAuth {
  checkOptions(options);
  const { appUrl, clientId, clientSecret, redirectUri } = options;
  const host = options.host ?? createFetchHost({ fetch: options.fetch });
  const now = options.now ?? (() => host.now());
  const server = authorizationServer(appUrl);
  const client = { client_id: clientId };
  const authentication = clientSecret === undefined ? oauth4webapi.None() : oauth4webapi.ClientSecretPost(clientSecret);
  const engineOptions = {
    host,
    appUrl,
    baseUrl: appUrl,
    timeoutMs: options.timeoutMs,
    retry: options.retry,
    onAttempt: options.onAttempt,
  };
  const engine = createEngine(engineOptions);

  /** What oauth4webapi sends through: the engine, for one operation. Only answers that are a success come back. */
  const through = (operation: Exchanged) => ({
    [oauth4webapi.allowInsecureRequests]: true, // checkOptions has refused plain http to other machines
    [oauth4webapi.customFetch]: async (
      _url: string,
      { body }: oauth4webapi.CustomFetchOptions<'POST', URLSearchParams>,
    ) =>
      // The names are those of the contract; the engine refuses any other.
      Response.json(withoutNulls(await engine.call(operation, Object.fromEntries(body) as never))),
  });

  function tokenSet(
    answer: oauth4webapi.TokenEndpointResponse,
    issuedAt: number,
    before?: Pick<TokenSet, 'refreshToken' | 'scopes'>,
  ): TokenSet {
    return {
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token ?? before?.refreshToken ?? null,
      issuedAt,
      expiresAt: answer.expires_in === undefined ? null : issuedAt + answer.expires_in * 1000,
      scopes: answer.scope === undefined ? (before?.scopes ?? []) : readScopes(answer.scope),
    };
  }

  return {
    async authorize({ scopes = options.scopes, state = oauth4webapi.generateRandomState() } = {}) {
      const codeVerifier = oauth4webapi.generateRandomCodeVerifier();
      const url = engine.address('oauth.authorize', {
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        ...(scopes && { scope: scopes.join(' ') }),
        state,
        code_challenge: await oauth4webapi.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url, state, codeVerifier };
    },

    exchange(callback, { state, codeVerifier }) {
      return speakOAuth('oauth.exchange', [clientSecret, codeVerifier], async () => {
        const parameters = checkCallback(server, client, new URL(callback, redirectUri), state);
        const issuedAt = now();
        const answer = await oauth4webapi.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          parameters,
          redirectUri,
          codeVerifier,
          through('oauth.exchange'),
        );
        return tokenSet(await oauth4webapi.processAuthorizationCodeResponse(server, client, answer), issuedAt);
      });
    },

    refresh({ refreshToken, scopes }) {
      return speakOAuth('oauth.refresh', [clientSecret, refreshToken], async () => {
        if (refreshToken === null) throw new TypeError('These tokens have no refresh token: log in again.');
        const issuedAt = now();
        const answer = await oauth4webapi.refreshTokenGrantRequest(
          server,
          client,
          authentication,
          refreshToken,
          through('oauth.refresh'),
        );
        return tokenSet(await oauth4webapi.processRefreshTokenResponse(server, client, answer), issuedAt, {
          refreshToken,
          scopes,
        });
      });
    },

    revoke({ accessToken, refreshToken }) {
      return speakOAuth('oauth.revoke', [clientSecret, accessToken, refreshToken], async () => {
        // The refresh token first: where the second request is lost, what remains ends by itself.
        for (const [token, hint] of [
          [refreshToken, 'refresh_token'],
          [accessToken, 'access_token'],
        ] as const) {
          if (token === null) continue;
          const options = { ...through('oauth.revoke'), additionalParameters: { token_type_hint: hint } };
          await oauth4webapi.processRevocationResponse(
            await oauth4webapi.revocationRequest(server, client, authentication, token, options),
          );
        }
      });
    },

    introspect(token) {
      return speakOAuth('oauth.introspect', [clientSecret, token], async () => {
        const answer = await oauth4webapi.introspectionRequest(
          server,
          client,
          authentication,
          token,
          through('oauth.introspect'),
        );
        const told = await oauth4webapi.processIntrospectionResponse(server, client, answer);
        if (!told.active) return { active: false };
        return {
          active: true,
          scopes: readScopes(told.scope),
          clientId: told.client_id ?? null,
          tokenType: told.token_type ?? null,
          issuedAt: milliseconds(told.iat),
          expiresAt: milliseconds(told.exp),
        };
      });
    },

    tokenInfo(accessToken) {
      return speakOAuth('oauth.tokenInfo', [accessToken], async () => {
        const asked = now();
        const told = await createEngine({ ...engineOptions, token: accessToken }).call('oauth.tokenInfo', {});
        if (typeof told !== 'object' || told === null)
          throw new InvalidAnswerError('oauth.tokenInfo', 200, ['the body is not an object']);
        // Services differ in the name and send the same.
        const left = told.expires_in_seconds ?? told.expires_in;
        return {
          resourceOwnerId: told.resource_owner_id == null ? null : String(told.resource_owner_id),
          scopes: readScopes(told.scope),
          expiresAt: typeof left === 'number' ? asked + left * 1000 : null,
          issuedAt: milliseconds(told.created_at),
          clientId: told.application?.uid ?? null,
          clientName: typeof told.application?.['name'] === 'string' ? told.application['name'] : null,
        };
      });
    },
  };
}

/** The operations whose requests oauth4webapi composes. */
type Exchanged = 'oauth.exchange' | 'oauth.refresh' | 'oauth.revoke' | 'oauth.introspect';

function milliseconds(unixSeconds: number | null | undefined): number | null {
  return typeof unixSeconds === 'number' ? unixSeconds * 1000 : null;
}

/**
 * Absent equals null in every answer of the API; RFC 6749 knows only absent. A list of scopes is taken for a text of
 * them.
 */
function withoutNulls(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer;
  return Object.fromEntries(
    Object.entries(answer)
      .filter(([, value]) => value !== null)
      .map(([name, value]: [string, unknown]) => [name, name === 'scope' ? readScopes(value).join(' ') : value]),
  );
}
