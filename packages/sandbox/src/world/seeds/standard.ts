/** The seeds that have a name. */
import { demo } from './demo.ts';
import { empty } from './empty.ts';
import { readSeed, SeedError, type ReadSeed, type Seed } from './seed.ts';

export const seedNames = ['demo', 'empty'] as const;
export type SeedName = (typeof seedNames)[number];

const seeds: Readonly<Record<SeedName, () => Seed>> = { demo, empty: () => empty };
const read = new Map<SeedName, ReadSeed>();

/** Whether this names a standard seed. */
export function isSeedName(name: unknown): name is SeedName {
  return seedNames.some((known) => known === name);
}

/**
 * The seed of this name, or the seed given as data, checked.
 *
 * @throws {@link SeedError} where there is no seed of this name or the data is not a seed
 */
export function findSeed(seed: unknown): ReadSeed {
  if (isSeedName(seed)) {
    const known = read.get(seed) ?? readSeed(seeds[seed]());
    read.set(seed, known);
    return known;
  }
  if (typeof seed === 'string') throw new SeedError(`There is no seed "${seed}". Use ${seedNames.join(' or ')}.`);
  return readSeed(seed);
}
