/**
 * `/_sandbox/connection`: what a client has to be told to reach this sandbox – addresses, publications, keys, OAuth
 * clients.
 */
import { Hono } from 'hono';
import { apiPrefix } from '../api/api.ts';
import type { World } from '../world/world.ts';

export function connectionControl({ world }: { readonly world: World }): Hono {
  const { overview, workspace } = world.store;
  return new Hono().get('/connection', (context) => {
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
}
