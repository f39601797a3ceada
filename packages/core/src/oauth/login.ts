/**
 * The OAuth 2.0 login of `client.oauth`. The flow with oauth4webapi is loaded at the first call of one of its methods:
 * a client without a login does not pay for it.
 */
import { operation, type OperationId, type Scope } from '../contract/index.ts';
import type { TokenSource } from '../engine/index.ts';
import { isSecureAddress, readServiceAddress } from '../service-address.ts';
import { createTokenSource } from './tokens.ts';
import type { LoginSettings, OAuthLogin, LoginSteps } from './types.ts';

/**
 * The login flow of a client, and the source of its tokens where they come from a store.
 *
 * @param settings - undefined where the client lacks the settings of a login
 * @throws TypeError that names every invalid setting
 */
export function createLogin(settings: LoginSettings | undefined): {
  readonly login: OAuthLogin;
  readonly source: TokenSource | undefined;
} {
  if (settings) checkSettings(settings);
  let loaded: Promise<LoginSteps> | undefined;
  const flow = (): Promise<LoginSteps> =>
    settings
      ? (loaded ??= import('./flow.ts').then(({ createFlow }) => createFlow(settings)))
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

/** @throws TypeError that names every invalid setting, and never the secret */
function checkSettings({ appUrl, clientId, clientSecret, redirectUri }: LoginSettings): void {
  const app = readServiceAddress(appUrl);
  const problems = [
    'problem' in app && isSecureAddress(appUrl) ? `appUrl ${app.problem}` : null,
    isSecureAddress(appUrl)
      ? null
      : 'appUrl must be an https address, or http on this machine (127.0.0.1, localhost, [::1]): codes and tokens pass over it',
    clientId ? null : 'clientId is missing: the service gives it to you when you register the app',
    clientSecret === '' ? 'clientSecret is empty: leave it out where the app is a public one' : null,
    URL.canParse(redirectUri)
      ? null
      : 'redirectUri must be an absolute address, for example http://127.0.0.1:8080/callback',
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw new TypeError(`OAuth is set up wrongly: ${problems.join('; ')}.`);
}

/**
 * The scopes that these operations need together, each once, in alphabetical order. Ask for no others: the service
 * shows the list to the person before they agree.
 *
 * @example
 * ```ts
 * scopesFor(['subscriptions.list', 'subscriptions.create']); // ['subscriptions:read', 'subscriptions:write']
 * ```
 * @throws RangeError where an operation is not in the contract
 */
export function scopesFor(operations: readonly OperationId[]): readonly Scope[] {
  const scopes = operations.map((id): Scope | null => operation(id).scope);
  return [...new Set(scopes)].filter((scope) => scope !== null).sort();
}
