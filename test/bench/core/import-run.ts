/** The process that imports; tells how long it took and how much memory. */
import { createClient } from '@newsletter-kit/core';
import { importSubscriptions } from '@newsletter-kit/core/import';
import { openFileJournal, readCsv, readKeepOut } from '@newsletter-kit/core/node';
import { sendResult } from '../../../scripts/result-channel.ts';

const [csv = '', journalFile = '', baseUrl = '', size = '', keepOutFile = ''] = process.argv.slice(2);
const { engine } = createClient({ baseUrl, token: 'k', publicationId: 'pub_1' });
const begun = performance.now();
const journal = await openFileJournal(journalFile);
const keepOut = keepOutFile === '' ? undefined : (await readKeepOut(keepOutFile)).reasonFor;
const leftBy = keepOut && { status: { active: 'subscribed' } as const };
const result = await importSubscriptions({ engine, source: await readCsv(csv, { leftBy }), journal, keepOut });
await journal.close();
if (result.accepted !== Number(size)) throw new Error(`Of ${size} rows, ${result.accepted} were taken.`);
sendResult({ ms: performance.now() - begun, megabytes: process.resourceUsage().maxRSS / 1024 });
