/** Store of OAuth: grants, authorization codes and tokens. */
import { type Database, statementsOf } from './database.ts';
import type { Row } from './tables.ts';
import type { OauthClientRow } from './workspace.ts';

/** One consent, with the code given for it. */
export type GrantRow = Row<'oauth_grants'>;

/** A token with what it has from its grant: whose it is, and how far its scope may reach. */
export interface IssuedToken extends Row<'oauth_tokens'> {
  readonly client: string;
  readonly granted: string;
}

/** The queries about OAuth. */
export type Oauth = ReturnType<typeof oauthStore>;

export function oauthStore(database: Database) {
  const { one, run } = statementsOf(database);
  const token = (name: 'access_token' | 'refresh_token') =>
    one<IssuedToken, [value: string]>(
      `SELECT oauth_tokens.*, oauth_grants.client, oauth_grants.scope AS granted
       FROM oauth_tokens JOIN oauth_grants ON oauth_grants.seq = oauth_tokens.consent WHERE ${name} = ?`,
    );
  return {
    client: one<OauthClientRow, [uid: string]>('SELECT * FROM oauth_clients WHERE uid = ?'),
    grant: one<GrantRow, [code: string]>('SELECT * FROM oauth_grants WHERE code = ?'),
    useGrant: run<[seq: number]>('UPDATE oauth_grants SET used = 1 WHERE seq = ?'),
    byAccessToken: token('access_token'),
    byRefreshToken: token('refresh_token'),
    revoke: run<[seq: number]>('UPDATE oauth_tokens SET revoked = 1 WHERE seq = ?'),
    /** Revokes every token that descends from this grant. */
    revokeGrant: run<[seq: number]>('UPDATE oauth_tokens SET revoked = 1 WHERE consent = ?'),
  };
}
