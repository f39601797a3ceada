/**
 * A million rows from a CSV file to a real server, with a journal on the disk: rows a second, and the memory of the
 * process that imports, where the heap may be 64 MB.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resultOf } from '../../../scripts/result-channel.ts';
import { reportFigures } from '../figure.ts';

const size = 1_000_000;
const bounded = ['--max-old-space-size=64', '--max-semi-space-size=2'];
const answer = JSON.stringify({ message: 'Accepted.', import_id: 'import-1' });
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`;

const folder = await mkdtemp(join(tmpdir(), 'import-bench-'));
async function write(name: string, heading: string, rows: number, row: (n: number) => string): Promise<string> {
  const path = join(folder, name);
  const file = createWriteStream(path);
  file.write(`${heading}\n`);
  for (let n = 1; n <= rows; n += 1) if (!file.write(`${row(n)}\n`)) await once(file, 'drain');
  file.end();
  await once(file, 'finish');
  return path;
}
// Columns that fill fields of the API say nothing of who has left, so that its first row is sent at once.
const plain = await write(
  'people.csv',
  'email,utm_term,utm_source',
  size,
  (n) => `reader${n}@example.com,"Ada, the ${n}.",spring fair`,
);
// By other columns people may leave, so that every row is read before the first is sent.
const told = await write(
  'told.csv',
  'email,custom:First Name,utm_source,status',
  size,
  (n) => `reader${n}@example.com,"Ada, the ${n}.",spring fair,active`,
);
const kept = await write('kept.csv', 'email', 100_000, (n) => `left${n}@example.com`);

interface Run {
  readonly ms: number;
  readonly megabytes: number;
}

function run(name: string, flags: readonly string[], csv = plain, keepOut = ''): Promise<Run> {
  const script = fileURLToPath(new URL('import-run.ts', import.meta.url));
  return resultOf(script, [csv, join(folder, name), baseUrl, String(size), keepOut], {
    execArgv: ['--disable-warning=ExperimentalWarning', ...flags],
  });
}

const small = await run('bounded', bounded);
const large = await run('unbounded', []);
const careful = await run('careful', [], told, kept);
const carefulSmall = await run('careful-bounded', bounded, told, kept);
server.closeAllConnections();
server.close();
await rm(folder, { recursive: true });

const perSecond = ({ ms }: Run): number => Math.round((size / ms) * 1000);
reportFigures({
  speed: {
    value: perSecond(large),
    detail: `1,000 calls in ${(large.ms / 1000).toFixed(1)} s, four in flight; with a heap of 64 MB ${perSecond(small)} rows/s. A quota of 180 calls a minute allows 3,000`,
  },
  careful: {
    value: perSecond(careful) / perSecond(large),
    detail: `${perSecond(careful)} rows/s; every row is read before the first is sent, because the last may say that the first has left`,
  },
  memory: {
    value: carefulSmall.megabytes,
    detail: `highest RSS with a heap of 64 MB; without column and list ${Math.round(small.megabytes)} MB, heap unbounded ${Math.round(large.megabytes)} MB`,
  },
});
