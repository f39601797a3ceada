/** `/_sandbox/jobs`: the latest bulk updates and imports. */
import { Hono } from 'hono';
import type { World } from '../world/world.ts';
import type { Feature } from './feature.ts';

const shownJobs = 100;

export function jobFeature(world: World): Feature {
  const routes = () =>
    new Hono().get('/jobs', (context) =>
      context.json({
        data: world.store.overview
          .jobs(shownJobs)
          .map((job) => ({ ...job, error_log: JSON.parse(job.error_log) as unknown })),
      }),
    );
  return { routes };
}
