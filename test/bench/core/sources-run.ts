/** The process that reports on sources, from history and list; tells how long it took and how much memory. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createClient } from '@newsletter-kit/core';
import { createHistory, createSourceReport } from '@newsletter-kit/core/report';
import { sendResult } from '../../../scripts/result-channel.ts';

const [baseUrl = '', size = '', historyFile = ''] = process.argv.slice(2);
const client = createClient({ baseUrl, token: 'k', publicationId: `pub_${size}` });
const begun = performance.now();
const cpu = process.cpuUsage();
const history = createHistory({ of: 'here' });
for await (const line of createInterface({ input: createReadStream(historyFile) })) history.read(line);
const sources = createSourceReport({ at: Date.now() / 1000, history });
for await (const subscription of client.subscriptions.list({ limit: 100, expand: ['stats'] }))
  sources.add(subscription);
const { total, cohorts } = sources.result();
if (total.signedUp !== Number(size) || cohorts.campaign.length !== 201 || total.after.some(({ stayed }) => !stayed))
  throw new Error(`The report is not about ${size} people: ${JSON.stringify(total)}`);
const { user, system } = process.cpuUsage(cpu);
sendResult({
  ms: performance.now() - begun,
  cpuMs: (user + system) / 1000,
  megabytes: process.resourceUsage().maxRSS / 1024,
});
