/**
 * Every order of a few actions about one person, one more than for two people; in a process of its own, because the
 * states of an exploration fill the memory of one.
 */
import { expect, it, vi } from 'vitest';
import { explore, isAbout, limitMs, slowDepth as depth } from './explore.ts';
import { publicationNames } from './world.ts';

vi.mock('n8n-workflow', () => ({ NodeApiError: Error, NodeOperationError: Error }));

const left = ['left', 'active'] as const;
const unknown = ['unknown', 'active'] as const;

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
