/** Each rule that keeps people out, switched off in turn: the exploration of the small world meets what happens then. */
import { expect, it, vi } from 'vitest';
import { explore, isAbout } from './explore.ts';
import { guards } from './guards.ts';

// The whole package takes seconds to load; the operation needs its classes of errors alone.
vi.mock('n8n-workflow', () => ({ NodeApiError: Error, NodeOperationError: Error }));

it.each(guards)('without the rule that $name', async (guardOff) => {
  const { depth, problem, from, publication, needs = /./ } = guardOff;
  const within = (bound: number, off: typeof guardOff | undefined) =>
    explore(bound, {
      guardOff: off,
      from: [[from, 'active']],
      only: (action) => isAbout(action, 0, publication) && needs.test(action.name),
      stopAtFirst: true,
    });
  const { counterexamples } = await within(depth, guardOff);
  expect(counterexamples).toMatchObject([{ problem, path: { length: depth } }]);
  expect(await within(depth, undefined)).toMatchObject({ counterexamples: [] });
});
