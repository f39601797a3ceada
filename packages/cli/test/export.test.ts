/** The export of a service that differs: every row is written, and what is odd is said once. */
import { test as base } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { run } from './command.ts';

const test = base.extend({ sandboxOptions: { seed: 'demo' } });

test.for([
  ['data[].stats.open_rate', 'retyped', 'expected number, received string'],
  ['data[].tags', 'wrapped', 'expected array, received object'],
  ['data[].created', 'null', 'expected number, received null'],
  ['data[].id', 'absent', 'missing or of no use; a program that needs it leaves the record out'],
] as const)(
  'has every row where %s of a page is %s, and names the field',
  async ([field, change, said], { sandboxOnPort }) => {
    const plain = await run(['export', '--expand', 'stats', '--expand', 'tags'], sandboxOnPort.env);
    sandboxOnPort.faults.add({ match: 'subscriptions.list', effect: { field, change } });
    const odd = await run(['export', '--expand', 'stats', '--expand', 'tags'], sandboxOnPort.env);
    const rows = (text: string): number => text.trimEnd().split('\r\n').length;
    expect([odd.code, rows(odd.stdout)]).toEqual([0, rows(plain.stdout)]);
    const notes = odd.stderr.split('\n').filter((line) => line.startsWith('Note: '));
    expect(notes).toEqual([`Note: subscriptions.list: answered "${field}": ${said}.`]);
  },
);
