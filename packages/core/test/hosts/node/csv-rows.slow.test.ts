/** Many files: each row is accepted, rejected or still to be sent. */
import fc from 'fast-check';
import { it } from 'vitest';
import { fileOf, importEverything } from './csv-files.ts';

it('accounts for each row of 20,000 files in any dialect, however often their imports stop', async () => {
  await fc.assert(fc.asyncProperty(fileOf, importEverything), { numRuns: 20_000, seed: 66 });
}, 1_800_000);
