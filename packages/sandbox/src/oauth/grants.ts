/**
 * Issues, redeems, looks up, rotates and revokes authorization codes and tokens, by the sandbox's clock; with PKCE (RFC
 * 7636).
 */
import type { GrantRow, IssuedToken, Oauth } from '../store/oauth.ts';
import type { OauthClientRow } from '../store/workspace.ts';
import type { World } from '../world/world.ts';
import { missing, OauthError } from './endpoint.ts';
import { readScopes } from './scopes.ts';
import { createHash } from 'node:crypto';

/** Lifetimes of an authorization code and an access token, in seconds. A refresh token does not expire. */
export const codeLifetime = 600;
export const accessTokenLifetime = 7200;

/** What the person agreed to. */
export interface GrantedConsent {
  readonly client: OauthClientRow;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly challenge: string | null;
  readonly challengeMethod: string | null;
}

/** What redeems a code. */
export interface Redemption {
  readonly client: OauthClientRow;
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string | undefined;
}

/** Why a token is not valid; undefined where it is. */
export type TokenProblem = 'revoked' | 'expired' | undefined;

/** Stores a consent and returns its authorization code. */
export function issueCode(world: World, consent: GrantedConsent): string {
  return world.write(() => {
    const seq = world.store.next('oauth_grant');
    const code = world.ids.token('oauth_code', seq);
    world.store.insert('oauth_grants', {
      seq,
      code,
      client: consent.client.uid,
      redirect_uri: consent.redirectUri,
      scope: consent.scopes.join(' '),
      code_challenge: consent.challenge,
      code_challenge_method: consent.challengeMethod,
      expires: world.clock.seconds() + codeLifetime,
      used: 0,
    });
    return code;
  });
}

/**
 * Exchanges a code for tokens. A code used twice revokes the tokens issued for it.
 *
 * @throws OauthError invalid_grant
 */
export function redeemCode(world: World, redemption: Redemption): IssuedToken {
  const { oauth } = world.store;
  const grant = oauth.grant(redemption.code);
  if (!grant) throw refused('There is no such code.');
  checkRedemption(grant, redemption);
  if (grant.used === 1) {
    world.write(() => oauth.revokeGrant(grant.seq));
    throw refused('The code was used before. The tokens issued for it are revoked now.');
  }
  if (world.clock.seconds() >= grant.expires)
    throw refused(`The code has expired: it was valid for ${codeLifetime} s.`);
  return world.write(() => {
    oauth.useGrant(grant.seq);
    return issueToken(world, redemption.client, { consent: grant.seq, scope: grant.scope, granted: grant.scope });
  });
}

function checkRedemption(grant: GrantRow, { client, redirectUri, verifier }: Redemption): void {
  if (grant.client !== client.uid) throw refused('The code was issued to another client.');
  if (grant.redirect_uri !== redirectUri)
    throw refused('The redirect_uri differs from that of the authorization request.');
  if (grant.code_challenge === null || grant.code_challenge_method === null) {
    // Taking it would let an attacker strip the challenge off the first request (RFC 9700 §4.8).
    if (verifier !== undefined)
      throw refused('The request has a code_verifier, but the authorization request had no code_challenge.');
    return;
  }
  if (verifier === undefined) throw missing('code_verifier');
  if (challengeMethods.get(grant.code_challenge_method)?.challengeOf(verifier) !== grant.code_challenge)
    throw refused('The code_verifier does not match the code_challenge.');
}

/**
 * New tokens for a refresh token, which ends with its access token. A second use means
 * that it was copied: all tokens of the same consent are revoked then (RFC 9700 §4.14).
 *
 * @param requested - the scopes of the new access token, within those granted; those where it is undefined
 * @throws OauthError invalid_grant, invalid_scope
 */
export function rotate(
  world: World,
  client: OauthClientRow,
  refreshToken: string,
  requested: string | undefined,
): IssuedToken {
  const { oauth } = world.store;
  const token = oauth.byRefreshToken(refreshToken);
  if (!token) throw refused('There is no such refresh token.');
  if (token.client !== client.uid) throw refused('The refresh token was issued to another client.');
  if (token.revoked === 1) {
    world.write(() => oauth.revokeGrant(token.consent));
    throw refused('The refresh token was used or revoked before. All tokens of the same consent are revoked now.');
  }
  const granted = token.granted.split(' ');
  const scope = readScopes(requested, granted, granted).join(' ');
  return world.write(() => {
    oauth.revoke(token.seq);
    return issueToken(world, client, { consent: token.consent, scope, granted: token.granted });
  });
}

function issueToken(
  world: World,
  client: OauthClientRow,
  { consent, scope, granted }: Pick<IssuedToken, 'consent' | 'scope' | 'granted'>,
): IssuedToken {
  const seq = world.store.next('oauth_token');
  const created = world.clock.seconds();
  const token = {
    seq,
    consent,
    scope,
    access_token: world.ids.token('access_token', seq),
    refresh_token: mayUse(client, 'refresh_token') ? world.ids.token('refresh_token', seq) : null,
    created,
    expires: created + accessTokenLifetime,
    revoked: 0,
  };
  world.store.insert('oauth_tokens', token);
  return { ...token, client: client.uid, granted };
}

/** Whether the client is registered for this grant type. */
export function mayUse(client: OauthClientRow, grantType: string): boolean {
  return (JSON.parse(client.grant_types) as string[]).includes(grantType);
}

/** Checks whether an access token is valid now. */
export function accessTokenProblem(world: World, token: IssuedToken): TokenProblem {
  if (token.revoked === 1) return 'revoked';
  return world.clock.seconds() >= token.expires ? 'expired' : undefined;
}

const refused = (reason: string) => new OauthError('invalid_grant', { reason });

/** The text after `Bearer`, where the header has that scheme. */
export function bearerOf(authorization: string | null): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

/** Error texts for tokens that are not valid. */
export const problemTexts = { revoked: 'The access token was revoked', expired: 'The access token expired' } as const;

/** The valid access token of this value. @throws OauthError invalid_token */
export function requireAccessToken(world: World, value: string | undefined): IssuedToken {
  const token = value === undefined ? undefined : world.store.oauth.byAccessToken(value);
  const problem = token && accessTokenProblem(world, token);
  if (token && !problem) return token;
  throw new OauthError('invalid_token', {
    ...(problem && { description: problemTexts[problem] }),
    body: { state: 'unauthorized' },
  });
}

/** The token with this value, of whichever kind: both are looked for, so no hint is needed (RFC 7009 §2.1). */
export const findToken = (oauth: Oauth, value: string): IssuedToken | undefined =>
  oauth.byAccessToken(value) ?? oauth.byRefreshToken(value);

/** What makes a challenge of a verifier, and what a challenge looks like. */
interface ChallengeMethod {
  readonly challengeOf: (verifier: string) => string;
  readonly pattern: RegExp;
}

/** A verifier has 43 to 128 characters, a SHA-256 hash always 43. */
export const challengeMethods: ReadonlyMap<string, ChallengeMethod> = new Map<string, ChallengeMethod>([
  [
    'S256',
    {
      challengeOf: (verifier) => createHash('sha256').update(verifier).digest('base64url'),
      pattern: /^[\w-]{43}$/,
    },
  ],
  ['plain', { challengeOf: (verifier) => verifier, pattern: /^[\w.~-]{43,128}$/ }],
]);

/** The test person who signs in, without a password. */
export const person = {
  id: '00000000-0000-4000-8000-000000000009',
  name: 'Marina Quay',
  email: 'marina@harbour-letter.example',
  initials: 'MQ',
} as const;
