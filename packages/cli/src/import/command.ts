import type { Command } from '../command/definition.ts';
import { connectionOptions } from '../settings/settings.ts';

export const importOptions = {
  ...connectionOptions,
  map: {
    value: 'COLUMN=FIELD',
    multiple: true,
    help: 'what a column fills: email, utm_source, custom:First Name, …; nothing after = leaves it out',
  },
  others: {
    value: 'refuse|ignore|custom',
    help: 'columns that mean nothing by name or --map: a mistake (default), left out, or custom fields',
  },
  journal: { value: 'FILE', help: 'where it is noted what was sent; default FILE.journal, removed when all is done' },
  rejects: { value: 'FILE', help: 'where rows go that were left out, with the reason; default FILE.rejects.csv' },
  delimiter: { value: 'CHARACTER', help: 'what stands between cells; default: as the header has it' },
  encoding: { value: 'NAME', help: 'of the file, such as windows-1252; default: UTF-8, or as its first bytes say' },
  'batch-size': { value: 'NUMBER', help: 'rows in a call, 1 to 1000; default 1000' },
} as const;

export const importCommand: Command<typeof importOptions> = {
  about: 'import subscriptions from a CSV file',
  operands: { usage: 'FILE', atLeast: 1, atMost: 1 },
  options: importOptions,
  notes: `Columns named like fields of the API, like a custom field or "custom:NAME" need no --map. The same command goes on after an
interruption, and sends no row again that the service has taken. Of rows with the same address the first counts.`,
  load: () => import('./run.ts'),
};
