/**
 * Every order of a few actions in the small world: nobody who has left becomes active, unless they return.
 *
 * `CONSENT_DEPTH=5 npm test -- test/proofs/consent/consent` explores deeper.
 */
import { expect, it, vi } from 'vitest';
import { beginnings, explore, limitMs, slowDepth as depth } from './explore.ts';

vi.mock('n8n-workflow', () => ({ NodeApiError: Error, NodeOperationError: Error }));

it(
  `nobody who has left becomes active in any order of ${depth} actions`,
  async () => {
    // The deeper exploration begins where most can happen.
    const from = depth > 3 ? [['left', 'unknown'] as const] : beginnings;
    const { counterexamples, ...counts } = await explore(depth, { from });
    console.log('two people, two publications:', counts);
    expect(counterexamples).toEqual([]);
  },
  limitMs,
);
