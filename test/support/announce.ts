/** Chooses the seed before the first test starts, and prints it: what fails is repeated with the same. */
import { testSeed } from './test-seed.ts';

export function setup(): void {
  console.log(`TEST_SEED=${testSeed()}`);
}
