/** What happens to people between and in the runs of a sync, and their addresses. */
import * as fc from 'fast-check';

export const names = ['ada', 'bob', 'cy'];
export const addresses = names.flatMap((name) => [`${name}@example.com`, `${name}@second.example`]);
const at = fc.nat({ max: 7 });
const events = [
  'edit person',
  'edit contact',
  'leave',
  'return',
  'opt out',
  'opt in',
  'sign up',
  'add contact',
  'copy contact',
  'copy to another address',
  'merge, survivor lists the address',
  'merge, loser names the survivor',
  'merge, loser is gone',
  'merge, survivor has a new id',
  'restore with new ids',
  'overwrite row',
  'swap in CRM',
  'swap in newsletter',
  'sort tokens',
  'sort addresses',
  'add further address',
  'remove further address',
  'use second address',
  'make further address the main one',
  'erase',
  'erase, not listed',
  'delete contact',
  'overlap',
  'crash',
] as const;

/** What happens between and in the runs. */
export const history = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.record({ event: fc.constant('run'), at, other: at }) },
    { weight: 2, arbitrary: fc.record({ event: fc.constantFrom(...events), at, other: at }) },
  ),
  { minLength: 1, maxLength: 24, size: 'max' },
);
export type Step = typeof history extends fc.Arbitrary<(infer Each)[]> ? Each : never;
