/** Gives fast-check the seed that the test runner wrote into the page, before any test is loaded. */
import fc from 'fast-check';

const seed = Number(document.documentElement.dataset['testSeed']);
if (!Number.isInteger(seed)) throw new Error('The page of the test runner has no seed.');
fc.configureGlobal({ seed });
