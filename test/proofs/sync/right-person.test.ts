/**
 * Contact sync never takes one person for another: copies, merges, swapped and sorted columns, further addresses,
 * people who came back after they were erased, overlapping runs. `histories.slow.test.ts` plays more of the same.
 */
import * as fc from 'fast-check';
import { it } from 'vitest';
import { rightPerson } from './people.ts';

it('reaches the right person in 5,000 histories', () => {
  fc.assert(rightPerson(), { numRuns: 5000 });
});
