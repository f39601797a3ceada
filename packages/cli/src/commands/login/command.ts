/** `newsletter login`: authorization code with PKCE over a loopback redirect, or an API key from stdin. */
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import process from 'node:process';
import { Option, type Command } from '@commander-js/extra-typings';
import { createClient, type Client } from '@newsletter-kit/core';
import { collectList, UsageError, notes, wholeNumber } from '#command-line';
import { scopesFor, type TokenSet } from '@newsletter-kit/core/oauth';
import type { Context } from '../../context.ts';
import { waitForBrowser } from './loopback.ts';
import {
  apiUrlOption,
  appUrlOption,
  clientIdOption,
  profileOption,
  publicationOption,
  readSecret,
} from '../../connection.ts';
import { jsonOption } from '../../output.ts';
import { saveProfile, profilesFile, readProfiles, sandboxName, tokenStore, type Login } from '../../profiles.ts';
import { checkAccess } from '../whoami.ts';

/** Operations of export, import, watch and sync. */
const neededScopes = scopesFor(['subscriptions.list', 'subscriptions.bulkCreate', 'customFields.list']);

export function define(command: Command, context: Context) {
  return command
    .option('--with-token', 'read an API key from stdin and save it')
    .addOption(profileOption())
    .addOption(apiUrlOption())
    .addOption(publicationOption())
    .addOption(appUrlOption())
    .addOption(clientIdOption())
    .addOption(
      new Option(
        '--scope <scope>',
        'OAuth scope to request; repeatable, or separated by commas (default: the scopes that the commands need)',
      ).argParser(collectList),
    )
    .option(
      '--port <number>',
      'local port for the redirect after the sign-in (default: a free port)',
      wholeNumber(0, 65_535),
    )
    .option('--no-browser', 'print the address of the sign-in instead of opening a browser')
    .option('--timeout <seconds>', 'how long to wait for the sign-in', wholeNumber(1, 86_400), 300)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      notes(
        'The login is saved in the profile that --profile names, otherwise in the current profile, otherwise in "default". The OAuth app must have http://127.0.0.1/callback as a redirect URI. If the app has a client secret, set NEWSLETTER_OAUTH_CLIENT_SECRET for this and all later commands: the secret is not saved.',
        '  newsletter login --with-token --profile prod --api-url URL < key.txt',
      ),
    )
    .action(async (options) => {
      const { env } = context;
      const stored = await readProfiles(env);
      const name = (options.profile || undefined) ?? stored.current ?? 'default';
      if (name === sandboxName)
        throw new UsageError(
          'The profile "sandbox" is built in and needs no login: choose another name with --profile.',
        );
      const kept = Object.hasOwn(stored.profiles, name) ? stored.profiles[name] : undefined;
      const apiUrl = (options.apiUrl || undefined) ?? kept?.apiUrl;
      const appUrl = (options.appUrl || undefined) ?? kept?.appUrl;
      const publicationId = (options.publication || undefined) ?? kept?.publicationId;
      const clientId =
        (options.clientId || undefined) ?? (kept?.credential?.kind === 'login' ? kept.credential.clientId : undefined);
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
      if (options.withToken) {
        const key = await readKey(context);
        await check(key, apiUrl, publicationId, context.interrupted);
        await saveProfile(env, name, { apiUrl, appUrl, publicationId, credential: { kind: 'key', key } });
        context.report.result({
          type: 'login',
          text: `Saved the API key in the profile ${name} (${profilesFile(env)}).`,
          data: { profile: name, api_url: apiUrl, credential: 'key' },
        });
        return;
      }
      if (appUrl === undefined || clientId === undefined) return;
      const tokens = await signIn(
        { ...options, apiUrl, appUrl, clientId, scopes: options.scope ?? neededScopes },
        context,
      );
      const credential: Login = { kind: 'login', appUrl, clientId };
      // The profile is stored first: tokens without a profile could not be found.
      await saveProfile(env, name, { apiUrl, appUrl, publicationId, credential });
      await tokenStore(env, name, credential).save(tokens);
      context.report.result({
        type: 'login',
        text: `Signed in to ${appUrl} and saved the login in the profile ${name}. Scopes: ${tokens.scopes.join(', ') || 'the default of the service'}.`,
        data: {
          profile: name,
          api_url: apiUrl,
          app_url: appUrl,
          credential: 'login',
          scopes: tokens.scopes,
          expires_at: tokens.expiresAt,
        },
      });
    });
}

/** @throws UsageError where stdin holds no key */
async function readKey({ report, interrupted }: Context): Promise<string> {
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
async function check(
  key: string,
  apiUrl: string,
  publicationId: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const reach = await checkAccess(createClient({ baseUrl: apiUrl, token: key }), publicationId, signal);
  if (reach === 'refused-credential')
    throw new UsageError(`${apiUrl} refuses this key: it is wrong, expired or deleted. Nothing was saved.`);
  if (reach === 'not-found')
    throw new UsageError(
      `The key has no access to the publication ${publicationId}: correct --publication. Nothing was saved.`,
    );
}

interface SignIn {
  readonly apiUrl: string;
  readonly appUrl: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly port?: number | undefined;
  readonly timeout: number;
  readonly browser: boolean;
}

async function signIn(
  { apiUrl, appUrl, clientId, scopes, port = 0, timeout, browser }: SignIn,
  { env, report, interrupted }: Context,
): Promise<TokenSet> {
  const clientSecret = readSecret(env, 'NEWSLETTER_OAUTH_CLIENT_SECRET');
  return await waitForBrowser({ port, timeoutMs: timeout * 1000, signal: interrupted }, async (redirectUri) => {
    const oauth = oauthAt(redirectUri);
    const begun = await oauth.startLogin({ scopes });
    report.notice({
      type: 'authorize',
      text: `Sign in at this address:\n\n  ${begun.url}\n`,
      data: { url: begun.url },
    });
    if (browser && !(await openBrowser(begun.url)))
      report.notice({ type: 'notice', text: 'No browser could be opened. Open the address yourself.' });
    return (callback) => oauth.finishLogin(callback, begun);
  });

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
