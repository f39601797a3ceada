/** An app that connects to the sandbox by OAuth, as one written with oauth4webapi does. */
import * as oauth from 'oauth4webapi';
import { consent, oauthClients, type Sandbox } from '../../src/index.ts';

export const origin = 'http://sandbox.test';
export const callback = 'http://localhost:5678/rest/oauth2-credential/callback';

const server: oauth.AuthorizationServer = {
  issuer: origin,
  authorization_endpoint: `${origin}/oauth/authorize`,
  token_endpoint: `${origin}/oauth/token`,
  revocation_endpoint: `${origin}/oauth/revoke`,
  introspection_endpoint: `${origin}/oauth/introspect`,
};

export type Authentication = 'basic' | 'post' | 'public';

/** What an app is made of; each test changes what it is about. */
export interface AppOptions {
  readonly authentication?: Authentication;
  readonly scope?: string;
  readonly redirectUri?: string;
  /** Sends the challenge by this method; null sends none. Default `S256`. */
  readonly challenge?: 'S256' | 'plain' | null;
}

/** The app: asks the person, redeems the code, refreshes, revokes, introspects. */
export function app(sandbox: Sandbox, options: AppOptions = {}) {
  const {
    authentication = 'public',
    scope = 'subscriptions:read subscriptions:write',
    redirectUri = callback,
    challenge = 'S256',
  } = options;
  const registered = authentication === 'public' ? oauthClients.public : oauthClients.confidential;
  const client: oauth.Client = { client_id: registered.uid };
  const secret = registered.secret ?? '';
  const clientAuth = {
    basic: oauth.ClientSecretBasic(secret || 'x'),
    post: oauth.ClientSecretPost(secret || 'x'),
    public: oauth.None(),
  }[authentication];
  const http = {
    // The sandbox speaks plain http.
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (
      url: string,
      { body, ...init }: oauth.CustomFetchOptions<string, URLSearchParams | undefined>,
    ) => sandbox.fetch(url, { ...init, ...(body && { body }) }),
  };
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();

  const authorizationUrl = async (): Promise<URL> => {
    const url = new URL(`${origin}/oauth/authorize`);
    const challengeText = challenge === 'S256' ? await oauth.calculatePKCECodeChallenge(verifier) : verifier;
    const parameters = {
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope,
      state,
      ...(challenge && { code_challenge: challengeText, code_challenge_method: challenge }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url;
  };
  const read = (address: URL): URLSearchParams => oauth.validateAuthResponse(server, client, address, state);

  return {
    authorizationUrl,
    verifier,
    state,
    /** The parameters the app is called back with, checked for the state. @throws oauth4webapi's error for a refusal */
    ask: async (decision: 'allow' | 'deny' = 'allow') =>
      read(await consent(sandbox.fetch, await authorizationUrl(), decision)),
    read,
    async redeem(
      parameters: URLSearchParams,
      codeVerifier: string | typeof oauth.nopkce = challenge ? verifier : oauth.nopkce,
    ) {
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        clientAuth,
        parameters,
        redirectUri,
        codeVerifier,
        http,
      );
      return oauth.processAuthorizationCodeResponse(server, client, response);
    },
    async refresh(refreshToken: string, more: Record<string, string> = {}) {
      const response = await oauth.refreshTokenGrantRequest(server, client, clientAuth, refreshToken, {
        ...http,
        additionalParameters: more,
      });
      return oauth.processRefreshTokenResponse(server, client, response);
    },
    async revoke(token: string, hint?: string) {
      const additionalParameters = hint === undefined ? {} : { token_type_hint: hint };
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(server, client, clientAuth, token, { ...http, additionalParameters }),
      );
    },
    async introspect(token: string, hint?: string) {
      const additionalParameters = hint === undefined ? {} : { token_type_hint: hint };
      const response = await oauth.introspectionRequest(server, client, clientAuth, token, {
        ...http,
        additionalParameters,
      });
      return oauth.processIntrospectionResponse(server, client, response);
    },
    /** From consent to tokens. */
    async connect() {
      return this.redeem(await this.ask());
    },
  };
}

/** The error code in a refusal, whichever way oauth4webapi tells it. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof oauth.WWWAuthenticateChallengeError)
      return error.cause.find(({ scheme }) => scheme === 'bearer')?.parameters['error'] ?? 'no error';
    if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError)
      return error.error;
    throw error;
  }
  return 'success';
}
