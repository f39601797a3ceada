/** Finds a token that may be of either kind. */
import type { IssuedToken, Oauth } from '../store/oauth.ts';

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
