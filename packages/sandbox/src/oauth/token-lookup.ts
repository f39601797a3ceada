/** Looks tokens up: the bearer token of a request (RFC 6750), and a token that may be of either kind (RFC 7009). */
import type { IssuedToken, Oauth } from '../store/oauth.ts';
import type { World } from '../world/world.ts';
import { OauthError } from './errors.ts';
import { accessTokenProblem } from './grants.ts';

/** The text after `Bearer`, where the header has that scheme. */
export function bearerOf(authorization: string | null): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

/** What a token that is of no use is answered with. */
export const problemTexts = { revoked: 'The access token was revoked', expired: 'The access token expired' } as const;

/** The good access token of this value. @throws OauthError invalid_token */
export function requireAccessToken(world: World, value: string | undefined): IssuedToken {
  const token = value === undefined ? undefined : world.store.oauth.byAccessToken(value);
  const problem = token && accessTokenProblem(world, token);
  if (token && !problem) return token;
  throw new OauthError('invalid_token', {
    ...(problem && { description: problemTexts[problem] }),
    body: { state: 'unauthorized' },
  });
}

export interface FoundToken {
  readonly kind: 'access_token' | 'refresh_token';
  readonly token: IssuedToken;
}

/** The token with this value. A hint says where to look first; a wrong one does no harm (RFC 7009 §2.1). */
export function findToken(oauth: Oauth, value: string, hint: string | undefined): FoundToken | undefined {
  const access = () => found('access_token', oauth.byAccessToken(value));
  const refresh = () => found('refresh_token', oauth.byRefreshToken(value));
  return hint === 'refresh_token' ? (refresh() ?? access()) : (access() ?? refresh());
}

const found = (kind: FoundToken['kind'], token: IssuedToken | undefined): FoundToken | undefined =>
  token && { kind, token };
