/**
 * `newsletter whoami`: which credential, which publication, what it may do; tells a wrong key from a wrong publication.
 */
import { ApiError, ForbiddenError, NotFoundError, UnauthorizedError } from '@newsletter-kit/core';
import { LoginRequiredError, type TokenInfo } from '@newsletter-kit/core/oauth';
import type { Call } from '../command/definition.ts';
import { exitCodes, type ExitCode } from '../command/exit-codes.ts';
import { connect, type Credential } from '../settings/connection.ts';
import type { connectionOptions } from '../settings/settings.ts';

/** What came of looking at the publication. */
type Reach = 'reached' | 'not-found' | 'refused-credential' | 'refused-scope' | 'not-asked';

const words: Readonly<Record<Reach, string>> = {
  reached: 'reached',
  'not-found': 'not found: the id is wrong, or the key is restricted to other publications',
  'refused-credential': 'not known, because the service does not take the key or login',
  'refused-scope': 'not known: the service takes the key or login, but it may not read subscriptions',
  'not-asked': 'not set (NEWSLETTER_PUBLICATION_ID)',
};

/** No publication has this id, so that the service answers 404 to a good key and 401 to a wrong one. */
const nobodys = 'pub_00000000-0000-0000-0000-000000000000';

export async function run(call: Call<typeof connectionOptions>): Promise<ExitCode> {
  const { client, settings, credential } = await connect(call, []);
  const { publicationId } = settings;
  const reach = await look(
    () => client.subscriptions.list({ publicationId: publicationId ?? nobodys, limit: 1 }),
    publicationId !== undefined,
  );
  const good = reach !== 'refused-credential';
  const info = good && credential.kind === 'login' ? await aboutToken(credential) : null;

  const rows: readonly (readonly [string, string])[] = [
    ['Service', settings.apiUrl],
    ['Signed in', `${named(credential)}${good ? '' : ` – refused: ${remedy(credential)}`}`],
    ['Publication', `${publicationId ? `${publicationId} – ` : ''}${words[reach]}`],
    ...(info
      ? ([
          ['May', info.scopes.join(', ')],
          [
            'Until',
            info.expiresAt === null ? 'not said' : `${new Date(info.expiresAt).toISOString()}, then renewed by itself`,
          ],
        ] as const)
      : []),
  ];
  call.report.result({
    type: 'whoami',
    text: rows.map(([label, value]) => `${label.padEnd(13)}${value}`).join('\n'),
    data: {
      api_url: settings.apiUrl,
      credential: credential.kind,
      accepted: good,
      publication_id: publicationId ?? null,
      publication: reach,
      scopes: info?.scopes ?? null,
      expires_at: info?.expiresAt ?? null,
    },
  });
  return reach === 'reached' || reach === 'not-asked' ? exitCodes.done : exitCodes.failed;
}

async function look(ask: () => PromiseLike<unknown>, asked: boolean): Promise<Reach> {
  try {
    await ask();
    return 'reached';
  } catch (error) {
    if (error instanceof UnauthorizedError || error instanceof LoginRequiredError) return 'refused-credential';
    if (error instanceof NotFoundError) return asked ? 'not-found' : 'not-asked';
    if (error instanceof ForbiddenError) return asked ? 'refused-scope' : 'not-asked';
    if (error instanceof ApiError && error.status === 400 && !asked) return 'not-asked';
    throw error;
  }
}

async function aboutToken({ oauth, source }: Extract<Credential, { kind: 'login' }>): Promise<TokenInfo> {
  return oauth.tokenInfo(await source.get());
}

function named(credential: Credential): string {
  return credential.kind === 'key'
    ? 'with the API key of NEWSLETTER_API_KEY'
    : `by login, as the app ${credential.login.clientId} at ${credential.login.appUrl}`;
}

function remedy({ kind }: Credential): string {
  return kind === 'key' ? 'the key is wrong, expired or deleted' : 'the login has ended, run newsletter login';
}
