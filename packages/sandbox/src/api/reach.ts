/** How far a token reaches: into a publication, or over the whole workspace. */
import type { PublicationRow } from '../store/workspace.ts';
import type { World } from '../world/world.ts';
import { findPublication, type Bearer } from './auth.ts';
import { apiError } from './errors.ts';
import type { Handler } from './handler.ts';
import type { PathParams } from './router.ts';

/**
 * The publication that a request is about; null for an operation of the workspace.
 *
 * @throws ApiError 403 where the operation concerns the whole workspace and the token does not reach it; 404 where
 *   there is no such publication within its reach
 */
export function reachedPublication(
  world: World,
  bearer: Bearer,
  handler: Handler,
  params: PathParams,
): PublicationRow | null {
  if (handler.wholeWorkspace && bearer.publications) {
    throw apiError(
      403,
      'FORBIDDEN',
      'This concerns the whole workspace; a key that is restricted to publications can not use it.',
    );
  }
  const id = params['publicationId'];
  return id === undefined ? null : findPublication(world, bearer, id);
}
