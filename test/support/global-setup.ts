/** Runs once before all tests. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from '../../scripts/build.ts';
import { testSeed } from './test-seed.ts';

export async function setup(): Promise<void> {
  // The same seed repeats a failure.
  console.error(`TEST_SEED=${testSeed()}`);
  // Keeps the compile cache of the commands under test in the checkout instead of the temporary folder.
  process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../../.cache/compiled', import.meta.url));
  // Servers under test serve their pages as the build wrote them, and n8n's nodes run as n8n gets them.
  await buildIfStale('pages');
  await buildIfStale('nodes');
}
