/** `/_sandbox/reset`: back to a seed, and to everything else as it was at the start. */
import { Hono } from 'hono';
import { apiError } from '../api/errors.ts';
import type { World } from '../world/world.ts';
import { readControlJson } from './body.ts';

export interface ResetOptions {
  readonly world: World;
  /** Plants a seed – by name, as data, or the one the sandbox was started with. */
  readonly reset: (seed?: unknown) => void;
}

export function resetControl({ world, reset }: ResetOptions): Hono {
  return new Hono().post('/reset', async (context) => {
    reset(await readResetSeed(context.req.raw));
    return context.json({ subscriptions: world.store.subscriptions.total() });
  });
}

/** The `seed` of the body; a body is not needed. */
async function readResetSeed(request: Request): Promise<unknown> {
  const body = await readControlJson(request);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw apiError(400, 'VALIDATE_ERROR', 'The body must be a JSON object such as {"seed": "demo"}.');
  }
  return 'seed' in body ? body.seed : undefined;
}
