/** What the recipes of CONTRIBUTING.md name, where no other fast test fails without it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { subscriptionEventTypes } from '@newsletter-kit/core/watch';
import { expect, it } from 'vitest';
import { sandboxPages } from '../../docs/reference/sandbox.ts';
import { root } from '../../scripts/root.ts';
import { edits } from '../nodes/extension/edits.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

it('the reference describes every control endpoint of the sandbox, and no other', async () => {
  await expect(sandboxPages()).resolves.toMatchObject([{ name: 'sandbox-control' }, { name: 'sandbox-behaviour' }]);
});

it('the table of events names every event of a watch', () => {
  const rows = read('docs/src/content/docs/client/watch.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(subscriptionEventTypes.filter((type) => !rows.some((row) => row.includes(`\`${type}\``)))).toEqual([]);
});

it('the files of the endpoint that is added at night have the places where its parts go', () => {
  const lost = edits.filter(({ path, before }) => before !== undefined && read(path).split(before).length !== 2);
  expect(lost.map(({ path, before }) => `${path} has not one "${before}"; correct edits.ts.`)).toEqual([]);
});
