/** Signs in by authorization code with PKCE over a loopback redirect, or reads an API key from stdin, and saves it. */
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import process from 'node:process';
import { createClient, type Client } from '@newsletter-kit/core';
import { UsageError } from '#command-line';
import { scopesFor, type TokenSet } from '@newsletter-kit/core/oauth';
import { exitCodes, type ExitCode, type Session } from '../../context.ts';
import { CredentialError } from '../../user-facing-errors.ts';
import { readSecret } from '../../connection.ts';
import {
  profilesFile,
  readProfiles,
  sandboxName,
  saveProfile,
  tokenStore,
  type Login,
  type Profile,
} from '../../profiles.ts';
import { checkAccess } from '../whoami.ts';
import { waitForBrowser } from './loopback.ts';

/** Operations of export, import, watch and sync. */
const neededScopes = scopesFor(['subscriptions.list', 'subscriptions.bulkCreate', 'customFields.list']);

/** The options of the command. What is left out or blank is taken from the profile, by default the current one. */
export interface LoginOptions extends Readonly<
  Partial<Record<'profile' | 'apiUrl' | 'appUrl' | 'publication' | 'clientId', string | undefined>>
> {
  /** Reads an API key from stdin instead of signing in. */
  readonly withToken?: true | undefined;
  /** Default: those that the commands need. */
  readonly scope?: readonly string[] | undefined;
  /** Default: a free one. */
  readonly port?: number | undefined;
  readonly browser: boolean;
  /** In seconds. */
  readonly timeout: number;
}

/** The service of a profile, and with what a sign-in needs. */
type Service = Omit<Profile, 'credential'>;
type OAuthService = Service & Pick<Login, 'appUrl' | 'clientId'>;

export async function login(options: LoginOptions, session: Session): Promise<ExitCode> {
  const { profiles, current } = await readProfiles(session.env);
  const name = options.profile || (current ?? 'default');
  if (name === sandboxName)
    throw new UsageError('The profile "sandbox" is built in and needs no login: choose another name with --profile.');
  const kept = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  const apiUrl = options.apiUrl || kept?.apiUrl;
  const appUrl = options.appUrl || kept?.appUrl;
  const publicationId = options.publication || kept?.publicationId;
  const clientId = options.clientId || (kept?.credential?.kind === 'login' ? kept.credential.clientId : undefined);
  const missing = [
    apiUrl === undefined &&
      'NEWSLETTER_API_URL is missing: set it (or --api-url) to the base URL of the API, which ends with /v2.',
    !options.withToken &&
      appUrl === undefined &&
      'NEWSLETTER_APP_URL is missing: set it (or --app-url) to the base URL of the app, where users sign in.',
    !options.withToken &&
      clientId === undefined &&
      'NEWSLETTER_OAUTH_CLIENT_ID is missing: set it (or --client-id) to the id of the OAuth app.',
  ].filter((problem) => problem !== false);
  if (apiUrl === undefined || missing.length > 0) throw new UsageError(missing);
  const service = { apiUrl, appUrl, publicationId };
  if (options.withToken) await saveKey(name, service, session);
  else if (appUrl !== undefined && clientId !== undefined)
    await saveLogin(name, options, { ...service, appUrl, clientId }, session);
  return exitCodes.done;
}

async function saveKey(name: string, service: Service, session: Session): Promise<void> {
  const key = await readKey(session);
  await check(key, service, session);
  await saveProfile(session.env, name, { ...service, credential: { kind: 'key', key } });
  session.report.result({
    type: 'login',
    text: `Saved the API key in the profile ${name} (${profilesFile(session.env)}).`,
    data: { profile: name, api_url: service.apiUrl, credential: 'key' },
  });
}

async function saveLogin(name: string, options: LoginOptions, oauth: OAuthService, session: Session): Promise<void> {
  const { clientId, ...service } = oauth;
  const { apiUrl, appUrl } = service;
  const { env, report } = session;
  const tokens = await signIn(oauth, options, session);
  const credential: Login = { kind: 'login', appUrl, clientId };
  // The profile is stored first: tokens without a profile could not be found.
  await saveProfile(env, name, { ...service, credential });
  await tokenStore(env, name, credential).save(tokens);
  const { scopes, expiresAt } = tokens;
  report.result({
    type: 'login',
    text: `Signed in to ${appUrl} and saved the login in the profile ${name}. Scopes: ${scopes.join(', ') || 'the default of the service'}.`,
    data: {
      profile: name,
      api_url: apiUrl,
      app_url: appUrl,
      credential: 'login',
      scopes,
      expires_at: expiresAt,
    },
  });
}

/** @throws UsageError where stdin holds no key */
async function readKey({ report, interrupted }: Session): Promise<string> {
  if (process.stdin.isTTY) report.notice({ type: 'notice', text: 'Paste the API key, then press Enter and Ctrl-D.' });
  const key = (await text(addAbortSignal(interrupted, process.stdin))).trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new UsageError(
    key === ''
      ? 'stdin is empty. Send the key to it: newsletter login --with-token < key.txt.'
      : 'stdin must hold the bare API key and nothing else: no spaces, no quotes around it.',
  );
}

/** Checks the key before it is stored. @throws UsageError where the service refuses it */
async function check(key: string, { apiUrl, publicationId }: Service, { interrupted }: Session): Promise<void> {
  const reach = await checkAccess(createClient({ baseUrl: apiUrl, token: key }), publicationId, interrupted);
  if (reach === 'refused-credential')
    throw new CredentialError(`${apiUrl} refuses this key: it is wrong, expired or deleted. Nothing was saved.`);
  if (reach === 'not-found')
    throw new UsageError(
      `The key has no access to the publication ${publicationId}: correct --publication. Nothing was saved.`,
    );
}

async function signIn(
  { apiUrl, appUrl, clientId }: OAuthService,
  { scope: scopes = neededScopes, port = 0, browser, timeout }: LoginOptions,
  session: Session,
): Promise<TokenSet> {
  const { env, report } = session;
  const clientSecret = readSecret(env, 'NEWSLETTER_OAUTH_CLIENT_SECRET');
  const begin = async (redirectUri: string) => {
    const oauth = oauthAt(redirectUri);
    const begun = await oauth.startLogin({ scopes });
    report.notice({
      type: 'authorize',
      text: `Sign in at this address:\n\n  ${begun.url}\n`,
      data: { url: begun.url },
    });
    if (browser && !(await openBrowser(begun.url)))
      report.notice({ type: 'notice', text: 'No browser could be opened. Open the address yourself.' });
    return (callback: URL) => oauth.finishLogin(callback, begun);
  };
  return await session.reading(
    () => waitForBrowser({ port, timeoutMs: timeout * 1000, signal: session.interrupted }, begin),
    () => 'The login was interrupted; nothing was saved.',
  );

  function oauthAt(redirectUri: string): Client['oauth'] {
    try {
      return createClient({ baseUrl: apiUrl, appUrl, oauth: { clientId, clientSecret, redirectUri } }).oauth;
    } catch (error) {
      throw error instanceof TypeError ? new UsageError(error.message) : error;
    }
  }
}

/** @returns false where no browser could be started */
async function openBrowser(url: string): Promise<boolean> {
  try {
    const { default: open } = await import('open');
    const child = await open(url);
    // Where the opener itself is missing, the system reports it later; the address is on the screen anyway.
    child.once('error', () => undefined);
    child.unref();
    return true;
  } catch {
    return false;
  }
}
