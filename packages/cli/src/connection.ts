/** The options that name a service, and the connection to it, with the key or login that belongs to it. */
import {
  InvalidArgumentError,
  Option,
  type Command,
  type CommandUnknownOpts,
  type OptionValues,
} from '@commander-js/extra-typings';
import {
  attemptText,
  createClient,
  deviationText,
  readServiceAddress,
  type Client,
  type ClientOptions,
} from '@newsletter-kit/core';
import { notes, UsageError } from '#command-line';
import type { LoginOptions } from '@newsletter-kit/core/oauth';
import type { Environment, Session } from './context.ts';
import { jsonOption } from './output.ts';
import {
  profileNamed,
  readProfiles,
  sandboxName,
  sandboxProfile,
  tokenStore,
  type Login,
  type Profile,
} from './profiles.ts';
import { CredentialError } from './user-facing-errors.ts';

/** Reads and checks a value. A blank one becomes the empty string, which counts as not set. */
function reader(isValid: (value: string) => boolean, mustBe: string): (value: string) => string {
  return (text) => {
    const value = text.trim();
    if (value !== '' && !isValid(value)) throw new InvalidArgumentError(mustBe);
    return value;
  };
}

/** As {@link reader}, for an address. The error does not repeat it: it may hold a password. */
function addressReader(names: string, ending?: string): (value: string) => string {
  return (text) => {
    if (text.trim() === '') return '';
    const read = readServiceAddress(text, ending);
    if ('problem' in read) throw new UsageError(`${names} ${read.problem}.`);
    return read.address;
  };
}

export const profileOption = () =>
  new Option('--profile <name>', 'saved connection to use; as a flag it overrides the other connection variables')
    .env('NEWSLETTER_PROFILE')
    .argParser(
      reader((value) => /^[\w.-]{1,64}$/.test(value), 'A name has letters, digits, dots, dashes and underscores.'),
    );

export const apiUrlOption = () =>
  new Option('--api-url <url>', 'base URL of the API; ends with /v2')
    .env('NEWSLETTER_API_URL')
    .argParser(addressReader('NEWSLETTER_API_URL (--api-url)', '/v2'));

export const publicationOption = () =>
  new Option('--publication <id>', 'id of the publication: pub_ followed by a UUID')
    .env('NEWSLETTER_PUBLICATION_ID')
    .argParser(
      reader(
        (value) => /^pub_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
        'It must be pub_ followed by a UUID, as the service shows it.',
      ),
    );

export const appUrlOption = () =>
  new Option('--app-url <url>', 'base URL of the app, where users sign in')
    .env('NEWSLETTER_APP_URL')
    .argParser(addressReader('NEWSLETTER_APP_URL (--app-url)'));

export const clientIdOption = () =>
  new Option('--client-id <id>', 'id of the OAuth app to sign in with')
    .env('NEWSLETTER_OAUTH_CLIENT_ID')
    .argParser(reader((value) => /^[\x21-\x7e]+$/.test(value), 'It must have no spaces.'));

export const verboseOption = () =>
  new Option('--verbose', 'print a line for each request: operation, status, duration');

/** Reads a secret from a variable; blank counts as not set. @throws UsageError that does not repeat the value */
export function readSecret(env: Environment, variable: string): string | undefined {
  const value = env[variable]?.trim() ?? '';
  if (value === '') return undefined;
  if (!/^[\x21-\x7e]+$/.test(value))
    throw new UsageError(`${variable} must hold the bare secret: no spaces, no line breaks, no quotes around it.`);
  return value;
}

/** The credential that calls are signed with. */
export type Credential =
  | { readonly kind: 'key'; readonly key: string; readonly from: 'variable' | 'profile' }
  | { readonly kind: 'login'; readonly login: Login; readonly oauth: LoginOptions };

