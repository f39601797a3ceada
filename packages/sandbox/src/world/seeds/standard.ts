/** The seeds that have a name. */
import { demo } from './demo.ts';
import { empty } from './empty.ts';
import { readSeed, SeedError, type ReadSeed } from './seed.ts';

export const seedNames = ['demo', 'empty'] as const;
export type SeedName = (typeof seedNames)[number];

/** What a seed is made of where it depends on when and in which sandbox it is planted. */
export interface Moment {
  /** Unix seconds. */
  readonly now: number;
  /** A number from 0 up to 1 for the `n`th decision of a kind: the same in every sandbox of one id seed. */
  readonly chance: (kind: string, n: number) => number;
}

/** A seed that has been checked, for any moment. */
export type SeedPlan = (moment: Moment) => ReadSeed;

const readEmpty = readSeed(empty);
const seeds: Readonly<Record<SeedName, SeedPlan>> = {
  demo: (moment) => readSeed(demo(moment)),
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
