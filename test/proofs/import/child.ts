/** The process that is killed: imports a CSV file and prints accepted rows immediately and unbuffered. */
import { writeSync } from 'node:fs';
import { createClient } from '@newsletter-kit/core';
import { importSubscriptions } from '@newsletter-kit/core/import';
import { openFileJournal, readCsv } from '@newsletter-kit/core/node';

const [file = '', journalFile = '', baseUrl = ''] = process.argv.slice(2);
const print = (message: object): void => void writeSync(1, `${JSON.stringify(message)}\n`);

const journal = await openFileJournal(journalFile);
const { engine } = createClient({ baseUrl, token: 'k', publicationId: 'pub_1' });
const result = await importSubscriptions({
  engine,
  source: await readCsv(file, { columns: { Mail: 'email', 'First Name': 'custom:First Name' } }),
  journal,
  onAccepted: ({ rows }) => print({ taken: [rows[0], rows.length] }),
});
await journal.close();
print({ result: { ...result, importIds: result.importIds.length }, megabytes: process.resourceUsage().maxRSS / 1024 });