/** What flags and variables say of the connection. */
export interface ConnectionOptions {
  readonly profile: string | undefined;
  /** The profile is chosen by its flag, which wins over variables. */
  readonly ignoresVariables: boolean;
  readonly apiUrl: string | undefined;
  readonly appUrl: string | undefined;
  readonly publicationId: string | undefined;
  /** A line for each attempt. */
  readonly isVerbose?: true;
}

/** Adds the options of a connection, `--json`, and paragraphs below the options in the help. */
export function withConnection<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
  ...paragraphs: readonly string[]
) {
  command.addOption(profileOption()).addOption(apiUrlOption()).addOption(publicationOption());
  if (paragraphs.length > 0) command.addHelpText('after', notes(...paragraphs));
  return command.addOption(verboseOption()).addOption(jsonOption());
}

/** Reads the options of a connection. */
export function connectionOf(command: CommandUnknownOpts): ConnectionOptions {
  const options: Readonly<Partial<Record<'profile' | 'apiUrl' | 'appUrl' | 'publication', string>>> = command.opts();
  const isFlag = (name: keyof typeof options): boolean => command.getOptionValueSource(name) === 'cli';
  const ignoresVariables = isFlag('profile');
  const read = (name: keyof typeof options): string | undefined =>
    ignoresVariables && !isFlag(name) ? undefined : options[name] || undefined;
  return {
    profile: read('profile'),
    ignoresVariables,
    apiUrl: read('apiUrl'),
    appUrl: read('appUrl'),
    publicationId: read('publication'),
    ...(command.getOptionValue('verbose') === true && { isVerbose: true }),
  };
}

/** The settings of a connection. */
export interface Settings extends Pick<ConnectionOptions, 'apiUrl' | 'appUrl' | 'publicationId'> {
  /** Nothing names a connection: it is the sandbox by default. */
  readonly isDefault: boolean;
  /** Null where flags and variables name the service. */
  readonly profileName: string | null;
  readonly profile: Profile | null;
  /** API key of the environment. */
  readonly key: string | undefined;
}

/**
 * Flags win over variables, variables over the profile, the profile over the sandbox. A profile that is chosen by its
 * flag wins over variables.
 *
 * @throws UsageError for a profile that does not exist
 */
export async function readSettings(options: ConnectionOptions, env: Environment): Promise<Settings> {
  const { apiUrl, appUrl, publicationId } = options;
  const key = options.ignoresVariables ? undefined : readSecret(env, 'NEWSLETTER_API_KEY');
  const stored = await readProfiles(env);
  const isUnset = key === undefined && apiUrl === undefined && appUrl === undefined;
  const isDefault = isUnset && options.profile === undefined && stored.current === null;
  const profileName = isDefault ? sandboxName : (options.profile ?? stored.current);
  const profile = profileName === null ? null : profileNamed(stored, profileName);
  return {
    isDefault,
    profileName,
    profile,
    key,
    apiUrl: apiUrl ?? profile?.apiUrl,
    appUrl: appUrl ?? profile?.appUrl,
    publicationId: publicationId ?? profile?.publicationId,
  };
}

export interface Connection extends Pick<Settings, 'appUrl' | 'publicationId' | 'profileName'> {
  readonly client: Client;
  readonly credential: Credential;
  readonly apiUrl: string;
}

/**
 * Creates the client.
 *
 * @throws UsageError that names everything that is missing
 */
