/** Store of OAuth: grants, authorization codes and tokens. */
import type { Database } from './database.ts';
import type { OauthClientRow } from './workspace.ts';

/** One consent, with the code given for it. Times in seconds; `used` is 0 or 1. */
export interface GrantRow {
  readonly seq: number;
  readonly code: string;
  readonly client: string;
  readonly redirect_uri: string;
  readonly scope: string;
  readonly code_challenge: string | null;
  readonly code_challenge_method: string | null;
  readonly expires: number;
  readonly used: number;
}

/** An access token with its refresh token, if it has one. Times in seconds; `revoked` is 0 or 1. */
export interface TokenRow {
  readonly seq: number;
  /** `seq` of the grant it descends from: everything issued for one consent, over every rotation. */
  readonly consent: number;
  readonly scope: string;
  readonly access_token: string;
  readonly refresh_token: string | null;
  readonly created: number;
  readonly expires: number;
  readonly revoked: number;
}

/** A token with what it has from its grant: whose it is, and how far its scope may reach. */
export interface IssuedToken extends TokenRow {
  readonly client: string;
  readonly granted: string;
}

/** The queries about OAuth. */
export type Oauth = ReturnType<typeof oauthStore>;

export function oauthStore(database: Database) {
  const client = database.prepare<OauthClientRow>('SELECT * FROM oauth_clients WHERE uid = ?');
  const addGrant = database.prepare(
    `INSERT INTO oauth_grants (seq, code, client, redirect_uri, scope, code_challenge, code_challenge_method, expires, used)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const grant = database.prepare<GrantRow>('SELECT * FROM oauth_grants WHERE code = ?');
  const useGrant = database.prepare('UPDATE oauth_grants SET used = 1 WHERE seq = ?');
  const addToken = database.prepare(
    `INSERT INTO oauth_tokens (seq, consent, scope, access_token, refresh_token, created, expires, revoked) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const token = (name: 'access_token' | 'refresh_token') =>
    database.prepare<IssuedToken>(
      `SELECT oauth_tokens.*, oauth_grants.client, oauth_grants.scope AS granted
       FROM oauth_tokens JOIN oauth_grants ON oauth_grants.seq = oauth_tokens.consent WHERE ${name} = ?`,
    );
  const byAccessToken = token('access_token');
  const byRefreshToken = token('refresh_token');
  const revoke = database.prepare('UPDATE oauth_tokens SET revoked = 1 WHERE seq = ?');
  const revokeGrant = database.prepare('UPDATE oauth_tokens SET revoked = 1 WHERE consent = ?');
  return {
    client: (uid: string) => client.get(uid),
    addGrant: (row: GrantRow): void =>
      addGrant.run(
        row.seq,
        row.code,
        row.client,
        row.redirect_uri,
        row.scope,
        row.code_challenge,
        row.code_challenge_method,
        row.expires,
        row.used,
      ),
    grant: (code: string) => grant.get(code),
    useGrant: (seq: number): void => useGrant.run(seq),
    addToken: (row: TokenRow): void =>
      addToken.run(
        row.seq,
        row.consent,
        row.scope,
        row.access_token,
        row.refresh_token,
        row.created,
        row.expires,
        row.revoked,
      ),
    byAccessToken: (value: string) => byAccessToken.get(value),
    byRefreshToken: (value: string) => byRefreshToken.get(value),
    revoke: (seq: number): void => revoke.run(seq),
    /** Revokes every token that descends from this grant. */
    revokeGrant: (seq: number): void => revokeGrant.run(seq),
  };
}
