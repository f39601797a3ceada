/** The lint rule `subscriber-status`, through oxlint. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCaptured } from '../../scripts/command.ts';
import { root } from '../../scripts/root.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const compared = [
  "export const left = status === 'inactive';",
  "export const left = 'inactive' == subscription.status;",
  "export const left = subscription?.status !== 'active';",
  "export const left = (record.status as string) !== 'paused';",
  "export const left = String(record.status ?? '') === 'invalid';",
  "export const left = event.from === 'active' && event.to === 'pending';",
  "export const left = record['status'] === 'active';",
  "export const left = newStatus === 'needs_attention';",
  "switch (status) {\n  case 'inactive':\n    break;\n}",
  "export const left = ['inactive', 'paused'].includes(status);",
  "const gone = ['inactive', 'paused'] as const;\nexport const left = gone.includes(String(record.status));",
  "const gone: ReadonlySet<string> = new Set(['inactive', 'gone']);\nexport const left = gone.has(event.from);",
  "const gone = new Map([['inactive', true]]);\nexport const left = gone.get(status);",
  "const events = { active: 'became_active', inactive: 'left' };\nexport const left = events[status];",
];
const allowed = [
  'export const left = hasLeft(status);',
  "export const request = { new_status: 'inactive' };",
  "await client.subscriptions.list({ status: 'active' });",
  "export const ended = status === 'complete' || status === 404;",
  "export const odd = reading.state === 'invalid';",
  'export const wait = [429, 503].includes(error.status);',
  'const retried = new Set([429]);\nexport const wait = retried.has(status);',
  'export const label = labels[status];',
];

it('reports comparisons of a status with a word of the specification, and no others', async () => {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'src'));
  const write = (name: string, texts: readonly string[]) =>
    texts.forEach((text, index) => writeFileSync(join(folder, 'src', `${name}${index}.ts`), `${text}\n`));
  write('compared', compared);
  write('allowed', allowed);
  const jsPlugins = [join(root, 'scripts/lint-rules.mjs')];
  const rules = { 'house/subscriber-status': 'error' };
  writeFileSync(join(folder, 'oxlint.json'), JSON.stringify({ jsPlugins, categories: { correctness: 'off' }, rules }));
  const args = ['-c', 'oxlint.json', '--format', 'unix', 'src'];
  const { ok, output } = await runCaptured(join(root, 'node_modules/.bin/oxlint'), args, { cwd: folder });
  expect(ok).toBe(false);
  const reported = [...output.matchAll(/^src\/(\w+)\.ts:\d+:\d+: Ask getsMail/gm)].map(([, name]) => name);
  expect([...new Set(reported)].toSorted(), output).toEqual(compared.map((_, index) => `compared${index}`).toSorted());
});
