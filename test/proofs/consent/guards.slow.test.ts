/** Each rule that keeps people out, switched off in turn: the exploration meets what happens then. */
import { expect, it, vi } from 'vitest';
import { explore, isAbout } from './explore.ts';
import { guards } from './guards.ts';

// The whole package takes seconds to load; the operation needs its classes of errors alone.
vi.mock('n8n-workflow', () => ({ NodeApiError: Error, NodeOperationError: Error }));

it.each(guards)('without the rule that $name', async (guardOff) => {
  const { depth, problem, from, publication, needs = /./ } = guardOff;
  const { counterexamples } = await explore(depth, {
    guardOff,
    from: [[from, 'active']],
    only: (action) => isAbout(action, 0, publication) && needs.test(action.name),
    stopAtFirst: true,
  });
  // With the rule, `consent.slow.test.ts` finds none.
  expect(counterexamples).toMatchObject([{ problem, path: { length: depth } }]);
});
