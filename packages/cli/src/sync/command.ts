import type { Command } from '../command/definition.ts';
import { connectionOptions } from '../settings/settings.ts';

export const syncOptions = {
  ...connectionOptions,
  config: { value: 'FILE', help: 'mapping and contacts table, JSON; default newsletter-sync.json' },
  database: {
    value: 'URL',
    variable: 'DATABASE_URL',
    help: 'PostgreSQL database of the contacts; a URL with a password belongs in the variable',
  },
  contacts: { value: 'FILE', help: 'plan: contacts as NDJSON, one record a line, in place of the database' },
  every: { value: 'SECONDS', help: 'apply: repeat until Ctrl-C, with this pause between two runs' },
  accept: { help: 'apply: carry out a plan that is held back, once' },
  changes: { value: 'NUMBER', help: 'plan: most changes to list; default 20, with --json all of them' },
  consent: { help: 'status: print every opt-out and unsubscribe the sync has seen, as NDJSON' },
} as const;

export const sync: Command<typeof syncOptions> = {
  about: 'keep subscriptions and contacts in PostgreSQL in step',
  operands: { usage: 'ACTION', atLeast: 1, atMost: 1 },
  options: syncOptions,
  notes: `Actions:
  plan     read both sides and print what apply would do; writes nothing
  apply    plan, then change subscriptions, then contacts
  status   print the last run, what is held back and the open findings

apply creates three tables, newsletter_sync_tokens, newsletter_sync_state and newsletter_sync_consent, in the schema that the
configuration names. A run that is interrupted or killed at any point is completed by the next one.

Exit codes: 0 done · 1 failed · 2 findings, or the plan is held back · 3 interrupted before anything was written. With
--every, only new findings are listed after the first run, and Ctrl-C is no failure: 0.`,
  load: () => import('./run.ts'),
};
