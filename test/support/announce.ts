/** Chooses the seed before the first test starts, and prints it: the same seed repeats a failure. */
import { testSeed } from './test-seed.ts';

export function setup(): void {
  console.log(`TEST_SEED=${testSeed()}`);
}
