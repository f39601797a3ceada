/** The lint rule `subscriber-status`, through oxlint. */
import { it } from 'vitest';
import { expectReports } from './lint-rule.ts';

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

it('reports comparisons of a status with a word of the specification, and no others', () =>
  expectReports('subscriber-status', 'Ask getsMail', { wrong: compared, right: allowed }));
