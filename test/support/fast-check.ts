/** Sets fast-check's seed in every test file. */
import fc from 'fast-check';
import { testSeed } from './test-seed.ts';

fc.configureGlobal({ seed: testSeed() });
