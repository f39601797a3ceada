/**
 * The app's side of OAuth 2.0. oauth4webapi composes what is sent and checks what comes back; the engine carries it, so
 * that retries, timeouts and errors are those of every other call.
 */
import * as oauth4webapi from 'oauth4webapi';
import { createEngine, InvalidAnswerError, type EngineOptions } from '../engine/index.ts';
import { checkCallback } from './callback.ts';
import { speakOAuth } from './refusal.ts';
import type { LoginSettings, LoginSteps } from './login.ts';
import { authorizationServer } from './server.ts';
import { readScopes, type TokenSet } from './tokens.ts';

/** The steps of a login. @param settings - checked */
export function createFlow(settings: LoginSettings): LoginSteps {
  const { appUrl, clientId, clientSecret, redirectUri, host } = settings;
  const server = authorizationServer(appUrl);
  const client = { client_id: clientId };
  const authentication = clientSecret === undefined ? oauth4webapi.None() : oauth4webapi.ClientSecretPost(clientSecret);
  const engineOptions: EngineOptions = {
    host,
    appUrl,
    baseUrl: appUrl,
    timeoutMs: settings.timeoutMs,
    retry: settings.retry,
    onAttempt: settings.onAttempt,
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
      return speakOAuth('oauth.exchange', [clientSecret, codeVerifier], async () => {
        const parameters = checkCallback(server, client, new URL(callback, redirectUri), state);
        const issuedAt = host.now();
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

    refreshTokens({ refreshToken, scopes }) {
      return speakOAuth('oauth.refresh', [clientSecret, refreshToken], async () => {
        if (refreshToken === null) throw new TypeError('These tokens have no refresh token: log in again.');
        const issuedAt = host.now();
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

    revokeTokens({ accessToken, refreshToken }) {
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

    introspectToken(token) {
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

    readTokenInfo(accessToken) {
      return speakOAuth('oauth.tokenInfo', [accessToken], async () => {
        const asked = host.now();
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
