/** Finds the seed that the command line names: a standard one, or a file. */
import { readFileSync } from 'node:fs';
import { readSeed, SeedError, type ReadSeed } from '../world/seeds/seed.ts';
import { isSeedName, seedNames, type SeedName } from '../world/seeds/standard.ts';

/** @throws {@link SeedError} that names the seed or file and says what to do */
export function loadSeed(seed: string): SeedName | ReadSeed {
  if (isSeedName(seed)) return seed;
  try {
    return readSeed(JSON.parse(readFileSync(seed, 'utf8')));
  } catch (error) {
    throw new SeedError(explain(error, seed), { cause: error });
  }
}

function explain(error: unknown, seed: string): string {
  const use = `Use ${seedNames.join(', ')} or the path of a seed file (.json).`;
  if (error instanceof SeedError) return `"${seed}": ${error.message}`;
  if (error instanceof SyntaxError) return `"${seed}" is not valid JSON. ${use}`;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return `There is no seed and no file "${seed}". ${use}`;
  return `The seed file "${seed}" can't be read${typeof code === 'string' ? ` (${code})` : ''}. ${use}`;
}
