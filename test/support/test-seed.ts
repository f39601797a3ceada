/**
 * The seed of every random choice in tests: `TEST_SEED`, by default the same in every run. `TEST_SEED=random` draws a
 * new one.
 */
import { randomInt } from 'node:crypto';
import process from 'node:process';

const seeds = 2 ** 31;
const defaultSeed = 1;

/**
 * Reads the seed and replaces `random` with the one drawn, so that every process of the run has the same.
 *
 * @throws if `TEST_SEED` is neither a whole number nor `random`
 */
export function testSeed(): number {
  const given = process.env['TEST_SEED'] || String(defaultSeed);
  const seed = given === 'random' ? randomInt(seeds) : Number(given);
  if (!Number.isInteger(seed) || Math.abs(seed) >= seeds)
    throw new Error(`TEST_SEED is ${JSON.stringify(given)}: give a whole number below ${seeds}, or "random".`);
  process.env['TEST_SEED'] = String(seed);
  return seed;
}
