/** What the recipes of CONTRIBUTING.md ask for in the documentation, and what no other fast test asks for. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { subscriptionEventTypes } from '@newsletter-kit/core/watch';
import { expect, it } from 'vitest';
import { sandboxPage } from '../../docs/reference/sandbox.ts';
import { root } from '../../scripts/root.ts';

it('the reference describes every control endpoint of the sandbox, and no other', async () => {
  await expect(sandboxPage()).resolves.toMatchObject({ name: 'sandbox-control' });
});

it('the table of events names every event of a watch', () => {
  const page = readFileSync(join(root, 'docs/src/content/docs/client/watch.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  expect(subscriptionEventTypes.filter((type) => !rows.some((row) => row.includes(`\`${type}\``)))).toEqual([]);
});
