/** Who asks, and whether the publication they name is theirs. */
import type { PublicationRow } from '../store/workspace.ts';
import type { World } from '../world/world.ts';
import { apiError } from './errors.ts';

/** The bearer of a valid token. `publications` is null where it reaches the whole workspace. */
export interface Bearer {
  readonly publications: readonly string[] | null;
}

/** @throws ApiError 401, the same for a missing and for an unknown token */
export function authenticate(world: World, authorization: string | null): Bearer {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const key = token === undefined ? undefined : world.store.workspace.key(token);
  if (!key) throw apiError(401, 'INVALID_API_KEY', 'The api key is not valid');
  return { publications: key.publications === null ? null : (JSON.parse(key.publications) as string[]) };
}

/** @throws ApiError 404, the same for a publication that does not exist and for one out of the token's reach */
export function findPublication(world: World, bearer: Bearer, id: string): PublicationRow {
  const publication = world.store.workspace.publication(id);
  if (!publication || (bearer.publications && !bearer.publications.includes(id))) {
    throw apiError(404, 'PUBLICATION_NOT_FOUND', 'There is no publication with this id that the token can reach.');
  }
  return publication;
}
