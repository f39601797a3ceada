/** `newsletter login`: authorization code with PKCE; the browser comes back to a port of this machine. */
import { createOAuth, scopesFor, type TokenSet } from '@newsletter-kit/core/oauth';
import type { Call } from '../command/definition.ts';
import { exitCodes, type ExitCode } from '../command/exit-codes.ts';
import { Mistake } from '../command/mistake.ts';
import { commaSeparated, wholeNumber } from '../command/parse.ts';
import { keepLogin, tokenStore, type KeptLogin } from '../settings/kept-login.ts';
import { readSettings } from '../settings/settings.ts';
import { openBrowser } from './browser.ts';
import type { loginOptions } from './command.ts';
import { waitForBrowser } from './loopback.ts';

/** What export, import and watch call. */
const needed = scopesFor(['subscriptions.list', 'subscriptions.bulkCreate', 'customFields.list']);

export async function run({ options, env, report, interrupted }: Call<typeof loginOptions>): Promise<ExitCode> {
  const problems: string[] = [];
  const port = wholeNumber('--port', options.port, { fallback: 0, least: 0, most: 65_535 }, problems);
  const seconds = wholeNumber('--timeout', options.timeout, { fallback: 300, least: 1, most: 86_400 }, problems);
  const settings = readSettings(['apiUrl', 'appUrl', 'clientId'], { flags: options, env, problems });
  const { apiUrl, appUrl, clientId, clientSecret, publicationId } = settings;
  const scopes = commaSeparated(options.scope);

  const tokens = await waitForBrowser<TokenSet>(
    { port, timeoutMs: seconds * 1000, signal: interrupted },
    async (redirectUri) => {
      const oauth = appAt(redirectUri);
      const begun = await oauth.authorize({ scopes: scopes.length > 0 ? scopes : needed });
      report.notice({
        type: 'authorize',
        text: `Sign in at this address:\n\n  ${begun.url}\n`,
        data: { url: begun.url },
      });
      if (!options['no-browser'] && !(await openBrowser(begun.url))) {
        report.notice({ type: 'notice', text: 'No browser could be opened here; open the address yourself.' });
      }
      return (callback) => oauth.exchange(callback, begun);
    },
  );

  const login: KeptLogin = { apiUrl, appUrl, clientId, publicationId };
  // In this order: a login without tokens asks to log in again, tokens without a login would be forgotten where they
  // lie.
  await keepLogin(env, login);
  await tokenStore(env, login).save(tokens);
  report.result({
    type: 'login',
    text: `Signed in to ${appUrl}. The login may: ${tokens.scopes.join(', ') || 'what the service gives by itself'}.`,
    data: { api_url: apiUrl, app_url: appUrl, scopes: tokens.scopes, expires_at: tokens.expiresAt },
  });
  return exitCodes.done;

  function appAt(redirectUri: string) {
    try {
      return createOAuth({ appUrl, clientId, clientSecret, redirectUri });
    } catch (error) {
      throw error instanceof TypeError ? new Mistake(error.message) : error;
    }
  }
}
