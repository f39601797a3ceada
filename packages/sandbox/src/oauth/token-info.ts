/** `GET /oauth/token/info`: the metadata of the bearer token in use. */
import { bearerOf, requireAccessToken } from './bearer.ts';
import { json, type Endpoint } from './endpoint.ts';
import { person } from './person.ts';

export const tokenInfo: Endpoint = ({ world, request }) => {
  const token = requireAccessToken(world, bearerOf(request.headers.get('authorization')));
  const left = token.expires - world.clock.seconds();
  return json(200, {
    resource_owner_id: person.id,
    scope: token.scope.split(' '),
    // The time left goes by two names: the one the service documents and the one it has been seen to send.
    expires_in: left,
    expires_in_seconds: left,
    application: { uid: token.client, name: world.store.oauth.client(token.client)?.name ?? '' },
    created_at: token.created,
  });
};
