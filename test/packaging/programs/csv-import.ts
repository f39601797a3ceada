/** Imports a CSV file and prints each rejected row. */
import { createClient } from '@newsletter-kit/core';
import { importSubscriptions } from '@newsletter-kit/core/import';
import { openFileJournal, readCsv } from '@newsletter-kit/core/node';
import type { Setting } from './setting.ts';

export default async function program({ options, print }: Setting): Promise<void> {
  const { engine } = createClient(options);
  const journal = await openFileJournal('people.journal');
  const { outcome, accepted } = await importSubscriptions({
    engine,
    source: await readCsv('people.csv', { columns: { Mail: 'email', Notes: null } }),
    journal,
    onRejected: ({ row, reason }) => print(`row ${row}: ${reason}`),
  });
  await journal.close();
  print(outcome, accepted);
}
