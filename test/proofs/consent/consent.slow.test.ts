/**
 * Every order of a few actions in the small world: nobody who has left becomes active, unless they return.
 *
 * `CONSENT_DEPTH=5 npm test -- test/proofs/consent/consent` explores deeper.
 */
import { expect, it, vi } from 'vitest';
import { beginnings, explore, isAbout } from './explore.ts';
import { publicationNames } from './world.ts';

vi.mock('n8n-workflow', () => ({ NodeApiError: Error, NodeOperationError: Error }));

const depth = Number(process.env['CONSENT_DEPTH'] ?? 4);

/** For a run that hangs: the exploration itself has no limit of time. */
const limitMs = 40 * 60_000;

const left = ['left', 'active'] as const;
const unknown = ['unknown', 'active'] as const;

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

it.each(publicationNames)(
  `nor does one person in any order of ${depth + 1} actions in %s`,
  async (name) => {
    const { counterexamples, ...counts } = await explore(depth + 1, {
      from: depth > 3 ? [left, unknown] : [left],
      only: (action) => isAbout(action, 0, name),
    });
    console.log(`one person, ${name}:`, counts);
    expect(counterexamples).toEqual([]);
  },
  limitMs,
);
