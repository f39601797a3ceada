/**
 * A million rows from a CSV file to a real server, with a journal on the disk: rows a second, and the memory of the
 * process that imports, where the heap may be 64 MB.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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
const csv = join(folder, 'people.csv');
const file = createWriteStream(csv);
file.write('email,custom:First Name,utm_source\n');
for (let n = 1; n <= size; n += 1)
  if (!file.write(`reader${n}@example.com,"Ada, the ${n}.",spring fair\n`)) await once(file, 'drain');
file.end();
await once(file, 'finish');

interface Run {
  readonly ms: number;
  readonly megabytes: number;
}

async function run(name: string, flags: readonly string[]): Promise<Run> {
  const script = fileURLToPath(new URL('import-run.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    ...flags,
    script,
    csv,
    join(folder, name),
    baseUrl,
    String(size),
  ]);
  return JSON.parse(stdout) as Run;
}

const small = await run('bounded', bounded);
const large = await run('unbounded', []);
server.closeAllConnections();
server.close();
await rm(folder, { recursive: true });

const perSecond = ({ ms }: Run): number => Math.round((size / ms) * 1000);
reportFigures({
  speed: {
    value: perSecond(large),
    detail: `1,000 calls in ${(large.ms / 1000).toFixed(1)} s, four in flight; with a heap of 64 MB ${perSecond(small)} rows/s. A quota of 180 calls a minute allows 3,000`,
  },
  memory: {
    value: small.megabytes,
    detail: `highest RSS with a heap of 64 MB; heap unbounded ${Math.round(large.megabytes)} MB`,
  },
});
