/** The access token in the `Authorization` header of a request to OAuth's own endpoints (RFC 6750). */
import type { IssuedToken } from '../store/oauth.ts';
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
