/** `newsletter whoami`: prints and checks credential and publication; distinguishes a wrong key from a wrong id. */
import type { Command } from '@commander-js/extra-typings';
import { ApiError, ForbiddenError, NotFoundError, UnauthorizedError, type Client } from '@newsletter-kit/core';
import { LoginRequiredError } from '@newsletter-kit/core/oauth';
import { connect, connectionOf, withConnection, type ConnectionOptions, type Credential } from '../connection.ts';
import { exitCodes, type Context, type ExitCode, type Session } from '../context.ts';

export function define(command: Command, context: Context) {
  return withConnection(
    command,
    'Exit code 0 means that the service accepts the credential and that the credential has access to the publication.',
  ).action((_options, self) => context.run(whoami, connectionOf(self)));
}

async function whoami(connection: ConnectionOptions, session: Session): Promise<ExitCode> {
  const { client, credential, apiUrl, publicationId, profileName } = await connect(connection, session);
  const reach = await checkAccess(client, publicationId, session.interrupted);
  const [inWords, exitCode] = reaches[reach];
  const isAccepted = reach !== 'refused-credential';
  const info = isAccepted && credential.kind === 'login' ? await client.oauth.readTokenInfo() : null;
  const until = info?.expiresAt == null ? 'not stated' : new Date(info.expiresAt).toISOString();
  const rows: readonly (readonly [string, string])[] = [
    ['Profile', profileName ?? 'none'],
    ['Service', apiUrl],
    ['Signed in', `${describe(credential)}${isAccepted ? '' : ` – refused: ${remedy(credential)}`}`],
    ['Publication', `${publicationId ? `${publicationId} – ` : ''}${inWords}`],
    ...(info
      ? ([
          ['Scopes', info.scopes.join(', ')],
          ['Expires', `${until}, then renewed automatically`],
        ] as const)
      : []),
  ];
  session.report.result({
    type: 'whoami',
    text: rows.map(([label, value]) => `${label.padEnd(13)}${value}`).join('\n'),
    data: {
      profile: profileName,
      api_url: apiUrl,
      credential: credential.kind,
      accepted: isAccepted,
      publication_id: publicationId ?? null,
      publication: reach,
      scopes: info?.scopes ?? null,
      expires_at: info?.expiresAt ?? null,
    },
  });
  return exitCode;
}

/** What checking the publication can end with: in words, and as an exit code. */
const reaches = {
  reached: ['accessible', exitCodes.done],
  'not-asked': ['not set (NEWSLETTER_PUBLICATION_ID)', exitCodes.done],
  'not-found': ['not found: the id is wrong, or the key is restricted to other publications', exitCodes.notFound],
  'refused-credential': ['unknown, because the service refuses the key or login', exitCodes.credentials],
  'refused-scope': [
    'unknown: the service accepts the key or login, but it may not read subscriptions',
    exitCodes.credentials,
  ],
} as const;

type Reach = keyof typeof reaches;

/** No publication has this id: the service answers 404 to a valid key and 401 to a wrong one. */
const noPublication = 'pub_00000000-0000-0000-0000-000000000000';

/** Asks the service for one subscription. @throws what the client throws for other failures */
export async function checkAccess(
  client: Client,
  publicationId: string | undefined,
  signal: AbortSignal,
): Promise<Reach> {
  const isSet = publicationId !== undefined;
  try {
    await client.subscriptions.list({ publicationId: publicationId ?? noPublication, limit: 1 }, { signal });
    return 'reached';
  } catch (error) {
    if (error instanceof UnauthorizedError || error instanceof LoginRequiredError) return 'refused-credential';
    if (error instanceof NotFoundError) return isSet ? 'not-found' : 'not-asked';
    if (error instanceof ForbiddenError) return isSet ? 'refused-scope' : 'not-asked';
    if (error instanceof ApiError && error.status === 400 && !isSet) return 'not-asked';
    throw error;
  }
}

function describe(credential: Credential): string {
  if (credential.kind === 'login')
    return `by login, as the app ${credential.login.clientId} at ${credential.login.appUrl}`;
  return credential.from === 'variable' ? 'with the API key of NEWSLETTER_API_KEY' : 'with the API key of the profile';
}

function remedy({ kind }: Credential): string {
  return kind === 'key' ? 'the key is wrong, expired or deleted' : 'the login has ended: run newsletter login';
}
