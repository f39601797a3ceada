/** All features of the sandbox. A new one is one object in a file of its own, and one line here. */
import type { World } from '../world/world.ts';
import type { AssumptionSet } from './assumptions.ts';
import { clockFeature } from './clock.ts';
import { createEvents } from './events.ts';
import { createFaults } from './faults.ts';
import type { Feature } from './feature.ts';
import { inboxFeature } from './inbox.ts';
import { overviewFeature } from './overview.ts';
import { createRateLimit, type Profile, type QuotaRequest } from './rate-limit.ts';
import { createRequestLog } from './request-log.ts';
import { createSeeds, type SeedOptions } from './seeds.ts';
import { createSnapshots } from './snapshots.ts';

export interface FeatureOptions extends SeedOptions {
  /** How requests are limited. Default `spec`. */
  readonly profile?: Profile | QuotaRequest | undefined;
}

export type Features = ReturnType<typeof createFeatures>;

/** @param assumptions - made before the world, whose rules read them */
export function createFeatures(world: World, assumptions: AssumptionSet, options: FeatureOptions) {
  return {
    // First: where the seed of a reset cannot be loaded, nothing else may be reset.
    seeds: createSeeds(world, options),
    requestLog: createRequestLog(),
    overview: overviewFeature(world),
    clock: clockFeature(world),
    inbox: inboxFeature(world),
    faults: createFaults(),
    rateLimit: createRateLimit(options.profile ?? 'spec', world.clock),
    snapshots: createSnapshots(world),
    assumptions,
    events: createEvents(world),
  } satisfies Readonly<Record<string, Feature>>;
}

/** Resets the features in the order of their list. @throws SeedError where the seed cannot be loaded */
export function resetFeatures(features: Readonly<Record<string, Feature>>, seed?: unknown): void {
  for (const feature of Object.values(features)) feature.reset?.(seed);
}
