/** The lint rule `typed-tables`, through oxlint. */
import { it } from 'vitest';
import { expectReports } from './lint-rule.ts';

const lost = [
  "export const titles: Record<string, string> = { active: 'Active', gone: 'Gone' };",
  "const titles: Readonly<Record<string, string>> = { '1': 'One', two: 'Two' };",
  "const titles = { active: 'Active', gone: 'Gone' } satisfies Record<string, string>;",
  "const titles = { active: 'Active', gone: 'Gone' } as const satisfies Readonly<Record<string, string>>;",
  "const titles = { active: 'Active', gone: 'Gone' } as const satisfies Record<string, string>;\ntype Other = keyof typeof other;",
];
const typed = [
  "const titles: Readonly<Record<Status, string>> = { active: 'Active', gone: 'Gone' };",
  "const titles = { active: 'Active', gone: 'Gone' } as const satisfies Record<Status, string>;",
  "const titles = { active: 'Active', gone: 'Gone' } as const satisfies Record<string, string>;\nexport type Status = keyof typeof titles;",
  "const remedies: Readonly<Partial<Record<string, string>>> = { '28P01': 'the password', ENOENT: 'the folder' };",
  'const empty: Record<string, string> = {};',
  "const found: Record<string, string> = { [name]: 'One', ...more };",
  "function headers() {\n  const all: Record<string, string> = { accept: '*/*', host: 'example.com' };\n  return all;\n}",
];

it('reports tables that no type completes, and no others', () =>
  expectReports('typed-tables', 'Nothing notices a missing key of titles', { wrong: lost, right: typed }));
