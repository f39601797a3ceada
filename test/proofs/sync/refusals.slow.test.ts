/** Many histories of a CRM that refuses; `SYNC_REFUSALS` sets another number, and `TEST_SEED` repeats a run. */
import { it } from 'vitest';
import { refusals } from './refusals.ts';

const numRuns = Number(process.env['SYNC_REFUSALS'] ?? 100_000);

it.each(Object.entries(refusals))('%s', { timeout: 3_600_000 }, (_, hold) => {
  hold(numRuns);
});
