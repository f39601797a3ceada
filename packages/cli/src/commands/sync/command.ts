/** `newsletter sync`: plans and applies changes between the newsletter and the contacts in PostgreSQL. */
import type { Command } from '@commander-js/extra-typings';
import { notes, wholeNumber } from '#command-line';
import { connectionOf, withConnection } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { apply } from './apply.ts';
import { plan } from './plan.ts';
import { status } from './status.ts';

export function define(command: Command, context: Context) {
  command
    .usage('plan | apply | status [options]')
    .addHelpText(
      'after',
      notes(
        'apply creates four tables, newsletter_sync_tokens, newsletter_sync_state, newsletter_sync_consent and newsletter_sync_at_rest, in the schema that the configuration names. If a run is interrupted or killed, the next run completes it.',
        'Exit codes: 0 done · 1 failed · 2 there are findings, or the plan is held back · 3 interrupted; the next run completes it. With apply --every, later runs list only new findings, and Ctrl-C between two runs ends with 0.',
      ),
    );

  withSharedOptions(command, 'plan')
    .description('read both sides and print what apply would do; writes nothing')
    .option('--contacts <file>', 'read the contacts from an NDJSON file instead of the database')
    .option(
      '--changes <number>',
      'maximum number of changes to list (default: 20; all with --json)',
      wholeNumber(0, 999_999_999),
    )
    .option('--short-addresses', 'cut addresses in the list of changes to their first letter and their domain')
    .action(({ contacts, changes, shortAddresses, ...options }, self) =>
      context.run(plan, {
        ...sharedOptions(options, self),
        contacts,
        changes,
        shortAddresses: shortAddresses === true,
      }),
    );

  withSharedOptions(command, 'apply')
    .description('plan, then write the changes: subscriptions first, then contacts')
    .option('--every <seconds>', 'repeat until Ctrl-C, with this pause between runs', wholeNumber(1, 86_400))
    .option('--accept', 'carry out a plan that is held back; applies to the first run only')
    .action(({ every, accept, ...options }, self) =>
      context.run(apply, { ...sharedOptions(options, self), every, accept: accept === true }),
    );

  withSharedOptions(command, 'status')
    .description('print the last run, the reason if it was held back, and the open findings')
    .option('--consent', 'print every opt-out and unsubscription that the sync has seen, as NDJSON')
    .action(({ consent, ...options }, self) =>
      context.run(status, { ...sharedOptions(options, self), printsConsent: consent === true }),
    );
}

function withSharedOptions(command: Command, name: string) {
  return withConnection(
    command
      .command(name)
      .option('--config <file>', 'JSON file with the mapping and the contacts table', 'newsletter-sync.json')
      .option(
        '--database <url>',
        'PostgreSQL database of the contacts; use the variable for a URL with a password (env: DATABASE_URL)',
      ),
  );
}

type SharedValues = ReturnType<ReturnType<typeof withSharedOptions>['opts']>;

function sharedOptions({ config, database, json }: SharedValues, self: Parameters<typeof connectionOf>[0]) {
  return { connection: connectionOf(self), config, database, isJson: json === true };
}
