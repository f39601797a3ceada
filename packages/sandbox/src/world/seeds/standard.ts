/** The seeds that can be chosen by name: `demo` and `empty`. */
import { publicationId } from '../standard-values.ts';
import { readSeed, type ReadSeed, type Seed, type SeedContext, SeedError } from './seed.ts';
import { demo } from './demo.ts';

/** 1 November 2023, 09:00 UTC. */
const founded = 1_698_829_200;

export const empty: Seed = {
  publications: [{ id: publicationId, name: 'The Harbour Letter', created: founded }],
};

export const seedNames = ['demo', 'empty'] as const;
export type SeedName = (typeof seedNames)[number];

/** Makes a checked seed for the time and the id seed of a sandbox. */
export type SeedPlan = (context: SeedContext) => ReadSeed;

const readEmpty = readSeed(empty);
const seeds: Readonly<Record<SeedName, SeedPlan>> = {
  demo: (context) => readSeed(demo(context)),
  empty: () => readEmpty,
};

/** Whether this names a standard seed. */
export function isSeedName(name: unknown): name is SeedName {
  return seedNames.some((known) => known === name);
}

/**
 * The seed of this name, or the seed given as data, checked.
 *
 * @throws {@link SeedError} where there is no seed of this name or the data is not a seed
 */
export function findSeed(seed: unknown): SeedPlan {
  if (isSeedName(seed)) return seeds[seed];
  if (typeof seed === 'string') throw new SeedError(`There is no seed "${seed}". Use ${seedNames.join(' or ')}.`);
  const read = readSeed(seed);
  return () => read;
}
