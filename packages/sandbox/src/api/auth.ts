/** Authenticates a request by API key or OAuth access token, and checks its scope and the publications it may reach. */
import type { Operation } from '@newsletter-kit/core/contract';
import { bearerOf, problemTexts, accessTokenProblem } from '../oauth/grants.ts';
import { bearerChallenge } from '../oauth/endpoint.ts';
import type { PublicationRow } from '../store/workspace.ts';
import type { World } from '../world/world.ts';
import { apiError } from '../http/errors.ts';
import type { PathParams, Rule } from './rule.ts';

/** The bearer of a valid token. */
export interface Bearer {
  /**
   * Ids of the publications it is restricted to; null where it reaches the whole workspace. Only API keys can be
   * restricted.
   */
  readonly publications: readonly string[] | null;
  /** What an OAuth token may do; null for an API key, which may do everything. */
  readonly scopes: readonly string[] | null;
}

/**
 * @throws ApiError 401, the same for a missing and for an unknown token; an OAuth token that was valid once gets
 *   the reason
 */
export function authenticate(world: World, authorization: string | null): Bearer {
  const value = bearerOf(authorization);
  const key = value === undefined ? undefined : world.store.workspace.key(value);
  if (key)
    return {
      publications: key.publications === null ? null : (JSON.parse(key.publications) as string[]),
      scopes: null,
    };
  const token = value === undefined ? undefined : world.store.oauth.byAccessToken(value);
  if (!token) throw apiError(401, 'INVALID_API_KEY', 'The api key is not valid');
  const problem = accessTokenProblem(world, token);
  if (problem) {
    const text = problemTexts[problem];
    throw apiError(401, 'INVALID_ACCESS_TOKEN', text, { 'WWW-Authenticate': bearerChallenge('invalid_token', text) });
  }
  return { publications: null, scopes: token.scope.split(' ') };
}

/**
 * Requires the operation's scope of an OAuth token; operations without a scope in the contract accept any token.
 *
 * @throws ApiError 403
 */
export function requireScope(bearer: Bearer, { scope }: Operation): void {
  if (scope === null || !bearer.scopes || bearer.scopes.includes(scope)) return;
  const text = `The access token lacks the scope ${scope}.`;
  throw apiError(403, 'INSUFFICIENT_SCOPE', text, {
    'WWW-Authenticate': bearerChallenge('insufficient_scope', text, scope),
  });
}

/**
 * The publication that a request is about; null for an operation of the workspace.
 *
 * @throws ApiError 403 where the operation concerns the whole workspace and the token does not reach it; 404, the
 *   same for a publication that does not exist and for one out of the token's reach
 */
export function reachedPublication(
  world: World,
  bearer: Bearer,
  rule: Rule,
  params: PathParams,
): PublicationRow | null {
  if (rule.wholeWorkspace && bearer.publications) {
    throw apiError(
      403,
      'FORBIDDEN',
      'This operation concerns the whole workspace. An API key that is restricted to publications cannot use it.',
    );
  }
  const id = params['publicationId'];
  if (id === undefined) return null;
  const publication = world.store.workspace.publication(id);
  if (publication && (bearer.publications?.includes(id) ?? true)) return publication;
  throw apiError(
    404,
    'PUBLICATION_NOT_FOUND',
    'There is no publication with this id, or the API key or token does not give access to it.',
  );
}
