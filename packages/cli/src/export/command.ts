import { operation } from '@newsletter-kit/core/contract';
import type { Command } from '../command/definition.ts';
import { connectionOptions } from '../settings/settings.ts';

export const exportOptions = {
  ...connectionOptions,
  format: { value: 'csv|ndjson', help: 'default: by the name of the file, else csv' },
  expand: { value: 'WHAT', multiple: true, help: `also ${operation('subscriptions.list').expand.join(', ')}` },
  status: { value: 'STATUS', help: 'only subscriptions of this status' },
  tier: { value: 'TIER', help: 'only subscriptions of this tier: free or premium' },
  'premium-tier': { value: 'NAME', multiple: true, help: 'only subscriptions with one of these premium tiers' },
  created: { value: 'YYYY/MM/DD', help: 'only subscriptions of this day, in UTC' },
  raw: { help: 'leave cells as they are that a spreadsheet would take for formulas' },
} as const;

export const exportCommand: Command<typeof exportOptions> = {
  about: 'write all subscriptions to a file, or to stdout',
  operands: { usage: '[FILE]', atLeast: 0, atMost: 1 },
  options: exportOptions,
  notes: `The file appears when it is whole; until then FILE.part grows beside it, and the same command goes on with it after an
interruption. CSV has a column for each field, and "custom:NAME" for each custom field with --expand custom_fields; a cell
that begins like a formula (= + - @) gets an apostrophe in front, because spreadsheets would run it. NDJSON has what the
service answers, unchanged.`,
  load: () => import('./run.ts'),
};
