/**
 * The steps of an OAuth 2.0 login. oauth4webapi composes the requests and checks the answers; the engine sends them, so
 * that retries, timeouts and errors are those of every other call.
 */
import * as oauth4webapi from 'oauth4webapi';
import { operation, type OperationId } from '../contract/index.ts';
import { ApiError, createEngine, InvalidAnswerError, redact, type EngineOptions } from '../engine/index.ts';
import { withoutSecrets } from '../engine/redact.ts';
import { momentOf } from '../facts/moment.ts';
import { serviceAddress } from '../service-address.ts';
import { AccessDeniedError, OAuthError, StateMismatchError } from './errors.ts';
import { readScopes, type TokenSet } from './tokens.ts';
import type { LoginSettings, LoginSteps } from './types.ts';

/** The steps of a login. @param settings - checked */
export function createFlow(settings: LoginSettings): LoginSteps {
  const { clientId, clientSecret, redirectUri, host } = settings;
  const appUrl = serviceAddress('appUrl', settings.appUrl);
  const server = authorizationServer(appUrl);
  const client = { client_id: clientId };
  const authentication = clientSecret === undefined ? oauth4webapi.None() : oauth4webapi.ClientSecretPost(clientSecret);
  const engineOptions: EngineOptions = {
    host,
    appUrl,
    baseUrl: appUrl,
    timeoutMs: settings.timeoutMs,
    retry: settings.retry,
    extraHeaders: settings.extraHeaders,
    onAttempt: settings.onAttempt,
  };
  const engine = createEngine(engineOptions);

  /** Makes oauth4webapi send by the engine, for one operation. The engine throws for every answer but a success. */
  const fetchBy = (operation: OAuthOperation) => ({
    [oauth4webapi.allowInsecureRequests]: true, // checkSettings has refused plain http to other machines
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
        const parameters = checkCallback(server, client, new URL(callback, redirectUri), state);
        const issuedAt = host.now();
        const answer = await oauth4webapi.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          parameters,
          redirectUri,
          codeVerifier,
          fetchBy('oauth.exchange'),
        );
        return tokenSet(await oauth4webapi.processAuthorizationCodeResponse(server, client, answer), issuedAt);
      });
    },

    refreshTokens({ refreshToken, scopes }) {
      return withOAuthErrors('oauth.refresh', [clientSecret, refreshToken], async () => {
        if (refreshToken === null) throw new TypeError('These tokens have no refresh token: log in again.');
        const issuedAt = host.now();
        const answer = await oauth4webapi.refreshTokenGrantRequest(
          server,
          client,
          authentication,
          refreshToken,
          fetchBy('oauth.refresh'),
        );
        return tokenSet(await oauth4webapi.processRefreshTokenResponse(server, client, answer), issuedAt, {
          refreshToken,
          scopes,
        });
      });
    },

    revokeTokens({ accessToken, refreshToken }) {
      return withOAuthErrors('oauth.revoke', [clientSecret, accessToken, refreshToken], async () => {
        // The refresh token first: if the second request is lost, the access token that remains expires by itself.
        for (const [token, hint] of [
          [refreshToken, 'refresh_token'],
          [accessToken, 'access_token'],
        ] as const) {
          if (token === null) continue;
          const options = { ...fetchBy('oauth.revoke'), additionalParameters: { token_type_hint: hint } };
          await oauth4webapi.processRevocationResponse(
            await oauth4webapi.revocationRequest(server, client, authentication, token, options),
          );
        }
      });
    },

    introspectToken(token) {
      return withOAuthErrors('oauth.introspect', [clientSecret, token], async () => {
        const answer = await oauth4webapi.introspectionRequest(
          server,
          client,
          authentication,
          token,
          fetchBy('oauth.introspect'),
        );
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
        if (typeof info !== 'object' || info === null)
          throw new InvalidAnswerError('oauth.tokenInfo', 200, ['the body is not an object']);
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
}

/** The operations whose requests oauth4webapi composes. */
type OAuthOperation = 'oauth.exchange' | 'oauth.refresh' | 'oauth.revoke' | 'oauth.introspect';

/** No token is given for longer: ten years, in milliseconds. */
const longestLife = 3653 * 86_400_000;

/** Removes null fields, which RFC 6749 does not know, and joins a list of scopes into one text. */
function withoutNulls(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer;
  return Object.fromEntries(
    Object.entries(answer)
      .filter(([, value]) => value !== null)
      .map(([name, value]: [string, unknown]) => [name, name === 'scope' ? readScopes(value).join(' ') : value]),
  );
}

/** The server's metadata, from the contract: the specification has no discovery document. */
function authorizationServer(root: string): oauth4webapi.AuthorizationServer {
  return {
    issuer: root,
    authorization_endpoint: root + operation('oauth.authorize').path,
    token_endpoint: root + operation('oauth.exchange').path,
    revocation_endpoint: root + operation('oauth.revoke').path,
    introspection_endpoint: root + operation('oauth.introspect').path,
  };
}

/**
 * The parameters of the callback, checked.
 *
 * @throws StateMismatchError, AccessDeniedError, OAuthError
 */
function checkCallback(
  server: oauth4webapi.AuthorizationServer,
  client: oauth4webapi.Client,
  callback: URL,
  state: string,
): URLSearchParams {
  // Checked first, so that an error in a forged callback does not end this login either.
  if (callback.searchParams.getAll('state').join('\n') !== state) throw new StateMismatchError();
  try {
    return oauth4webapi.validateAuthResponse(server, client, callback, state);
  } catch (error) {
    if (!(error instanceof oauth4webapi.AuthorizationResponseError)) throw error;
    if (error.error === 'access_denied') throw new AccessDeniedError('oauth.authorize');
    throw new OAuthError('oauth.authorize', redact(error.error), {
      description: redact(error.error_description ?? ''),
    });
  }
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
    if (error instanceof ApiError)
      throw oauthError(
        error,
        secrets.filter((secret) => typeof secret === 'string'),
      );
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

function oauthError(error: ApiError, secrets: readonly string[]): OAuthError {
  const { operation, status, errors } = error;
  const [first] = errors;
  const clean = (text: string | undefined): string => redact(text ?? '', secrets);
  return new OAuthError(operation, clean(first?.code), {
    status,
    description: clean(first?.message),
    cause: withoutSecrets(error, secrets),
  });
}
