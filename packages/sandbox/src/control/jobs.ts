/**
 * `/_sandbox/jobs`: the latest bulk updates and imports of every publication; imports have no endpoint of the API that
 * shows them.
 */
import { Hono } from 'hono';
import type { World } from '../world/world.ts';

const shown = 100;

export function jobControl({ world }: { readonly world: World }): Hono {
  return new Hono().get('/jobs', (context) =>
    context.json({
      data: world.store.overview
        .jobs(shown)
        .map((job) => ({ ...job, error_log: JSON.parse(job.error_log) as unknown })),
    }),
  );
}
