/** Runs before every test file. */
import fc from 'fast-check';
import { testSeed } from './test-seed.ts';

fc.configureGlobal({ seed: testSeed() });
// The commands under test print no colours, even where CI turns them on.
delete process.env['FORCE_COLOR'];