export async function connect(
  options: ConnectionOptions,
  { env, report }: Session,
  clientOptions: Pick<ClientOptions, 'host' | 'validate'> = {},
): Promise<Connection> {
  const settings = await readSettings(options, env);
  if (settings.isDefault)
    report.notice({
      type: 'notice',
      text: `No connection is configured, so the sandbox at ${sandboxProfile.apiUrl} is used. Run newsletter login to configure one.`,
      data: { api_url: sandboxProfile.apiUrl },
    });
  const { apiUrl, appUrl, publicationId, profileName } = settings;
  const credential = findCredential(settings, env);
  const named = profileName ?? '';
  const missing = [
    apiUrl === undefined &&
      'NEWSLETTER_API_URL is missing: set it (or --api-url, or a profile) to the base URL of the API, which ends with /v2.',
    credential === null &&
      `Nobody is logged in${named && ` with the profile ${named}`}: set NEWSLETTER_API_KEY to an API key, or run newsletter login${named && ` --profile ${named}`}.`,
  ].filter((problem) => problem !== false);
  if (apiUrl === undefined) throw new UsageError(missing);
  if (credential === null) throw new CredentialError(missing);
  const client = createClient({
    baseUrl: apiUrl,
    appUrl: credential.kind === 'login' ? credential.login.appUrl : appUrl,
    publicationId,
    customerIdField: readCustomerIdField(env),
    logLevel: 'off',
    ...(options.isVerbose && {
      onAttempt: (attempt) => report.notice({ type: 'attempt', text: attemptText(attempt), data: { ...attempt } }),
    }),
    onDeviation: (deviation) =>
      report.notice({ type: 'deviation', text: `Note: ${deviationText(deviation)}`, data: { ...deviation } }),
    ...clientOptions,
    ...(credential.kind === 'login' ? { oauth: credential.oauth } : { token: credential.key }),
  });
  return { client, credential, apiUrl, appUrl, publicationId, profileName };
}

const customerIdFields = ['payments_customer_id', 'stripe_customer_id'] as const;

/** @throws UsageError for another name */
function readCustomerIdField(env: Environment): ClientOptions['customerIdField'] {
  const name = env['NEWSLETTER_CUSTOMER_ID_FIELD']?.trim() || undefined;
  const known = customerIdFields.find((each) => each === name);
  if (name !== undefined && known === undefined)
    throw new UsageError(`NEWSLETTER_CUSTOMER_ID_FIELD must be ${customerIdFields.join(' or ')}.`);
  return known;
}

/** Like {@link connect}, for commands that need a publication. @throws UsageError */
export async function connectToPublication(
  options: ConnectionOptions,
  session: Session,
  clientOptions?: Pick<ClientOptions, 'host' | 'validate'>,
): Promise<Connection & { readonly publicationId: string }> {
  const connection = await connect(options, session, clientOptions);
  return { ...connection, publicationId: requirePublication(connection.publicationId) };
}

/** @throws UsageError where it is not set */
export function requirePublication(publicationId: string | undefined): string {
  if (publicationId !== undefined) return publicationId;
  throw new UsageError(
    'NEWSLETTER_PUBLICATION_ID is missing: set it (or --publication) to the id of the publication: pub_ followed by a UUID.',
  );
}

/** @returns null where there is none @throws UsageError where it belongs to another service */
function findCredential({ key, apiUrl, profileName, profile }: Settings, env: Environment): Credential | null {
  if (key !== undefined) return { kind: 'key', key, from: 'variable' };
  const credential = profile?.credential ?? null;
  if (!profile || credential === null || profileName === null) return null;
  if (apiUrl !== profile.apiUrl) {
    throw new CredentialError(
      `The profile ${profileName} belongs to ${profile.apiUrl}, and its credential is not sent to ${apiUrl}. Run newsletter login --profile NAME for that service, or set NEWSLETTER_API_KEY.`,
    );
  }
  if (credential.kind === 'key') return { ...credential, from: 'profile' };
  const app = appOf(credential, readSecret(env, 'NEWSLETTER_OAUTH_CLIENT_SECRET'));
  const oauth = { ...app, store: tokenStore(env, profileName, credential) };
  return { kind: 'login', login: credential, oauth };
}

/** The OAuth app of a login, to renew and to revoke its tokens. */
export function appOf({ clientId }: Pick<Login, 'clientId'>, clientSecret: string | undefined): LoginOptions {
  return { clientId, clientSecret, redirectUri: 'http://127.0.0.1/callback' };
}
