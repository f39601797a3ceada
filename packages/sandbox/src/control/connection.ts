/** `/_sandbox/connection`: the settings of a client – addresses, publications, keys and OAuth clients. */
import { Hono } from 'hono';
import { apiPrefix } from '../api/api.ts';
import type { World } from '../world/world.ts';
import type { Feature } from './feature.ts';

export function connectionFeature(world: World): Feature {
  const { overview, workspace } = world.store;
  const routes = () =>
    new Hono().get('/connection', (context) => {
      const { origin } = new URL(context.req.url);
      return context.json({
        base_url: origin + apiPrefix,
        app_url: origin,
        publications: workspace.publications().map(({ id, name }) => ({ id, name })),
        keys: overview.keys().map(({ key, publications }) => ({
          key,
          publications: publications === null ? null : (JSON.parse(publications) as unknown),
        })),
        oauth_clients: overview.clients().map(({ uid, name, secret, redirect_uris }) => ({
          uid,
          name,
          secret,
          redirect_uris: JSON.parse(redirect_uris) as unknown,
        })),
      });
    });
  return { routes };
}
