/** The seed that the sandbox begins with; and `/_sandbox/reset`, which loads it, or another one, again. */
import { Hono } from 'hono';
import { apiError } from '../http/errors.ts';
import { readControlJson } from '../http/read-request.ts';
import { loadSeed } from '../world/seeds/load-seed.ts';
import type { Seed } from '../world/seeds/seed.ts';
import { findSeed, type SeedName } from '../world/seeds/standard.ts';
import type { World } from '../world/world.ts';
import type { Feature } from './feature.ts';

export interface SeedOptions {
  /** The initial content of a new database, and of a reset. Default `empty`. */
  readonly seed?: SeedName | Seed | undefined;
  /** Fills the seed's first publication up to so many subscriptions. Default: as many as the seed has. */
  readonly seedSize?: number | undefined;
  /** Called repeatedly while a large publication is filled. */
  readonly onPlanting?: ((planted: number, size: number) => void) | undefined;
  /**
   * Returns the real time in milliseconds. Default `Date.now`; with a constant function only `advance` moves the
   * clock.
   */
  readonly now?: (() => number) | undefined;
}

export interface Seeds extends Feature {
  /** Whether the database was new and was filled with the seed; false where a file already held something. */
  readonly planted: boolean;
}

/** Loads the initial seed into a new database. @throws SeedError where it cannot be loaded */
export function createSeeds(world: World, options: SeedOptions): Seeds {
  const { seed: initial = 'empty', seedSize, onPlanting, now = Date.now } = options;
  const growth = seedSize === undefined ? undefined : { size: seedSize, progress: onPlanting };
  const load = (seed?: unknown): void => {
    // The clock is held at one time, so that the same seed at the same time makes the same content.
    const grown = seed === undefined ? growth : undefined;
    world.clock.during(Math.trunc(now()), () => loadSeed(world, findSeed(seed ?? initial), grown));
  };
  const planted = world.store.workspace.publications().length === 0;
  if (planted) load();

  return {
    planted,
    reset(seed) {
      try {
        load(seed);
      } finally {
        world.clock.load();
      }
    },
    routes: (sandbox) =>
      new Hono().post('/reset', async (context) => {
        sandbox.reset(await readResetSeed(context.req.raw));
        return context.json({ subscriptions: world.store.subscriptions.total() });
      }),
  };
}

/** The `seed` of the body; a body is not needed. */
async function readResetSeed(request: Request): Promise<unknown> {
  const body = await readControlJson(request);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw apiError(400, 'VALIDATE_ERROR', 'The body must be a JSON object such as {"seed": "demo"}.');
  }
  return 'seed' in body ? body.seed : undefined;
}
