/** A client for the service that the settings name, with the key or the login there is. */
import { createClient, type Client, type TokenSource } from '@newsletter-kit/core';
import { createOAuth, createTokenSource, type OAuth } from '@newsletter-kit/core/oauth';
import type { Call } from '../command/definition.ts';
import { Mistake } from '../command/mistake.ts';
import { readLogin, tokenStore, type KeptLogin } from './kept-login.ts';
import { readSettings, type SettingName, type Settings, type Sources } from './settings.ts';

/** What calls are signed with. */
export type Credential =
  | { readonly kind: 'key' }
  | { readonly kind: 'login'; readonly login: KeptLogin; readonly oauth: OAuth; readonly source: TokenSource };

export interface Connection<Needed extends SettingName> {
  readonly client: Client;
  readonly settings: Settings<Needed | 'apiUrl'>;
  readonly credential: Credential;
}

/**
 * Connects with NEWSLETTER_API_KEY where it is set, else with the login.
 *
 * @throws Mistake that names what is missing
 */
export async function connect<Needed extends SettingName>(
  { options, env }: Pick<Call, 'env'> & { readonly options: Sources['flags'] },
  needed: readonly Needed[],
  problems: readonly string[] = [],
): Promise<Connection<Needed>> {
  const hasKey = Boolean(env['NEWSLETTER_API_KEY']?.trim());
  const login = hasKey ? null : await readLogin(env);
  if (!hasKey && !login) {
    const nobody = 'Nobody is logged in: set NEWSLETTER_API_KEY to an API key, or run newsletter login.';
    readSettings<SettingName>([...needed, 'apiUrl'], { flags: options, env, problems: [...problems, nobody] });
  }
  const settings = readSettings<Needed | 'apiUrl'>([...needed, 'apiUrl'], {
    flags: options,
    env,
    kept: login ?? {},
    problems,
  });
  const credential: Credential = login ? signedIn(env, login, settings) : { kind: 'key' };
  const client = createClient({
    baseUrl: settings.apiUrl,
    publicationId: settings.publicationId,
    token: credential.kind === 'login' ? credential.source : settings.apiKey,
  });
  return { client, settings, credential };
}

function signedIn(env: Call['env'], login: KeptLogin, settings: Settings<'apiUrl'>): Credential {
  if (settings.apiUrl !== login.apiUrl) {
    throw new Mistake(
      `You are logged in to ${login.apiUrl}, and its token is not sent to ${settings.apiUrl}. Run newsletter login for that one, or set NEWSLETTER_API_KEY.`,
    );
  }
  const oauth = appOf(login, settings.clientSecret);
  return { kind: 'login', login, oauth, source: createTokenSource({ oauth, store: tokenStore(env, login) }) };
}

/** The app of a login, to refresh and to end it. */
export function appOf({ appUrl, clientId }: KeptLogin, clientSecret: string | undefined): OAuth {
  return createOAuth({ appUrl, clientId, clientSecret, redirectUri: 'http://127.0.0.1/callback' });
}
