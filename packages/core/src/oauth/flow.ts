/**
 * The steps of an OAuth 2.0 login. oauth4webapi makes the secrets, and checks the callback and the answers; the engine
 * sends the requests, so that retries, timeouts and errors are those of every other call.
 */
import * as oauth4webapi from 'oauth4webapi';
import type { OperationId } from '../contract/index.ts';
import { ApiError, createEngine, InvalidAnswerError, redact, type Arguments } from '../engine/index.ts';
import { withoutSecrets } from '../engine/redact.ts';
import { momentOf } from '../facts/moment.ts';
import { serviceAddress } from '../service-address.ts';
import { AccessDeniedError, OAuthError, StateMismatchError } from './errors.ts';
import { readScopes, type TokenSet } from './tokens.ts';
import type { LoginSettings, LoginSteps } from './types.ts';

/** The steps of a login. @param settings - checked */
export function createFlow(settings: LoginSettings): LoginSteps {
  const { clientId, clientSecret, redirectUri, host, timeoutMs, retry, extraHeaders, onAttempt } = settings;
  const appUrl = serviceAddress('appUrl', settings.appUrl);
  // The specification has no discovery document.
  const server: oauth4webapi.AuthorizationServer = { issuer: appUrl };
  const client: oauth4webapi.Client = { client_id: clientId };
  const credentials = { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
  const engineOptions = { host, appUrl, baseUrl: appUrl, timeoutMs, retry, extraHeaders, onAttempt };
  const engine = createEngine(engineOptions);

  /** The answer of an endpoint, for oauth4webapi. The engine throws for every answer but a success. */
  const answerOf = async <Id extends OAuthOperation>(id: Id, args: Omit<Arguments<Id>, keyof typeof credentials>) =>
    Response.json(withoutNulls(await engine.call(id, { ...credentials, ...args } as unknown as Arguments<Id>)));

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
    async startLogin({ scopes = settings.scopes, state = oauth4webapi.generateRandomState() } = {}) {
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

    finishLogin(callback, { state, codeVerifier }) {
      return withOAuthErrors('oauth.exchange', [clientSecret, codeVerifier], async () => {
        const code = codeIn(new URL(callback, redirectUri), state);
        const issuedAt = host.now();
        const answer = await answerOf('oauth.exchange', {
          grant_type: 'authorization_code',
          code,
          redirect_uri: redirectUri,
          code_verifier: codeVerifier,
        });
        return tokenSet(await oauth4webapi.processAuthorizationCodeResponse(server, client, answer), issuedAt);
      });
    },

    refreshTokens({ refreshToken, scopes }) {
      return withOAuthErrors('oauth.refresh', [clientSecret, refreshToken], async () => {
        if (refreshToken === null) throw new TypeError('These tokens have no refresh token: log in again.');
        const issuedAt = host.now();
        const answer = await answerOf('oauth.refresh', { grant_type: 'refresh_token', refresh_token: refreshToken });
        const before = { refreshToken, scopes };
        return tokenSet(await oauth4webapi.processRefreshTokenResponse(server, client, answer), issuedAt, before);
      });
    },

    revokeTokens({ accessToken, refreshToken }) {
      return withOAuthErrors('oauth.revoke', [clientSecret, accessToken, refreshToken], async () => {
        // The refresh token first: if the second request is lost, the access token that remains expires by itself.
        const revoke = (token: string, hint: string) =>
          engine.call('oauth.revoke', { ...credentials, token, token_type_hint: hint });
        if (refreshToken !== null) await revoke(refreshToken, 'refresh_token');
        await revoke(accessToken, 'access_token');
      });
    },

    introspectToken(token) {
      return withOAuthErrors('oauth.introspect', [clientSecret, token], async () => {
        const answer = await answerOf('oauth.introspect', { token });
        const answered = await oauth4webapi.processIntrospectionResponse(server, client, answer);
        if (!answered.active) return { active: false };
        return {
          active: true,
          scopes: readScopes(answered.scope),
          clientId: answered.client_id ?? null,
          tokenType: answered.token_type ?? null,
          issuedAt: momentOf(answered.iat) ?? null,
          expiresAt: momentOf(answered.exp, host.now() + longestLife) ?? null,
        };
      });
    },

    readTokenInfo(accessToken) {
      return withOAuthErrors('oauth.tokenInfo', [accessToken], async () => {
        const requestedAt = host.now();
        const info = await createEngine({ ...engineOptions, token: accessToken }).call('oauth.tokenInfo', {});
        // Services name the same field differently.
        const expiresIn = info.expires_in_seconds ?? info.expires_in;
        return {
          resourceOwnerId: info.resource_owner_id == null ? null : String(info.resource_owner_id),
          scopes: readScopes(info.scope),
          expiresAt: typeof expiresIn === 'number' ? requestedAt + expiresIn * 1000 : null,
          issuedAt: momentOf(info.created_at) ?? null,
          clientId: info.application?.uid ?? null,
          clientName: typeof info.application?.['name'] === 'string' ? info.application['name'] : null,
        };
      });
    },
  };

  /** @throws StateMismatchError, AccessDeniedError, OAuthError, and InvalidAnswerError where there is not one code */
  function codeIn(callback: URL, state: string): string {
    // Checked first, so that an error in a forged callback does not end this login either.
    if (callback.searchParams.getAll('state').join('\n') !== state) throw new StateMismatchError();
    try {
      const [code, ...others] = oauth4webapi.validateAuthResponse(server, client, callback, state).getAll('code');
      if (code && others.length === 0) return code;
      throw new InvalidAnswerError('oauth.authorize', 302, ['the callback has no code, or several']);
    } catch (error) {
      if (!(error instanceof oauth4webapi.AuthorizationResponseError)) throw error;
      if (error.error === 'access_denied') throw new AccessDeniedError('oauth.authorize');
      throw new OAuthError('oauth.authorize', redact(error.error), {
        description: redact(error.error_description ?? ''),
      });
    }
  }
}

/** The operations whose answers oauth4webapi checks. */
type OAuthOperation = 'oauth.exchange' | 'oauth.refresh' | 'oauth.introspect';

/** No token is given for longer: ten years, in milliseconds. */
const longestLife = 3653 * 86_400_000;

/** Removes null fields, which RFC 6749 does not know, and joins a list of scopes into one text. */
function withoutNulls(answer: object): object {
  return Object.fromEntries(
    Object.entries(answer)
      .filter(([, value]) => value !== null)
      .map(([name, value]: [string, unknown]) => [name, name === 'scope' ? readScopes(value).join(' ') : value]),
  );
}

/**
 * Runs one step of a login and turns the errors of the engine and of oauth4webapi into errors of a login, without
 * secrets.
 *
 * @param secrets - texts that the service might repeat in its messages
 */
async function withOAuthErrors<T>(
  operation: OperationId,
  secrets: readonly (string | null | undefined)[],
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof ApiError) throw oauthError(error, secrets);
    // Their causes hold the answer with its tokens; their messages name only what is wrong with it.
    if (
      error instanceof oauth4webapi.OperationProcessingError ||
      error instanceof oauth4webapi.UnsupportedOperationError
    ) {
      throw new InvalidAnswerError(operation, 200, [error.message]);
    }
    throw error;
  }
}

function oauthError(error: ApiError, mayBeSecret: readonly (string | null | undefined)[]): OAuthError {
  const { operation, status, errors } = error;
  const secrets = mayBeSecret.filter((secret) => typeof secret === 'string');
  const [first] = errors;
  const clean = (text: string | undefined): string => redact(text ?? '', secrets);
  return new OAuthError(operation, clean(first?.code), {
    status,
    description: clean(first?.message),
    cause: withoutSecrets(error, secrets),
  });
}
