/** The export of a service that differs: every row is written, and what is odd is said once. */
import { test as base } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { events, run } from './command.ts';

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

test('has the columns that are chosen, of the subscriptions with a value in others', async ({ sandboxOnPort }) => {
  const all = await run(['export', '--format', 'ndjson'], sandboxOnPort.env);
  const { utm_source: source } =
    events(all.stdout).find(({ status, utm_source }) => status === 'active' && utm_source) ?? {};
  const args = [
    'export',
    '--columns',
    'email,status',
    '--where',
    'status=active',
    '--where',
    `utm_source=${String(source)}`,
  ];
  const { code, stdout, stderr } = await run(args, sandboxOnPort.env);
  expect({ code, stderr: /Exported \d+ sub/.test(stderr) }).toEqual({ code: 0, stderr: true });
  const [head, ...rows] = stdout.trimEnd().split('\r\n');
  expect(head).toBe('email,status');
  expect(new Set(rows.map((row) => row.split(',')[1]))).toEqual(new Set(['active']));
  const lines = await run([...args, '--format', 'ndjson'], sandboxOnPort.env);
  expect(
    lines.stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
  ).toEqual(rows.map((row) => ({ email: row.split(',')[0], status: 'active' })));
  const matching = events(all.stdout).filter((each) => each['status'] === 'active' && each['utm_source'] === source);
  expect(rows).toHaveLength(matching.length);
  const wrong = await run(['export', '--columns', 'e-mail'], sandboxOnPort.env);
  expect(wrong).toMatchObject({ code: 64, stderr: expect.stringContaining('did you mean "email"?') });
});
