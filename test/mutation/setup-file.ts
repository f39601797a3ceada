/** Runs before every test file of a mutation run. */
import fc from 'fast-check';

// A mutant is noticed with the first failing example: a search for a smaller one takes longer than all other tests.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
